/** A website of which a file is damaged, as its owner and its visitors see it. */
import { expect, test } from "bun:test";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { TestServer } from "../support/http.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

const lists = ["pages", "time", "properties", "browsers", "languages", "summary", "live", "recent"];

test("all that needs its statistics is a 500 that says so; hits, settings, others and its removal go on", async () => {
  const disk = new MemoryDisk();
  let server = await TestServer.open({ disk });
  const cookie = await server.prepare();
  const [userId = 0] = server.engine.registry.users.keys();
  await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "example.org" });
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await server.ask(method, path, { cookie, body });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (isStream) await response.body?.cancel();
    return {
      status: response.status,
      value: isStream || response.status === 204 ? null : await response.json(),
    };
  };
  const hit = async (hostname: string, b: string) =>
    (await server.hit({ b, u: `https://${hostname}/`, p: true })).json();
  for (const hostname of ["example.com", "example.org"]) await hit(hostname, hostname);
  // Without an older checkpoint that has no such file.
  await server.engine.purge();
  await server.engine.stop();
  for (const [path, bytes] of [...disk.files].filter(([path]) => /chunks\/1\/.*\.site$/.test(path)))
    disk.put(path, bytes.with(60, (bytes[60] as number) ^ 4));

  server = await TestServer.open({ disk });
  const message = "this website is unavailable, because a file is damaged: see the log of the server";
  const refused = { status: 500, value: { error: { code: 500, message } } };
  expect(await ask("GET", "/websites/example.com")).toEqual(refused);
  for (const list of lists) {
    expect([list, await ask("GET", `/website/example.com/${list}`)]).toEqual([list, refused]);
    expect([list, (await ask("GET", `/website/example.org/${list}`)).status]).toEqual([list, 200]);
  }
  expect((await ask("GET", "/websites")).value).toMatchObject([
    { hostname: "example.com", summary: { visitors: 0 }, unavailable: true },
    { hostname: "example.org", summary: { visitors: 1 } },
  ]);
  for (const hostname of ["example.com", "example.org"])
    expect(await hit(hostname, `new-${hostname}`)).toEqual({ accepted: true });
  const renamed = await ask("PATCH", "/websites/example.com", { hostname: "www.example.net" });
  expect(renamed).toMatchObject({ status: 200, value: { hostname: "www.example.net", unavailable: true } });
  expect((await ask("DELETE", "/websites/www.example.net")).status).toBe(204);
  expect((await ask("GET", "/website/www.example.net/pages")).status).toBe(404);
  expect([...disk.files.keys()].filter((path) => path.includes("/chunks/1/"))).toEqual([]);
  await server.engine.stop();
});
