/** The second factor of an account: how it comes and goes, what it asks of logins, and how often its codes may be guessed. */
import { beforeEach, describe, expect, test } from "bun:test";
import { codeAt } from "../../src/accounts/login/totp.ts";
import { sameSecret } from "../../src/accounts/token.ts";
import { silentLogger, type Logger } from "../../src/lib/log.ts";
import { changePassword } from "../../src/engine/admin/account/users.ts";
import { takeSecondFactor } from "../../src/engine/admin/account/second-factor.ts";
import { userChanged } from "../support/account-records.ts";
import { seededRandom } from "../support/clock.ts";
import { credentials, TestServer, tokenOf, type Asked } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { makeToken } from "../support/tokens.ts";

const path = "/user/second-factor";
const current_password = credentials.password;
const stepMs = 30_000;

let lines: [level: string, text: string, fields: unknown][];
const note =
  (level: string) =>
  (text: string, fields: unknown = {}) =>
    void lines.push([level, text, fields]);
const logger: Logger = { ...silentLogger, warn: note("warn"), error: note("error") };

let disk: MemoryDisk;
let server: TestServer;
let cookie: string;
beforeEach(async () => {
  lines = [];
  disk = new MemoryDisk();
  server = await TestServer.open({ disk, logger });
  cookie = await server.prepare();
});

async function ask(method: string, at: string, asked: Asked = {}) {
  const response = await server.ask(method, at, { cookie, ...asked });
  const value = (await response.json()) as Record<string, unknown>;
  const { message } = (value["error"] ?? {}) as { message?: string };
  return { response, status: response.status, value, message };
}

interface Offer {
  secret: string;
  url: string;
  qr: { size: number; path: string };
}

async function offer(headers = {}): Promise<Offer> {
  const { status, value } = await ask("POST", `${path}/offer`, { body: { current_password }, headers });
  expect(status).toBe(200);
  return value as unknown as Offer;
}

const codeOf = (secret: string, steps = 0) => codeAt(secret, server.engine.nowMs() + steps * stepMs);

/** A code that is right at no time around now. */
function wrongCodeOf(secret: string): string {
  const right = [-1, 0, 1].map((steps) => codeOf(secret, steps));
  return ["000000", "111111", "222222", "333333"].find((code) => !right.includes(code))!;
}

async function switchOn(): Promise<string> {
  const { secret } = await offer();
  const { status, value } = await ask("POST", path, {
    body: { current_password, secret, code: codeOf(secret) },
  });
  expect([status, value["second_factor"]]).toEqual([200, true]);
  server.clock.advance(stepMs);
  return secret;
}

async function logIn(code?: string, headers: Record<string, string> = {}) {
  const response = await server.ask("POST", "/auth/login", {
    body: { ...credentials, ...(code !== undefined && { code }) },
    headers,
  });
  const { error } = (await response.clone().json()) as { error?: { code: number; message: string } };
  return { status: response.status, message: error?.message, response, error };
}

/** The header with the device cookie that an answer sets. */
function deviceOf(response: Response): Record<string, string> {
  const [device = ""] = response.headers.getSetCookie().filter((text) => text.startsWith("_me_device="));
  return { cookie: device.split(";", 1)[0]! };
}

