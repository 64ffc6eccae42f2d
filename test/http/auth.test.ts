import { beforeAll, describe, expect, test } from "bun:test";
import { credentials, TestServer, tokenOf } from "../support/http.ts";

const dayMs = 86_400_000;
const wrong = { username: "ada", password: "wrong horse" };

async function messageOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}

describe("login", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.open();
    await server.prepare();
  });

  test("sends the cookie with exactly its attributes, and the User", async () => {
    const response = await server.ask("POST", "/auth/login", { body: credentials });
    expect(response.status).toBe(200);
    const [token, ...attributes] = response.headers.getSetCookie().join("\n").split("; ");
    expect(token).toMatch(/^_me_sess=[A-Za-z0-9_-]{43}$/);
    expect(attributes.toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=2592000",
      "Path=/",
      "SameSite=Lax",
      "Secure",
    ]);
    expect(await response.json()).toMatchObject({ username: "Ada" });
    expect((await server.ask("GET", "/user", { cookie: tokenOf(response) })).status).toBe(200);
  });

  test("is the same 401 for a wrong name and a wrong password, and 400 for wrong types", async () => {
    const answers = [wrong, { username: "nobody", password: "x" }, { username: "", password: "" }];
    for (const body of answers) {
      const response = await server.ask("POST", "/auth/login", { body });
      expect(response.status).toBe(401);
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(await messageOf(response)).toBe("username or password is wrong");
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

describe("throttling", () => {
  async function failTenTimes(server: TestServer, forwardedFor: string) {
    const headers = { "x-forwarded-for": forwardedFor };
    for (let attempt = 0; attempt < 10; attempt++)
      await server.ask("POST", "/auth/login", { body: wrong, headers });
    return (headers: Record<string, string>) =>
      server.ask("POST", "/auth/login", { body: credentials, headers });
  }

  test("is by the address that a trusted proxy names, with Retry-After; after the wait one gets in", async () => {
    const server = await TestServer.open();
    await server.prepare();
    const logIn = await failTenTimes(server, "203.0.113.9");
    const throttled = await logIn({ "x-forwarded-for": "203.0.113.9" });
    expect(throttled.status).toBe(401);
    expect(Number(throttled.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await logIn({ "x-forwarded-for": "203.0.113.10" })).status).toBe(200);
    server.clock.advance(60_000);
    expect((await logIn({ "x-forwarded-for": "203.0.113.9" })).status).toBe(200);
  });

  test("is by the peer when nobody trusts it", async () => {
    const server = await TestServer.open({ peer: "198.51.100.1" });
    await server.prepare();
    const logIn = await failTenTimes(server, "203.0.113.9");
    expect((await logIn({ "x-forwarded-for": "203.0.113.10" })).headers.has("retry-after")).toBe(true);
  });
});

describe("a flood of logins", () => {
  /** Made-up names, all at once, and behind them the owner from elsewhere: the statuses, and how many were checked. */
  async function flood(server: TestServer, from: (at: number) => string, owner: string) {
    const logIn = (body: object, forwardedFor: string) =>
      server.ask("POST", "/auth/login", { body, headers: { "x-forwarded-for": forwardedFor } });
    const strangers = Array.from({ length: 40 }, (_, at) =>
      logIn({ username: `nobody${at}`, password: "wrong horse" }, from(at)),
    );
    const { status } = await logIn(credentials, owner);
    const messages = await Promise.all((await Promise.all(strangers)).map(messageOf));
    return {
      owner: status,
      checked: messages.filter((text) => text === "username or password is wrong").length,
    };
  }

  test.each<[string, (at: number) => string, string]>([
    ["an IPv4 address", () => "203.0.113.9", "203.0.113.10"],
    ["an IPv6 network of 64 bits", (at) => `2001:db8:0:1::${at}`, "2001:db8:0:2::1"],
  ])("from %s leaves the owner a place", async (_, from, owner) => {
    const server = await TestServer.open();
    await server.prepare();
    expect(await flood(server, from, owner)).toEqual({ owner: 200, checked: 2 });
  });

  test("cannot make up addresses where no proxy is trusted", async () => {
    const server = await TestServer.open({ peer: "198.51.100.1" });
    await server.prepare();
    const answered = await flood(server, (at) => `203.0.113.${at}`, "203.0.113.200");
    expect(answered).toEqual({ owner: 401, checked: 2 });
    expect(await server.logIn()).not.toBe("");
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
