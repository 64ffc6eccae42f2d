/** Saved funnels through the API: what they take, refuse and bound, who may see them, and what is asked by their id. */
import { beforeEach, describe, expect, test } from "bun:test";
import { addUser } from "../../src/engine/admin/account/users.ts";
import {
  funnelNameCharactersMax,
  funnelsMax,
  funnelStepsCharactersMax,
} from "../../src/core/website/funnel.ts";
import { messageOf, TestServer } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { joinAs } from "../support/members.ts";

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

type Who = { readonly cookie?: string; readonly headers?: Readonly<Record<string, string>> };

const ask = (method: string, path: string, body?: unknown, as: Who = { cookie }) =>
  server.answer(method, `/website/example.com/${path}`, { ...as, body });

async function refused(method: string, path: string, body?: unknown): Promise<string> {
  const answer = await ask(method, path, body);
  expect([path, body, answer.status]).toEqual([path, body, 400]);
  return messageOf(answer);
}

const steps = ["page:/cart", "page[starts_with]:/checkout, 2", "event:order=paid"];
const checkout = { name: "Checkout", steps };
const askedBy = (texts: readonly string[]) =>
  texts.map((step) => `step=${encodeURIComponent(step)}`).join("&");

describe("saved funnels", () => {
  test("are added, listed and removed, with the steps as they were written; an id is never used again", async () => {
    expect((await ask("GET", "funnels")).value).toEqual([]);
    expect(await ask("POST", "funnels", { ...checkout, name: " Checkout\n" })).toEqual({
      status: 201,
      value: { id: 1, ...checkout },
    });
    expect((await ask("GET", "funnels")).value).toEqual([{ id: 1, ...checkout }]);
    expect(await ask("DELETE", "funnels/1")).toEqual({ status: 204, value: undefined });
    expect((await ask("GET", "funnels")).value).toEqual([]);
    expect(await ask("POST", "funnels", checkout)).toMatchObject({ value: { id: 2 } });
  });

  test("are asked by their id as by their steps, and by one of both", async () => {
    await ask("POST", "funnels", checkout);
    const byId = await ask("GET", "funnel?funnel=1");
    expect(byId.status).toBe(200);
    expect(byId).toEqual(await ask("GET", `funnel?${askedBy(steps)}`));
    expect((byId.value as { step: string }[]).map(({ step }) => step)).toEqual(steps);
    const unknown = "funnel: expected the id of a saved funnel of this website, got ";
    for (const id of ["2", "01", "x", ""])
      expect(await refused("GET", `funnel?funnel=${id}`)).toBe(`${unknown}"${id}"`);
    const both = "funnel: expected either one saved funnel or steps";
    expect(await refused("GET", `funnel?funnel=1&${askedBy(steps)}`)).toStartWith(both);
    expect(await refused("GET", "funnel?funnel=1&funnel=1")).toStartWith(both);
  });

  test("refuse what is no step as the question does", async () => {
    const wrong = (given: unknown) => refused("POST", "funnels", { name: "x", steps: given });
    const both = async (texts: readonly string[]) => {
      const message = await wrong(texts);
      expect(message).toBe(await refused("GET", `funnel?${askedBy(texts)}`));
      return message;
    };
    expect(await both([])).toBe("step: expected 2 to 8 steps, got 0");
    expect(await both(["page:/"])).toBe("step: expected 2 to 8 steps, got 1");
    expect(await both(Array(9).fill("page:/"))).toBe("step: expected 2 to 8 steps, got 9");
    expect(await both(["page:/", "/a"])).toStartWith("step: expected page:/pricing");
    expect(await both(["page:/", "page[is]:/"])).toStartWith("step: expected an operator");
    expect(await both(["page:/", "goal:1"])).toStartWith('step: there is no goal "1" of this website');
    expect(await wrong(undefined)).toBe("step: expected 2 to 8 steps, got 0");
    expect(await wrong("page:/")).toBe("steps: expected an array, got a string");
    expect(await wrong(["page:/", 7])).toStartWith("steps: expected texts of at most 4000 characters");
    expect(await refused("POST", "funnels", { steps })).toStartWith("name: ");
    expect(await refused("POST", "funnels", { name: " ", steps })).toStartWith("name: expected 1 to 100");
    const long = "x".repeat(funnelNameCharactersMax + 1);
    expect(await refused("POST", "funnels", { name: long, steps })).toStartWith("name: expected 1 to 100");
    expect((await ask("GET", "funnels")).value).toEqual([]);
  });

  test("have no more steps than an address can ask for, and texts that every file can hold", async () => {
    const room = funnelStepsCharactersMax - "step=page%3A%2F&step=page%3A%2F".length;
    const most = ["page:/", `page:/${"x".repeat(room)}`];
    expect((await ask("POST", "funnels", { name: "most", steps: most })).status).toBe(201);
    expect((await ask("GET", "funnel?funnel=1")).status).toBe(200);
    const over = ["page:/", `page:/${"x".repeat(room + 1)}`];
    expect(await refused("POST", "funnels", { name: "over", steps: over })).toBe(
      "steps: expected at most 4000 characters, got 4001",
    );
    const half = await ask("POST", "funnels", { name: "half \ud83d", steps: ["page:/\ud83d", "page:/"] });
    expect(half.value).toEqual({ id: 2, name: "half \ufffd", steps: ["page:/\ufffd", "page:/"] });
  });

  test("are so many of a website at most", async () => {
    for (let at = 0; at < funnelsMax; at++) await ask("POST", "funnels", checkout);
    expect(await refused("POST", "funnels", checkout)).toBe(
      "funnels: expected at most 50 of a website: remove one first",
    );
    await ask("DELETE", "funnels/7");
    expect((await ask("POST", "funnels", checkout)).status).toBe(201);
  });

  test("with a goal that was removed since are still there, and the question names the step", async () => {
    await ask("POST", "goals", { name: "Thanks", page: { eq: "/thanks" } });
    const withGoal = { name: "To the end", steps: ["page:/", "goal:1"] };
    await ask("POST", "funnels", withGoal);
    expect((await ask("GET", "funnel?funnel=1")).status).toBe(200);
    await ask("DELETE", "goals/1");
    expect((await ask("GET", "funnels")).value).toEqual([{ id: 1, ...withGoal }]);
    const gone = 'step: there is no goal "1" of this website';
    expect(await refused("GET", "funnel?funnel=1")).toBe(gone);
    expect(await refused("GET", "funnel?step=page:/&step=goal:1")).toBe(gone);
    // A goal that comes later is another one.
    await ask("POST", "goals", { name: "Others", page: { eq: "/others" } });
    expect(await refused("GET", "funnel?funnel=1")).toBe(gone);
    expect((await ask("DELETE", "funnels/1")).status).toBe(204);
  });

  test("need visits, and stay while these are off", async () => {
    await ask("POST", "funnels", checkout);
    const switched = (visits: boolean) =>
      server.ask("PATCH", "/websites/example.com", { cookie, body: { visits } });
    await switched(false);
    expect(await refused("POST", "funnels", checkout)).toStartWith("visits: ");
    expect((await ask("GET", "funnels")).value).toEqual([{ id: 1, ...checkout }]);
    await switched(true);
    expect((await ask("GET", "funnel?funnel=1")).status).toBe(200);
  });

  test("go along with a website that gets another name, and go with it", async () => {
    await ask("POST", "funnels", checkout);
    const renamed = { cookie, body: { hostname: "new.example" } };
    await server.ask("PATCH", "/websites/example.com", renamed);
    const listed = () => server.get<object[]>("/website/new.example/funnels", cookie);
    expect(await listed()).toEqual([{ id: 1, ...checkout }]);
    await server.ask("DELETE", "/websites/new.example", { cookie });
    await server.ask("POST", "/websites", renamed);
    expect(await listed()).toEqual([]);
  });
});

