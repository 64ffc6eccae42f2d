/** Notes on days and segments of filters through the API: what they take, refuse, bound, and keep from others. */
import { beforeEach, describe, expect, test } from "bun:test";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { noteCharactersMax, notesMax } from "../../src/core/website/note.ts";
import { segmentsMax } from "../../src/core/website/segment.ts";
import { messageOf, TestServer } from "../support/http.ts";

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const ask = (method: string, path: string, body?: unknown, as = cookie) =>
  server.answer(method, `/website/example.com/${path}`, { cookie: as, body });

async function refused(method: string, path: string, body: unknown): Promise<string> {
  const answer = await ask(method, path, body);
  expect([path, body, answer.status]).toEqual([path, body, 400]);
  return messageOf(answer);
}

describe("notes", () => {
  test("are added, listed, changed and removed; an id is never used again", async () => {
    const note = { id: 1, date: "2026-11-03", text: "Newsletter <b>7</b>" };
    expect(await ask("POST", "notes", { date: note.date, text: `  ${note.text}\n` })).toEqual({
      status: 201,
      value: note,
    });
    await ask("POST", "notes", { date: "2024-02-29", text: "Leap day" });
    expect(await ask("PATCH", "notes/1", { text: "Newsletter", date: null })).toEqual({
      status: 200,
      value: { ...note, text: "Newsletter" },
    });
    expect(await ask("PATCH", "notes/1", { date: "2026-11-04" })).toMatchObject({
      value: { date: "2026-11-04", text: "Newsletter" },
    });
    expect((await ask("GET", "notes")).value).toEqual([
      { id: 1, date: "2026-11-04", text: "Newsletter" },
      { id: 2, date: "2024-02-29", text: "Leap day" },
    ]);
    expect(await ask("DELETE", "notes/2")).toEqual({ status: 204, value: undefined });
    expect(await ask("POST", "notes", { date: "2024-03-01", text: "New" })).toMatchObject({
      value: { id: 3 },
    });
  });

  test("name the field that is wrong", async () => {
    for (const date of [
      "2026-02-29",
      "2026-06-31",
      "3 November",
      "2026-11-3",
      "1969-12-31",
      "2026-11-03T00:00Z",
    ])
      expect(await refused("POST", "notes", { date, text: "x" })).toStartWith("date: expected a day");
    expect(await refused("POST", "notes", { text: "x" })).toStartWith("date: ");
    expect(await refused("POST", "notes", { date: "2026-11-03", text: " " })).toStartWith(
      "text: expected 1 to",
    );
    const long = "x".repeat(noteCharactersMax + 1);
    expect(await refused("POST", "notes", { date: "2026-11-03", text: long })).toStartWith("text: ");
    await ask("POST", "notes", { date: "2026-11-03", text: "x" });
    expect(await refused("PATCH", "notes/1", { text: "" })).toStartWith("text: ");
    expect(await refused("PATCH", "notes/1", { date: 3 })).toBe("date: expected a string, got a number");
  });

  test("are so many of a website at most", async () => {
    const add = () => ask("POST", "notes", { date: "2026-11-03", text: "x" });
    for (let at = 0; at < notesMax; at++) expect((await add()).status).toBe(201);
    expect(messageOf(await add())).toBe("notes: expected at most 500 of a website: remove one first");
    await ask("DELETE", "notes/7");
    expect((await add()).status).toBe(201);
  });
});

describe("segments", () => {
  const filters = "country[in]=Germany,France&path%5Bstarts_with%5D=/blog/";

  test("are added, listed and removed, with the filters as they were written", async () => {
    const segment = { id: 1, name: "Readers", filters };
    expect(await ask("POST", "segments", { name: " Readers ", filters })).toEqual({
      status: 201,
      value: segment,
    });
    expect((await ask("GET", "segments")).value).toEqual([segment]);
    expect((await ask("GET", `pages?${filters}`)).status).toBe(200);
    expect((await ask("DELETE", "segments/1")).status).toBe(204);
    expect((await ask("GET", "segments")).value).toEqual([]);
  });

  test("refuse what is no filter as lists do, and name it", async () => {
    const wrong = (text: string) => refused("POST", "segments", { name: "x", filters: text });
    expect(await wrong("paths[eq]=/")).toStartWith('"paths[eq]": expected a filter');
    expect(await wrong("path[is]=/")).toStartWith('"path[is]": expected an operator');
    expect(await wrong("path=/")).toStartWith("path: expected an operator");
    expect(await wrong("country[eq]=Germany&limit=3")).toStartWith("filters: expected filters");
    expect(await wrong("&")).toStartWith("filters: expected filters");
    expect(await wrong("")).toStartWith("filters: expected 1 to 4000 characters");
    expect(await wrong("path[eq]=%FF")).toContain("percent-encoded");
    expect(await refused("POST", "segments", { filters })).toStartWith("name: ");
  });

  test("are so many of a website at most", async () => {
    for (let at = 0; at < segmentsMax; at++) await ask("POST", "segments", { name: `${at}`, filters });
    const over = await ask("POST", "segments", { name: "one more", filters });
    expect([over.status, messageOf(over)]).toEqual([
      400,
      "segments: expected at most 50 of a website: remove one first",
    ]);
  });
});

test("both are those of the website's account, and of nobody else", async () => {
  await ask("POST", "notes", { date: "2026-11-03", text: "x" });
  const grace = { username: "Grace", password: "another password" };
  await addUser(server.engine, grace);
  const other = await server.logIn(grace);
  for (const [method, path] of [
    ["GET", "notes"],
    ["POST", "notes"],
    ["PATCH", "notes/1"],
    ["DELETE", "notes/1"],
    ["GET", "segments"],
    ["POST", "segments"],
    ["DELETE", "segments/1"],
  ] as const) {
    const body = method === "GET" ? undefined : {};
    expect([path, (await ask(method, path, body, "")).status]).toEqual([path, 401]);
    expect([path, (await ask(method, path, body, other)).status]).toEqual([path, 404]);
  }
  for (const path of ["notes/9", "notes/01", "notes/x", "segments/1"])
    expect([path, (await ask("DELETE", path)).status]).toEqual([path, 404]);
});
