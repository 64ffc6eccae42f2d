/** Guessing passwords is slowed down, and keeps nobody out. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deviceLifetimeMs } from "../../src/accounts/login/device.ts";
import { waitingOfMemberMax } from "../../src/accounts/login/check-queue.ts";
import { credentials, messageIn, TestServer, tokenOf } from "../support/http.ts";
import { LoginFlood } from "../support/login-flood.ts";
import { until } from "../support/until.ts";

const wrong = { username: "ada", password: "wrong horse" };

function deviceOf(response: Response): string {
  const [device] = response.headers.getSetCookie().filter((text) => text.startsWith("_me_device="));
  return device?.split(";", 1)[0] ?? "";
}

describe("throttling", () => {
  async function failTenTimes(server: TestServer, forwardedFor: string) {
    const headers = { "x-forwarded-for": forwardedFor };
    for (let attempt = 0; attempt < 10; attempt++)
      await server.ask("POST", "/auth/login", { body: wrong, headers });
    return (headers: Record<string, string>) =>
      server.ask("POST", "/auth/login", { body: credentials, headers });
  }

  test("is by the address that a trusted proxy names, with Retry-After; after the wait one gets in", async () => {
    const server = await TestServer.open({ hashesSlowly: true });
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
    const server = await TestServer.open({ peer: "198.51.100.1", hashesSlowly: true });
    await server.prepare();
    const logIn = await failTenTimes(server, "203.0.113.9");
    expect((await logIn({ "x-forwarded-for": "203.0.113.10" })).headers.has("retry-after")).toBe(true);
  });
});

test("passwords of new links wait in the same line, few of one session at a time", async () => {
  const server = await TestServer.open({ hashesSlowly: true });
  const cookie = await server.prepare();
  const make = (at: number) =>
    server.ask("POST", "/website/example.com/links", {
      cookie,
      body: { name: `link ${at}`, password: "open sesame" },
    });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => make(at)));
  const refused = answers.filter(({ status }) => status !== 201);
  // One is hashed at once. Others wait as those of a session, or of a stranger.
  expect(answers.length - refused.length).toBeLessThanOrEqual(2 * waitingOfMemberMax + 1);
  for (const answer of refused)
    expect([answer.status, answer.headers.get("retry-after"), await messageIn(answer)]).toEqual([
      500,
      "1",
      "too many password checks at once, try again in 1 s",
    ]);
  expect((await make(40)).status).toBe(201);
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
    const messages = await Promise.all((await Promise.all(strangers)).map(messageIn));
    return {
      owner: status,
      checked: messages.filter((text) => text === "username or password is wrong").length,
    };
  }

  test.each<[string, (at: number) => string, string]>([
    ["an IPv4 address", () => "203.0.113.9", "203.0.113.10"],
    ["an IPv6 network of 64 bits", (at) => `2001:db8:0:1::${at}`, "2001:db8:0:2::1"],
  ])("from %s leaves the owner a place", async (_, from, owner) => {
    const server = await TestServer.open({ hashesSlowly: true });
    await server.prepare();
    expect(await flood(server, from, owner)).toEqual({ owner: 200, checked: 1 + waitingOfMemberMax });
  });

  test("cannot make up addresses where no proxy is trusted", async () => {
    const server = await TestServer.open({ peer: "198.51.100.1", hashesSlowly: true });
    await server.prepare();
    const answered = await flood(server, (at) => `203.0.113.${at}`, "203.0.113.200");
    expect(answered).toEqual({ owner: 401, checked: 1 + waitingOfMemberMax });
    expect(await server.logIn()).not.toBe("");
  });
});

describe("while wrong logins come from many networks", () => {
  let server: TestServer;
  let cookie: string;
  let device: string;
  let flood: LoginFlood;
  beforeAll(async () => {
    server = await TestServer.open({ hashesSlowly: true });
    cookie = await server.prepare();
    device = deviceOf(await server.ask("POST", "/auth/login", { body: credentials }));
    const send = (body: object, address: string) =>
      server.ask("POST", "/auth/login", { body, headers: { "x-forwarded-for": address } });
    flood = new LoginFlood(send, { atOnce: 24, networks: 32 });
    await until(() => flood.checked > 40, "every network had a turn");
  });
  afterAll(() => flood.stop());

  /**
   * How many others were served until the answer came, of 24 that waited: one that had begun, one each time it was a
   * stranger's turn, and, on a busy machine, some while the session was logged.
   */
  async function served(asked: () => Promise<Response>): Promise<{ status: number; others: number }> {
    const before = flood.checked;
    const { status } = await asked();
    return { status, others: flood.checked - before };
  }

  const logIn = (headers: Readonly<Record<string, string>>) =>
    server.ask("POST", "/auth/login", { body: credentials, headers });

  test("the owner gets in by the device of an earlier login, from one of these networks too", async () => {
    const headers = { cookie: `_me_device=tossed; ${device}`, "x-forwarded-for": "10.0.0.1" };
    const { status, others } = await served(() => logIn(headers));
    expect(status).toBe(200);
    expect(others).toBeLessThan(8);
  });

  test("by a session", async () => {
    const headers = { cookie: `_me_sess=${cookie}`, "x-forwarded-for": "10.0.0.1" };
    const { status, others } = await served(async () => {
      const response = await logIn(headers);
      cookie = tokenOf(response);
      return response;
    });
    expect(status).toBe(200);
    expect(others).toBeLessThan(8);
  });

  test("and by neither, from a network of no attacker's", async () => {
    const { status, others } = await served(() => logIn({ "x-forwarded-for": "203.0.113.9" }));
    expect(status).toBe(200);
    expect(others).toBeLessThan(8);
  });

  test("and changes the password", async () => {
    const body = { password: credentials.password, current_password: credentials.password };
    const { status, others } = await served(() => server.ask("PATCH", "/user", { cookie, body }));
    expect(status).toBe(200);
    expect(others).toBeLessThan(8);
  });

  test("the wrong ones are all 401", () => {
    expect(flood.unexpected).toEqual([]);
  });
});

