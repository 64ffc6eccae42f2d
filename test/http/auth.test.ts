import { beforeAll, describe, expect, test } from "bun:test";
import type { User } from "../../src/accounts/registry/registry.ts";
import { sessionStarted } from "../support/account-records.ts";
import { credentials, messageIn, TestServer, tokenOf } from "../support/http.ts";

const dayMs = 86_400_000;
const wrong = { username: "ada", password: "wrong horse" };

describe("login", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.open();
    await server.prepare();
  });

  test("sends the cookie with exactly its attributes, and the User", async () => {
    const response = await server.ask("POST", "/auth/login", { body: credentials });
    expect(response.status).toBe(200);
    const [session, device, ...others] = response.headers.getSetCookie().map((text) => text.split("; "));
    expect(others).toEqual([]);
    for (const [cookie, name, maxAge] of [
      [session, /^_me_sess=[A-Za-z0-9_-]{43}$/, 2_592_000],
      [device, /^_me_device=1\.\d+\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/, 15_552_000],
    ] as const) {
      const [token, ...attributes] = cookie ?? [];
      expect(token).toMatch(name);
      expect(attributes.toSorted()).toEqual([
        "HttpOnly",
        `Max-Age=${maxAge}`,
        "Path=/",
        "SameSite=Lax",
        "Secure",
      ]);
    }
    expect(await response.json()).toMatchObject({ username: "Ada" });
    expect((await server.ask("GET", "/user", { cookie: tokenOf(response) })).status).toBe(200);
  });

  test("is the same 401 for a wrong name and a wrong password, and 400 for wrong types", async () => {
    const answers = [wrong, { username: "nobody", password: "x" }, { username: "", password: "" }];
    for (const body of answers) {
      const response = await server.ask("POST", "/auth/login", { body });
      expect(response.status).toBe(401);
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(await messageIn(response)).toBe("username or password is wrong");
    }
    const types = await server.ask("POST", "/auth/login", { body: { username: 5, password: "x" } });
    expect(types.status).toBe(400);
  });

  test.each([
    "%zz",
    "{}",
    '{"a":1}',
    "[]",
    "[1,2]",
    "null",
    "",
    "x".repeat(5_000),
    "a b",
    "%00",
    "__proto__",
  ])("the cookie %p is no session", async (cookie) => {
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(401);
  });

  test.each(["_me_sess", "=", ";;;", "__proto__=x; _me_sess=%zz", "_me_sess={", 'a=1; a=2; _me_sess="x'])(
    "nor is the header %p",
    async (header) => {
      expect((await server.ask("GET", "/user", { headers: { cookie: header } })).status).toBe(401);
    },
  );

  test("of two cookies the valid one counts, wherever it stands: a sibling subdomain can set the other", async () => {
    const token = await server.logIn();
    const ended = await server.logIn();
    await server.ask("POST", "/auth/logout", { cookie: ended });
    for (const tossed of ["", "x", "%zz", "{}", ended])
      for (const values of [
        [tossed, token],
        [token, tossed],
        [tossed, token, tossed],
      ]) {
        const headers = { cookie: values.map((value) => `_me_sess=${value}`).join("; ") };
        expect((await server.ask("GET", "/user", { headers })).status).toBe(200);
      }
  });

  test("the valid one of two is renewed, and ended by a logout", async () => {
    const own = await TestServer.open();
    const token = await own.prepare();
    const headers = { cookie: `_me_sess=tossed; _me_sess=${token}` };
    own.clock.advance(dayMs);
    expect(tokenOf(await own.ask("GET", "/user", { headers }))).toBe(token);
    expect((await own.ask("POST", "/auth/logout", { headers })).status).toBe(204);
    expect((await own.ask("GET", "/user", { cookie: token })).status).toBe(401);
  });

  test("is found among other cookies", async () => {
    const token = await server.logIn();
    const headers = { cookie: `a={"b":1}; _me_sess=${token}; c=%zz` };
    expect((await server.ask("GET", "/user", { headers })).status).toBe(200);
  });
});

describe("sessions", () => {
  test("are renewed by use at most once a day, and end after 30 days without", async () => {
    const server = await TestServer.open();
    const cookie = await server.prepare();
    const use = () => server.ask("GET", "/user", { cookie });
    expect((await use()).headers.get("set-cookie")).toBeNull();
    server.clock.advance(dayMs);
    const renewed = await use();
    expect(tokenOf(renewed)).toBe(cookie);
    expect(renewed.headers.get("set-cookie")).toContain("Max-Age=2592000");
    expect((await use()).headers.get("set-cookie")).toBeNull();
    server.clock.advance(30 * dayMs - 1);
    expect((await use()).status).toBe(200);
    server.clock.advance(30 * dayMs);
    expect((await use()).status).toBe(401);
  });

  test.each([
    ["the twenty-first ends the one used longest ago", false, 20, 401],
    ["have no such limit in demo mode", true, 151, 200],
  ])("%s", async (_, demo, sessions, oldest) => {
    const server = await TestServer.open({ demo });
    const cookie = await server.prepare();
    server.clock.advance(1_000);
    const { engine } = server;
    const { userId } = engine.registry.oldestUser as User;
    const sessionsMax = 10_000;
    for (let n = 1; n < sessions - (demo ? 1 : 0); n++)
      await engine.commit(sessionStarted(`s${n}`, { timeMs: engine.nowMs(), userId, sessionsMax }));
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(200);
    const latest = await server.logIn();
    expect((await server.ask("GET", "/user", { cookie: latest })).status).toBe(200);
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(oldest);
    expect(engine.registry.sessions.size).toBe(sessions);
  });

  test("logging in again is another session, and ends the one before on the server", async () => {
    const server = await TestServer.open();
    const cookie = await server.prepare();
    const other = await server.logIn();
    expect((await server.ask("POST", "/auth/login", { cookie, body: wrong })).status).toBe(401);
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(200);
    const again = tokenOf(await server.ask("POST", "/auth/login", { cookie, body: credentials }));
    expect(again).not.toBe(cookie);
    for (const [token, status] of [
      [again, 200],
      [cookie, 401],
      [other, 200],
    ] as const)
      expect((await server.ask("GET", "/user", { cookie: token })).status).toBe(status);
  });

  test("logging out ends one on the server and clears the cookie", async () => {
    const server = await TestServer.open();
    const cookie = await server.prepare();
    const response = await server.ask("POST", "/auth/logout", { cookie });
    expect(response.status).toBe(204);
    expect(response.headers.get("set-cookie")).toBe(
      "_me_sess=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
    );
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(401);
    expect((await server.ask("POST", "/auth/logout", { cookie })).status).toBe(401);
  });
});

describe("set-up", () => {
  test("makes the first account with the token of the link, once", async () => {
    const server = await TestServer.open();
    const run = (body: object) => server.ask("POST", "/setup", { body });
    const { token } = server.setUp;
    expect((await run({ token: "guess", ...credentials })).status).toBe(401);
    expect((await run({ token, ...credentials, password: "short" })).status).toBe(400);
    const made = await run({ token, ...credentials });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ username: "Ada", settings: { language: "en" } });
    expect((await run({ token, ...credentials })).status).toBe(409);
    expect(await server.logIn()).not.toBe("");
  });
});