describe("switching it on", () => {
  test("offers a secret, as text, as a link for an app, and as a QR code, and keeps nothing of it", async () => {
    const before = JSON.stringify(server.engine.registry.save());
    const { secret, url, qr } = await offer({ origin: "http://localhost" });
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(url).toBe(`otpauth://totp/Footfall:Ada%40localhost?secret=${secret}&issuer=Footfall`);
    expect(qr.path).toMatch(/^(M\d+ \d+h\d+v1h-\d+z)+$/);
    expect(qr.path).toStartWith("M4 4h7v1h-7z");
    expect((await offer()).url).toStartWith("otpauth://totp/Footfall:Ada?secret=");
    expect((await offer()).secret).not.toBe(secret);
    expect(JSON.stringify(server.engine.registry.save())).toBe(before);
  });

  test("needs the current password each time", async () => {
    const { secret } = await offer();
    const code = codeOf(secret);
    for (const wrong of [undefined, "", "wrong horse"])
      for (const [at, body] of [
        [`${path}/offer`, {}],
        [path, { secret, code }],
      ] as const) {
        const answer = await ask("POST", at, { body: { ...body, current_password: wrong } });
        expect(answer.status).toBe(400);
        expect(answer.message).toBe("current_password: expected the current password of the account");
      }
    expect((await ask("GET", "/user")).value).not.toHaveProperty("second_factor");
  });

  test.each([
    ["a wrong code", { code: "12345" }, /^code: this code is wrong/],
    ["no code", { code: null }, /^code: expected a string/],
    ["no secret", { secret: null }, /^secret: expected a string/],
    ["another secret", { secret: "a".repeat(32) }, /^secret: expected the one that was offered$/],
    ["a short secret", { secret: "A".repeat(31) }, /^secret: expected the one that was offered$/],
  ])("needs a right code of the secret: %s is refused", async (_, more, message) => {
    const { secret } = await offer();
    const body = { current_password, secret, code: codeOf(secret), ...more };
    const answer = await ask("POST", path, { body });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(message);
    expect((await ask("GET", "/user")).value).not.toHaveProperty("second_factor");
    expect((await logIn()).status).toBe(200);
  });

  test("ends all other sessions; tokens and links go on", async () => {
    const other = await server.logIn();
    const opening = [await makeToken(server, cookie, "read"), await makeLink(server, cookie)];
    await switchOn();
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(200);
    expect((await server.ask("GET", "/user", { cookie: other })).status).toBe(401);
    for (const { headers } of opening)
      expect((await server.ask("GET", "/website/example.com/summary", { headers })).status).toBe(200);
  });

  test("changes nothing for a session that the owner ends at the same time, by another password", async () => {
    const { engine } = server;
    const [keepSessionId = ""] = engine.registry.sessions.keys();
    const stolen = await server.logIn();
    const { secret } = await offer();
    const commit = engine.commit.bind(engine);
    engine.commit = async (record) => {
      const passwordHash = "of another password";
      if (record.kind !== "secondFactorChanged") return commit(record);
      const timeMs = engine.nowMs();
      const changed = commit(userChanged(1, { timeMs, passwordHash, keepSessionId }));
      return (await Promise.all([changed, commit(record)]))[1];
    };
    const body = { current_password, secret, code: codeOf(secret) };
    const answer = await ask("POST", path, { cookie: stolen, body });
    expect([answer.status, answer.message]).toEqual([401, "this session has ended: log in again"]);
    expect(engine.registry.users.get(1)).not.toHaveProperty("secondFactor");
  });

  test("works once: whoever has one switches it off first", async () => {
    const secret = await switchOn();
    for (const [at, body] of [
      [`${path}/offer`, { current_password }],
      [path, { current_password, secret, code: codeOf(secret) }],
    ] as const) {
      const answer = await ask("POST", at, { body });
      expect([answer.status, answer.message]).toEqual([409, "the second factor is on already"]);
    }
  });

  test("is no matter of API tokens, and of nobody in demo mode", async () => {
    const { headers } = await makeToken(server, cookie, "admin");
    expect((await server.ask("POST", `${path}/offer`, { headers, body: { current_password } })).status).toBe(
      403,
    );
    server = await TestServer.open({ demo: true });
    cookie = await server.prepare();
    for (const at of [`${path}/offer`, path, `${path}/remove`]) {
      const body = { current_password, secret: "A".repeat(32), code: codeOf("A".repeat(32)) };
      expect((await ask("POST", at, { body })).status).toBe(403);
    }
  });
});

