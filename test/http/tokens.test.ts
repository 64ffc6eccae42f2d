/** API tokens over HTTP: what they show, when they end, and what becomes of wrong ones. */
import { beforeEach, describe, expect, test } from "bun:test";
import { hashOf } from "../../src/accounts/token.ts";
import { tokensMax } from "../../src/core/api-token.ts";
import { dayMs } from "../../src/core/hit.ts";
import { messageOf, TestServer } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { joinAs } from "../support/members.ts";
import { type MadeToken, makeToken } from "../support/tokens.ts";

let disk: MemoryDisk;
let server: TestServer;
let cookie: string;

beforeEach(async () => {
  disk = new MemoryDisk();
  server = await TestServer.open({ disk });
  cookie = await server.prepare();
});

async function statusWith({ headers }: Pick<MadeToken, "headers">, path = "/website/example.com/pages") {
  const response = await server.ask("GET", path, { headers });
  await response.body?.cancel();
  return response.status;
}

const listed = (as = cookie) => server.get<Record<string, unknown>[]>("/user/tokens", as);

describe("a token", () => {
  test("is said once, listed without its secret, and stored as a hash", async () => {
    const asked = { cookie, body: { name: " Till ", scope: "send", hostname: "EXAMPLE.com" } };
    const response = await server.ask("POST", "/user/tokens", asked);
    expect(response.status).toBe(201);
    const { token, ...made } = (await response.json()) as { token: string };
    const dateCreated = Math.floor(server.engine.nowMs() / 1_000);
    const id = expect.stringMatching(/^[\da-f]{16}$/);
    const fields = { id, name: "Till", scope: "send", hostname: "example.com", dateCreated, dateUsed: null };
    expect(made as object).toEqual(fields);
    expect(token).toMatch(/^footfall_[\w-]{43}$/);
    expect(await listed()).toEqual([fields]);
    await server.engine.stop();
    const paths = ["/data/wal", "/data"].flatMap((directory) =>
      disk.list(directory).map((name) => `${directory}/${name}`),
    );
    const contents = paths.filter((path) => /[.](wal|state)$/.test(path)).map((path) => disk.read(path));
    const files = contents.map((bytes) => Buffer.from(bytes).toString("latin1"));
    expect(files.length).toBeGreaterThan(1);
    expect(files.some((text) => text.includes(hashOf(token)))).toBe(true);
    for (const text of files) expect(text).not.toContain(token.slice("footfall_".length));
  });

  test("needs a name, a scope, and a website of the account", async () => {
    const viewer = await joinAs(server, cookie, "viewer");
    const ask = async (body: object, as = cookie) => {
      const answer = await server.answer("POST", "/user/tokens", { cookie: as, body });
      return [answer.status, messageOf(answer)];
    };
    expect(await ask({ scope: "read" })).toEqual([400, "name: expected a string, got nothing"]);
    expect(await ask({ name: "  ", scope: "read" })).toEqual([400, expect.stringMatching(/^name: /)]);
    expect(await ask({ name: "a\tb", scope: "read" })).toEqual([400, expect.stringMatching(/^name: /)]);
    expect(await ask({ name: "a", scope: "write" })).toEqual([
      400,
      expect.stringMatching(/^scope: .*read, send, admin/),
    ]);
    expect(await ask({ name: "a", scope: "read", hostname: "other.example" })).toEqual([
      404,
      expect.anything(),
    ]);
    expect(await ask({ name: "a", scope: "send", hostname: "example.com" }, viewer)).toEqual([
      403,
      expect.anything(),
    ]);
    expect(await ask({ name: "a", scope: "read", hostname: "example.com" }, viewer)).toEqual([201, ""]);
    for (let made = 0; made < tokensMax; made++) await makeToken(server, cookie, "read");
    expect(await ask({ name: "a", scope: "read" })).toEqual([400, expect.stringMatching(/^tokens: .* 100 /)]);
  });

  test("is read from the header Authorization alone, and not from an URL", async () => {
    const { token, headers } = await makeToken(server, cookie, "read");
    expect(await statusWith({ headers })).toBe(200);
    expect(await statusWith({ headers: { authorization: `bearer  ${token}` } })).toBe(200);
    for (const name of ["token", "access_token", "authorization", "bearer"])
      expect(await statusWith({ headers: {} }, `/website/example.com/pages?${name}=${token}`)).toBe(401);
    expect(await statusWith({ headers: { cookie: `_me_sess=${token}` } })).toBe(401);
    expect(await statusWith({ headers: { "footfall-link": token } })).toBe(404);
  });

  test("that is wrong is a 401 in the one shape, also beside a good cookie; what is another program's is none", async () => {
    const { token } = await makeToken(server, cookie, "read");
    const ask = (authorization: string, more = {}) =>
      server.ask("GET", "/website/example.com/pages", { headers: { authorization }, ...more });
    const wrong = [`${token}x`, token.slice(0, -1), "footfall_", `${token} ${token}`, token.toUpperCase()];
    for (const text of wrong) {
      const response = await ask(`Bearer ${text}`, { cookie });
      expect([text, response.status]).toEqual([text, 401]);
      const message = "authorization: this token is wrong, or was revoked";
      expect(await response.json()).toEqual({ error: { code: 401, message } });
      // It is no better for what only a login may ask.
      const headers = { authorization: `Bearer ${text}` };
      expect((await server.ask("GET", "/user/sessions", { headers })).status).toBe(401);
    }
    // A proxy in front may send its own.
    for (const other of ["Basic YTpi", "Bearer eyJhbGciOi.J9.x", "Bearer", ""]) {
      expect((await ask(other, { cookie })).status).toBe(200);
      expect((await ask(other)).status).toBe(401);
    }
    const message = "authorization: this token is unknown: one of Footfall begins with footfall_";
    expect(await (await ask("Bearer nonsense")).json()).toEqual({ error: { code: 401, message } });
  });

  test("sees what its website shows and not the others, and a link beside it does not count", async () => {
    await server.ask("POST", "/websites", { cookie, body: { hostname: "other.example" } });
    const one = await makeToken(server, cookie, "read", "example.com");
    const all = await makeToken(server, cookie, "read");
    const names = async ({ headers }: MadeToken) => {
      const websites = await (await server.ask("GET", "/websites", { headers })).json();
      return (websites as { hostname: string }[]).map(({ hostname }) => hostname);
    };
    expect(await names(one)).toEqual(["example.com"]);
    expect(await names(all)).toEqual(["example.com", "other.example"]);
    expect(await statusWith(one, "/website/other.example/pages")).toBe(404);
    expect(await statusWith(all, "/website/other.example/pages")).toBe(200);
    expect(await statusWith(one, "/website/example.com/export.zip")).toBe(200);
    const link = await makeLink(server, cookie);
    const both = { headers: { ...all.headers, ...link.headers } };
    expect(await statusWith(both, "/website/other.example/pages")).toBe(200);
    // It follows its website's new name.
    await server.ask("PATCH", "/websites/example.com", { cookie, body: { hostname: "new.example" } });
    expect(await names(one)).toEqual(["new.example"]);
    expect(await statusWith(one, "/website/new.example/pages")).toBe(200);
  });

  test("may change what its account may, and no more", async () => {
    const viewer = await joinAs(server, cookie, "viewer");
    const { headers } = await makeToken(server, cookie, "admin");
    const asViewer = await makeToken(server, viewer, "admin", "example.com");
    const body = { date: "2026-11-03", text: "Newsletter" };
    const note = "/website/example.com/notes";
    expect((await server.ask("POST", note, { headers, body })).status).toBe(201);
    expect((await server.ask("POST", note, { headers: asViewer.headers, body })).status).toBe(403);
    expect((await server.ask("POST", "/websites", { headers, body: { hostname: "b.example" } })).status).toBe(
      201,
    );
    const link = { name: "Client", password: "open sesame" };
    expect((await server.ask("POST", "/website/example.com/links", { headers, body: link })).status).toBe(
      201,
    );
    const foreign = { ...headers, origin: "https://evil.example" };
    expect((await server.ask("POST", note, { headers: foreign, body })).status).toBe(403);
  });

  test("says the day of its last use, and logs it once a day", async () => {
    const token = await makeToken(server, cookie, "read");
    const records = server.engine.health().records;
    const many = Array.from({ length: 20 }, () => statusWith(token));
    expect(new Set(await Promise.all(many))).toEqual(new Set([200]));
    const usedMs = server.engine.nowMs();
    server.clock.advance(1_000);
    await statusWith(token);
    expect(server.engine.health().records).toBe(records + 1);
    expect(await listed()).toEqual([expect.objectContaining({ dateUsed: Math.floor(usedMs / 1_000) })]);
    server.clock.advance(dayMs);
    await statusWith(token);
    await statusWith(token);
    expect(server.engine.health().records).toBe(records + 2);
    // One without the scope was used, too: somebody has it.
    await server.ask("POST", "/websites", { headers: token.headers, body: {} });
    expect(await listed()).toEqual([
      expect.objectContaining({ dateUsed: Math.floor(server.engine.nowMs() / 1_000) }),
    ]);
  });
});