describe("who may", () => {
  const methods = [
    ["GET", "funnels"],
    ["POST", "funnels"],
    ["DELETE", "funnels/1"],
  ] as const;
  const statusesOf = async (who: Who) => {
    const statuses: number[] = [];
    for (const [method, path] of methods)
      statuses.push((await ask(method, path, method === "POST" ? checkout : undefined, who)).status);
    return statuses;
  };
  beforeEach(async () => {
    await ask("POST", "funnels", checkout);
  });

  test("see saved funnels: all members; add and remove them: editors", async () => {
    expect(await statusesOf({ cookie: await joinAs(server, cookie, "viewer") })).toEqual([200, 403, 403]);
    expect(await statusesOf({ cookie: await joinAs(server, cookie, "editor") })).toEqual([200, 201, 204]);
    expect(await statusesOf({ cookie })).toEqual([200, 201, 404]);
    const grace = { username: "Grace", password: "another password" };
    await addUser(server.engine, grace);
    expect(await statusesOf({ cookie: await server.logIn(grace) })).toEqual([404, 404, 404]);
    expect(await statusesOf({ cookie: "" })).toEqual([401, 401, 401]);
    for (const id of ["9", "02", "x"]) expect((await ask("DELETE", `funnels/${id}`)).status).toBe(404);
  });

  test("see them by a link without filters, and none by one with filters", async () => {
    const { headers } = await makeLink(server, cookie);
    expect(await statusesOf({ headers })).toEqual([200, 403, 403]);
    expect((await ask("GET", "funnels", undefined, { headers })).value).toEqual([{ id: 1, ...checkout }]);
    expect((await ask("GET", "funnel?funnel=1", undefined, { headers })).status).toBe(200);
    const filters = [{ name: "path", operator: "starts_with", operands: ["/blog/"] }];
    const held = { headers: (await makeLink(server, cookie, { filters })).headers };
    expect((await ask("GET", "funnels", undefined, held)).value).toEqual([]);
    expect(await ask("GET", "funnel?funnel=1", undefined, held)).toMatchObject({ status: 400 });
    expect(await statusesOf({ headers: { "footfall-link": "nobody.knows" } })).toEqual([404, 403, 403]);
  });
});