describe("a login", () => {
  test("needs a code after a right password, and says so by the field; a wrong password is as ever", async () => {
    const secret = await switchOn();
    const missing = await logIn();
    expect(missing.error).toEqual({ code: 401, message: "code: expected the code of the second factor" });
    expect(missing.response.headers.getSetCookie()).toEqual([]);
    expect((await logIn("")).message).toBe(missing.message);
    for (const more of [{}, { code: codeOf(secret) }]) {
      const body = { ...credentials, password: "wrong horse", ...more };
      const answer = await ask("POST", "/auth/login", { body });
      expect([answer.status, answer.message]).toEqual([401, "username or password is wrong"]);
    }
    const code = codeOf(secret);
    const { status, response } = await logIn(`${code.slice(0, 3)} ${code.slice(3)}`);
    expect(status).toBe(200);
    expect((await server.ask("GET", "/user", { cookie: tokenOf(response) })).status).toBe(200);
    expect(lines).toEqual([]);
  });

  test("with a wrong type of code is a 400, also without a second factor; any code is passed over then", async () => {
    const body = { ...credentials, code: 123456 };
    expect((await ask("POST", "/auth/login", { body })).message).toBe(
      "code: expected a string, got a number",
    );
    expect((await logIn("123456")).status).toBe(200);
  });

  test("takes a code of one step before and after, and none further away", async () => {
    const secret = await switchOn();
    server.clock.advance(10 * stepMs);
    expect((await logIn(codeOf(secret, -2))).status).toBe(401);
    expect((await logIn(codeOf(secret, 2))).status).toBe(401);
    expect((await logIn(codeOf(secret, -1))).status).toBe(200);
    expect((await logIn(codeOf(secret, 1))).status).toBe(200);
  });

  test("takes a code once, also the one that switched it on, and none from before it", async () => {
    const { secret } = await offer();
    const first = codeOf(secret);
    await ask("POST", path, { body: { current_password, secret, code: first } });
    expect((await logIn(first)).status).toBe(401);
    server.clock.advance(stepMs);
    const code = codeOf(secret);
    expect((await logIn(code)).status).toBe(200);
    const again = await logIn(code);
    expect([again.status, again.message]).toEqual([
      401,
      "code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server",
    ]);
    expect((await logIn(codeOf(secret, -1))).status).toBe(401);
    expect((await logIn(codeOf(secret, 1))).status).toBe(200);
  });

  test("takes it once of several at the same time", async () => {
    const code = codeOf(await switchOn());
    const answers = await Promise.all([logIn(code), logIn(code), logIn(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(server.engine.registry.sessions.size).toBe(2);
  });

  test.each(["a clean stop", "a failure of the power"])("takes it once, also after %s", async (how) => {
    const secret = await switchOn();
    const code = codeOf(secret);
    expect((await logIn(code)).status).toBe(200);
    if (how === "a clean stop") await server.engine.stop();
    // Chance goes on, or ids of sessions came again.
    server = await TestServer.open({ disk, clock: server.clock, engine: { random: seededRandom(2) } });
    expect((await logIn(code)).status).toBe(401);
    server.clock.advance(stepMs);
    expect((await logIn(codeOf(secret))).status).toBe(200);
  });

  test("with a right password and a wrong code is in the log: somebody knows the password", async () => {
    const secret = await switchOn();
    const { status, message } = await logIn(wrongCodeOf(secret));
    expect([status, message]).toEqual([
      401,
      "code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server",
    ]);
    expect(lines).toEqual([
      ["warn", "somebody gave the right password of an account and a wrong code", { username: "Ada" }],
    ]);
  });

  test("goes on with the same second factor after another password", async () => {
    const secret = await switchOn();
    const password = "a new password";
    expect((await ask("PATCH", "/user", { body: { password, current_password } })).value).toMatchObject({
      second_factor: true,
    });
    const body = { ...credentials, password };
    expect((await ask("POST", "/auth/login", { body })).message).toStartWith("code: ");
    expect((await ask("POST", "/auth/login", { body: { ...body, code: codeOf(secret) } })).status).toBe(200);
  });
});

describe("guessing codes", () => {
  const tooMany = /^code: too many wrong codes, try again in \d+ minutes$/;
  const fail = async (times: number, secret: string, headers = {}) => {
    for (let time = 0; time < times; time++)
      expect((await logIn(wrongCodeOf(secret), headers)).message).toStartWith("code: this code is wrong");
  };

  test("is bounded by account, from whatever addresses, and the right code waits too", async () => {
    const secret = await switchOn();
    for (let time = 0; time < 10; time++) await fail(1, secret, { "x-forwarded-for": `203.0.113.${time}` });
    const refused = await logIn(codeOf(secret));
    expect(refused.status).toBe(401);
    expect(refused.message).toMatch(tooMany);
    expect(refused.response.headers.get("retry-after")).toBe("3600");
    expect(refused.message).toEndWith(" 60 minutes");
    // A code that is refused is not counted, and does not fill the log.
    expect(lines).toHaveLength(10);
    server.clock.advance(3_600_000 - 121_000);
    expect((await logIn(codeOf(secret))).message).toEndWith(" 3 minutes");
    server.clock.advance(1_000);
    expect((await logIn(codeOf(secret))).message).toEndWith(" 120 s");
    server.clock.advance(120_000);
    expect((await logIn(codeOf(secret))).status).toBe(200);
  });

  test("keeps nobody out who has logged in before: that browser has a bound of its own", async () => {
    const secret = await switchOn();
    const { response } = await logIn(codeOf(secret));
    const device = deviceOf(response);
    server.clock.advance(stepMs);
    await fail(10, secret);
    expect((await logIn(codeOf(secret))).message).toMatch(tooMany);
    expect((await logIn(codeOf(secret), device)).status).toBe(200);
    await fail(10, secret, device);
    expect((await logIn(codeOf(secret), device)).message).toMatch(tooMany);
  });

  test("has no bound of its own for a browser that logged in before it was on: others may have known the password", async () => {
    const { response } = await logIn();
    const secret = await switchOn();
    await fail(10, secret);
    expect((await logIn(codeOf(secret), deviceOf(response))).message).toMatch(tooMany);
  });

  test("has one for the browser that switched it on", async () => {
    const { secret } = await offer();
    const body = { current_password, secret, code: codeOf(secret) };
    const device = deviceOf(await server.ask("POST", path, { cookie, body }));
    server.clock.advance(stepMs);
    await fail(10, secret);
    expect((await logIn(codeOf(secret), device)).status).toBe(200);
  });
});

describe("guessing codes with the password and a session", () => {
  test("gets no more of them by the devices that the same password brings, set again and again", async () => {
    const secret = await switchOn();
    const change = async () => {
      const body = { password: current_password, current_password };
      return deviceOf(await server.ask("PATCH", "/user", { cookie, body }));
    };
    for (let time = 0; time < 10; time++)
      expect((await logIn(wrongCodeOf(secret), await change())).message).toMatch(/^code: this code is wrong/);
    const { status, message } = await logIn(codeOf(secret), await change());
    expect([status, message]).toEqual([401, expect.stringMatching(/^code: too many wrong codes/)]);
    // The session itself has no others.
    const body = { current_password, code: codeOf(secret) };
    expect((await ask("POST", `${path}/remove`, { body })).message).toMatch(/^code: too many wrong codes/);
  });

  test.each(["the settings", "a command"])("is ended by another password, set by %s", async (how) => {
    const { engine } = server;
    const secret = await switchOn();
    for (let time = 0; time < 10; time++) await logIn(wrongCodeOf(secret));
    const password = "another password";
    const send = (code: string, headers = {}) =>
      server.ask("POST", "/auth/login", { body: { ...credentials, password, code }, headers });
    if (how === "the settings") {
      const response = await server.ask("PATCH", "/user", { cookie, body: { password, current_password } });
      expect((await send(codeOf(secret), deviceOf(response))).status).toBe(200);
      return;
    }
    await changePassword(engine, { username: credentials.username, password });
    expect((await send(codeOf(secret))).status).toBe(401);
    await takeSecondFactor(engine, engine.registry.users.get(1)!);
    expect((await send("")).status).toBe(200);
  });
});

describe("switching it off", () => {
  test("needs the current password and a code, and then a login needs none", async () => {
    const secret = await switchOn();
    const remove = (body: object) => ask("POST", `${path}/remove`, { body });
    const code = codeOf(secret);
    expect((await remove({ code })).message).toStartWith("current_password: ");
    expect((await remove({ current_password })).message).toBe("code: expected the code of the second factor");
    const wrong = await remove({ current_password, code: wrongCodeOf(secret) });
    expect([wrong.status, wrong.message]).toEqual([
      400,
      "code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server",
    ]);
    expect(lines).toHaveLength(1);
    const other = tokenOf((await logIn(code)).response);
    // That login has used it.
    expect((await remove({ current_password, code })).status).toBe(400);
    const { status, value, response } = await remove({ current_password, code: codeOf(secret, 1) });
    expect(status).toBe(200);
    expect(value).not.toHaveProperty("second_factor");
    expect(deviceOf(response)).not.toEqual({ cookie: "" });
    expect((await server.ask("GET", "/user", { cookie: other })).status).toBe(200);
    expect((await logIn()).status).toBe(200);
    const gone = await remove({ current_password, code });
    expect([gone.status, gone.message]).toEqual([409, "there is no second factor"]);
  });

  test("is bounded as logins are: a stolen session guesses no more than ten codes", async () => {
    const secret = await switchOn();
    const remove = (code: string) => ask("POST", `${path}/remove`, { body: { current_password, code } });
    for (let time = 0; time < 10; time++) expect((await remove(wrongCodeOf(secret))).status).toBe(400);
    const { status, message, response } = await remove(codeOf(secret));
    expect(status).toBe(400);
    expect(message).toMatch(/^code: too many wrong codes/);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(3_000);
    expect((await logIn(codeOf(secret))).status).toBe(200);
  });

  test("makes way for another one, of which no code of before is right", async () => {
    const first = await switchOn();
    await ask("POST", `${path}/remove`, { body: { current_password, code: codeOf(first) } });
    const second = await switchOn();
    expect(sameSecret(first, second)).toBe(false);
    expect((await logIn(codeOf(first))).status).toBe(401);
    expect((await logIn(codeOf(second))).status).toBe(200);
  });
});