describe("a token ends", () => {
  test("when it is revoked, by its own account alone", async () => {
    const token = await makeToken(server, cookie, "read");
    const other = await joinAs(server, cookie, "owner");
    const revoke = async (as: string, id = token.id) =>
      (await server.ask("DELETE", `/user/tokens/${id}`, { cookie: as })).status;
    expect(await revoke(other)).toBe(404);
    expect(await statusWith(token)).toBe(200);
    expect(await revoke(cookie)).toBe(204);
    expect(await statusWith(token)).toBe(401);
    expect(await revoke(cookie)).toBe(404);
    expect(await listed()).toEqual([]);
  });

  test("with its website, with the account's place there, and with its account", async () => {
    const member = await joinAs(server, cookie, "viewer", "mary");
    const ofOne = await makeToken(server, member, "read", "example.com");
    const ofAll = await makeToken(server, member, "read");
    await server.ask("DELETE", "/website/example.com/members/mary", { cookie });
    expect([await statusWith(ofOne), await statusWith(ofAll)]).toEqual([401, 404]);
    const own = await makeToken(server, cookie, "read", "example.com");
    await server.ask("DELETE", "/websites/example.com", { cookie });
    expect([await statusWith(own), await listed()]).toEqual([401, []]);
    await server.ask("DELETE", "/user", { cookie: member });
    expect(await statusWith(ofAll)).toBe(401);
  });

  test("and with it its streams, at once", async () => {
    const token = await makeToken(server, cookie, "read");
    const { headers } = token;
    const response = await server.ask("GET", "/website/example.com/live", { headers });
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    expect((await reader.read()).done).toBe(false);
    await server.ask("DELETE", `/user/tokens/${token.id}`, { cookie });
    while (!(await reader.read()).done);
  });

  test("and not with the server: after a restart it is what it was", async () => {
    const token = await makeToken(server, cookie, "read", "example.com");
    const gone = await makeToken(server, cookie, "admin");
    await statusWith(token);
    await server.ask("DELETE", `/user/tokens/${gone.id}`, { cookie });
    const before = await listed();
    await server.engine.stop();
    server = await TestServer.open({ disk });
    expect([await statusWith(token), await statusWith(gone)]).toEqual([200, 401]);
    expect(await listed()).toEqual(before);
  });
});

test("a demo makes no tokens", async () => {
  const demo = await TestServer.open({ demo: true });
  const own = await demo.prepare();
  const asked = { cookie: own, body: { name: "a", scope: "read" } };
  expect((await demo.ask("POST", "/user/tokens", asked)).status).toBe(403);
  expect((await demo.ask("DELETE", "/user/tokens/1", { cookie: own })).status).toBe(403);
});

test("the metrics are for admin tokens of the oldest account, of all of its websites", async () => {
  const own = await TestServer.open({ metricsToken: "secret" });
  const owner = await own.prepare();
  const later = await joinAs(own, owner, "owner");
  const ask = async (headers: Readonly<Record<string, string>>) =>
    (await own.ask("GET", "/metrics", { headers })).status;
  expect(await ask((await makeToken(own, owner, "admin")).headers)).toBe(200);
  expect(await ask((await makeToken(own, owner, "admin", "example.com")).headers)).toBe(403);
  expect(await ask((await makeToken(own, owner, "read")).headers)).toBe(403);
  expect(await ask((await makeToken(own, later, "admin")).headers)).toBe(403);
  expect(await ask({ authorization: "Bearer footfall_wrong" })).toBe(401);
  expect(await ask({ authorization: "Bearer secret" })).toBe(200);
});