test("a new browser does not wait for the first turns of the networks that wrong logins come from", async () => {
  const server = await TestServer.open({ hashesSlowly: true });
  await server.prepare();
  const send = (body: object, address: string) =>
    server.ask("POST", "/auth/login", { body, headers: { "x-forwarded-for": address } });
  const flood = new LoginFlood(send, { atOnce: 24, networks: 65_536 });
  await until(() => flood.checked > 2, "it has begun");
  const before = flood.checked;
  const { status } = await send(credentials, "198.51.100.9");
  const others = flood.checked - before;
  await flood.stop();
  expect(status).toBe(200);
  expect(others).toBeLessThan(8);
});

describe("the device", () => {
  test("is not slowed down by what others do at its address, until its password changes or 180 days are over", async () => {
    const server = await TestServer.open({ hashesSlowly: true });
    await server.prepare();
    const first = await server.ask("POST", "/auth/login", { body: credentials });
    const device = deviceOf(first);
    const isKnown = async (cookie: string) => {
      for (let attempt = 0; attempt < 10; attempt++) await server.ask("POST", "/auth/login", { body: wrong });
      const response = await server.ask("POST", "/auth/login", { body: credentials, headers: { cookie } });
      server.clock.advance(60_000);
      return response.status === 200;
    };
    expect(await isKnown("")).toBe(false);
    expect(await isKnown(device)).toBe(true);
    const cookie = await server.logIn();
    const body = { password: credentials.password, current_password: credentials.password };
    const changed = await server.ask("PATCH", "/user", { cookie, body });
    expect(changed.status).toBe(200);
    expect(await isKnown(device)).toBe(false);
    expect(deviceOf(changed)).not.toBe("");
    expect(await isKnown(deviceOf(changed))).toBe(true);
    server.clock.advance(deviceLifetimeMs);
    expect(await isKnown(deviceOf(changed))).toBe(false);
  });

  test("opens nothing by itself, and is sent by no other change", async () => {
    const server = await TestServer.open({ hashesSlowly: true });
    const cookie = await server.prepare();
    const headers = { cookie: deviceOf(await server.ask("POST", "/auth/login", { body: credentials })) };
    expect((await server.ask("GET", "/user", { headers })).status).toBe(401);
    const failed = await server.ask("POST", "/auth/login", { body: wrong, headers });
    expect([failed.status, failed.headers.get("set-cookie")]).toEqual([401, null]);
    const patched = await server.ask("PATCH", "/user", { cookie, body: { settings: { language: "en" } } });
    expect(patched.headers.get("set-cookie")).toBeNull();
  });

  test("is kept nowhere", async () => {
    const server = await TestServer.open({ hashesSlowly: true });
    await server.prepare();
    const device = deviceOf(await server.ask("POST", "/auth/login", { body: credentials }));
    const state = JSON.stringify(server.engine.registry.save());
    for (const part of device.slice("_me_device=".length).split(".").slice(2))
      expect(state).not.toContain(part);
  });
});

test("400 guesses of the current password are slowed down as logins are", async () => {
  const server = await TestServer.open({ hashesSlowly: true });
  const cookie = await server.prepare();
  const guess = (at: number) =>
    server.ask("PATCH", "/user", {
      cookie,
      body: { password: "a new password", current_password: `guess ${at}` },
      headers: { "x-forwarded-for": `203.0.113.${at % 200}` },
    });
  const answers = [];
  for (let at = 0; at < 400; at++) answers.push(await guess(at));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  const slowed = answers.filter(({ headers }) => headers.has("retry-after"));
  expect(slowed).toHaveLength(390);
  expect(await messageIn(slowed[0] as Response)).toBe(
    "current_password: too many wrong passwords, try again in 2 s",
  );
  // They count at their address as well, and there alone.
  expect(await server.logIn()).not.toBe("");
});
