import { beforeEach, describe, expect, test } from "bun:test";
import { sessionLifetimeMs } from "../../../src/accounts/account.ts";
import { waitingMax, waitingOfMemberMax } from "../../../src/accounts/login/check-queue.ts";
import { PasswordGuard } from "../../../src/accounts/login/password-guard.ts";
import { passwordQueue } from "../../../src/accounts/login/password.ts";
import {
  authenticate,
  endSession,
  login,
  logout,
  renewSession,
  type Authenticated,
  type Client,
} from "../../../src/engine/admin/account/sessions.ts";
import { changePassword } from "../../../src/engine/admin/account/users.ts";
import { type Caller } from "../../../src/engine/admin/caller.ts";
import { secondFactorChanged, userChanged } from "../../support/account-records.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { addPerson, password } from "../../support/people.ts";
import { refusalOf } from "../../support/refusals.ts";

const client: Client = {
  address: "192.0.2.1",
  network: "192.0.2",
  browser: "Firefox",
  os: "Linux",
  known: [],
};
const dayMs = 86_400_000;
let engine: InstantEngine;
let guard: PasswordGuard;
let ada: Caller;
let bob: Caller;

beforeEach(async () => {
  engine = new InstantEngine();
  guard = new PasswordGuard(engine.clock);
  ada = await addPerson(engine, "ada");
  bob = await addPerson(engine, "bob");
});

function logIn(username: unknown = "ada", secret: unknown = password, from = client) {
  return login(engine, guard, { username, password: secret }, from);
}

/** Logs in with a wrong password, one time after the other. */
async function failLogins(times: number, from = client): Promise<void> {
  for (let time = 0; time < times; time++) await refusalOf(() => logIn("ada", "wrong horse", from));
}

async function authenticated(): Promise<Authenticated> {
  const { token } = await logIn();
  const result = authenticate(engine, token);
  if (result === undefined) throw new Error("a new token is known");
  return result;
}

describe("login", () => {
  test("gives a token that is known from then on", async () => {
    const { user, token } = await logIn("ADA");
    expect(user.username).toBe("ada");
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(authenticate(engine, token)).toMatchObject({
      user,
      session: { userId: ada.userId, browser: "Firefox", os: "Linux", createdMs: engine.nowMs() },
    });
  });

  test("each login is a session of its own", async () => {
    const tokens = [await logIn(), await logIn()].map(({ token }) => token);
    const ids = tokens.map((token) => authenticate(engine, token)?.session.sessionId);
    expect(new Set(ids).size).toBe(2);
  });

  test("neither token, nor password, nor address gets into the log", async () => {
    const { token } = await logIn();
    const logged = JSON.stringify(engine.committed);
    for (const secret of [token, password, client.address]) expect(logged).not.toContain(secret);
  });

  test.each([
    ["ada", "wrong horse"],
    ["ada", ""],
    ["ada", "x".repeat(1_000)],
    ["nobody", password],
    ["", ""],
    ["a\0", "\ud800"],
    ["__proto__", password],
  ])("%j with %j is the same 401", async (username, secret) => {
    const { code, message, retryAfterS } = await refusalOf(() => logIn(username, secret));
    expect([code, message]).toEqual([401, "username or password is wrong"]);
    expect(retryAfterS).toBeUndefined();
    expect(engine.registry.sessions.size).toBe(2);
  });

  test.each([
    [null, "body"],
    [{ password }, "username"],
    [{ username: "ada", password: null }, "password"],
    [{ username: ["ada"], password }, "username"],
    [{ username: "ada", password: {} }, "password"],
  ])("wrong types are 400: %j", async (body, field) => {
    const { code, message } = await refusalOf(() => login(engine, guard, body, client));
    expect(code).toBe(400);
    expect(message).toStartWith(`${field}: expected`);
  });

  test("after ten failures one has to wait, even with the right password; then it works", async () => {
    await failLogins(10);
    const { code, message, retryAfterS } = await refusalOf(() => logIn());
    expect([code, message]).toEqual([401, "too many wrong passwords, try again in 2 s"]);
    expect((await refusalOf(() => logIn("ADA"))).retryAfterS).toBe(2);
    await logIn("ada", password, { ...client, address: "192.0.2.2" });
    await logIn("bob");
    engine.clock.advance((retryAfterS as number) * 1_000);
    await logIn();
    await failLogins(1);
    expect((await logIn()).user.username).toBe("ada");
  });

  test("a network of very many addresses gets no further than a hundred, and slows down nobody outside or known", async () => {
    const at = (place: number): Client => ({
      ...client,
      network: "2001:db8",
      address: `2001:db8:0:${place}`,
    });
    for (let place = 0; place < 99; place++) await failLogins(1, at(place));
    await failLogins(1, at(99));
    expect((await refusalOf(() => logIn("ada", password, at(100)))).retryAfterS).toBe(2);
    await logIn("bob", password, at(100));
    await logIn("ada");
    await logIn("ada", password, { ...at(100), known: [{ userId: ada.userId, id: "device" }] });
  });

  test("a burst gets no further than single tries: the eleventh is not checked", async () => {
    await failLogins(9);
    const burst = Array.from({ length: 2 }, () => refusalOf(() => logIn("ada", "wrong horse")));
    const waits = (await Promise.all(burst)).map(({ retryAfterS }) => retryAfterS);
    expect(waits).toEqual([undefined, 2]);
  });

  test("a flood of names from one address only refuses itself", async () => {
    const flood = Array.from({ length: 64 }, (_, at) => refusalOf(() => logIn(`nobody${at}`)));
    const owner = logIn("ada", password, { ...client, address: "192.0.2.2" });
    const refusals = (await Promise.all(flood)).map(({ code, retryAfterS }) => [code, retryAfterS]);
    // One is at work, and so many wait.
    expect(refusals).toEqual([
      ...Array(1 + waitingOfMemberMax).fill([401, undefined]),
      ...Array(63 - waitingOfMemberMax).fill([401, 1]),
    ]);
    expect((await owner).user.username).toBe("ada");
    expect((await logIn()).user.username).toBe("ada");
  });

  test("who has to wait for failed logins takes no place from others", async () => {
    await failLogins(10);
    const refused = Array.from({ length: 5 }, () => refusalOf(() => logIn()));
    const other = logIn("bob");
    expect((await Promise.all(refused)).map(({ retryAfterS }) => retryAfterS)).toEqual(Array(5).fill(2));
    expect((await other).user.username).toBe("bob");
  });

  test("what would wait behind too many others is sent away, but not who is known", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = () => promise;
    const busy = Array.from({ length: waitingMax + 1 }, (_, at) =>
      passwordQueue.runFor({ address: `${at}`, network: `${at}` }, work),
    );
    const { code, message, retryAfterS } = await refusalOf(() => logIn());
    expect([code, retryAfterS]).toEqual([401, 1]);
    expect(message).toBe("too many password checks at once, try again in 1 s");
    const known = logIn("ada", password, { ...client, known: [{ userId: ada.userId, id: "device" }] });
    resolve();
    await Promise.all([...busy, known]);
    expect((await logIn()).user.username).toBe("ada");
  });

  test("who is known does not wait for the failures of others at the address, only for the own", async () => {
    await failLogins(10);
    const known = [{ userId: ada.userId, id: "device" }];
    await logIn("ada", password, { ...client, known });
    await failLogins(10, { ...client, known });
    expect((await refusalOf(() => logIn("ada", password, { ...client, known }))).retryAfterS).toBe(2);
    const other = [{ userId: ada.userId, id: "another device" }];
    await logIn("ada", password, { ...client, known: other });
  });

  test("is known for the own account only", async () => {
    await failLogins(10);
    const known = [{ userId: bob.userId, id: "device" }];
    expect((await refusalOf(() => logIn("ada", password, { ...client, known }))).retryAfterS).toBe(2);
  });

  test("a password that is changed meanwhile leaves no session behind", async () => {
    const commit = engine.commit.bind(engine);
    engine.commit = async (record) => {
      const change = userChanged(ada.userId, { passwordHash: "changed" });
      if (record.kind === "sessionStarted") await commit(change);
      return commit(record);
    };
    expect((await refusalOf(() => logIn())).message).toBe("username or password is wrong");
    expect([...engine.registry.sessions.keys()]).toEqual([bob.sessionId]);
  });

  test("a second factor that comes meanwhile leaves no session without a code behind", async () => {
    const commit = engine.commit.bind(engine);
    engine.commit = async (record) => {
      const { userId, sessionId: keepSessionId } = ada;
      const timeMs = engine.nowMs();
      const change = secondFactorChanged(userId, { timeMs, secret: "secret", keepSessionId });
      if (record.kind === "sessionStarted") await commit(change);
      return commit(record);
    };
    expect((await refusalOf(() => logIn())).message).toBe("username or password is wrong");
    expect([...engine.registry.sessions.keys()]).toEqual([ada.sessionId, bob.sessionId]);
    expect(engine.committed.map(({ kind }) => kind)).not.toContain("sessionEnded");
  });

  test("an account that is removed meanwhile is the same 401", async () => {
    const entering = logIn();
    await engine.commit({ kind: "userRemoved", timeMs: engine.nowMs(), userId: ada.userId });
    expect((await refusalOf(() => entering)).code).toBe(401);
    expect([...engine.registry.sessions.keys()]).toEqual([bob.sessionId]);
  });

  test("works in demo mode, as logout does", async () => {
    engine.demo = true;
    const { session } = await authenticated();
    await logout(engine, session);
    expect(engine.registry.sessions.has(session.sessionId)).toBe(false);
  });
});

describe("authenticate", () => {
  test.each(["", "x", "_".repeat(43), "\0", "é".repeat(1_000)])("knows nobody by %j", (token) => {
    expect(authenticate(engine, token)).toBeUndefined();
  });

  test("not by the hash that is kept", async () => {
    const { session } = await authenticated();
    expect(authenticate(engine, session.tokenHash)).toBeUndefined();
  });

  test("ends with logout, with a new password, and after thirty days", async () => {
    const tokens = [await logIn(), await logIn(), await logIn("bob")].map(({ token }) => token);
    const known = () => tokens.map((token) => authenticate(engine, token) !== undefined);
    const first = authenticate(engine, tokens[0] as string) as Authenticated;
    expect(known()).toEqual([true, true, true]);
    await logout(engine, first.session);
    expect(known()).toEqual([false, true, true]);
    await changePassword(engine, { username: "ada", password: "new password" });
    expect(known()).toEqual([false, false, true]);
    engine.clock.advance(sessionLifetimeMs);
    expect(known()).toEqual([false, false, false]);
  });
});

describe("renewSession", () => {
  test("renews once a day, by use", async () => {
    const { session } = await authenticated();
    engine.clock.advance(dayMs - 1);
    expect(await renewSession(engine, session)).toBe(false);
    engine.clock.advance(1);
    expect(await renewSession(engine, session)).toBe(true);
    const renewed = engine.registry.sessions.get(session.sessionId) as Authenticated["session"];
    expect(renewed.renewedMs).toBe(engine.nowMs());
    expect(await renewSession(engine, renewed)).toBe(false);
  });

  test("what cannot be written stops no reading", async () => {
    const { session } = await authenticated();
    engine.clock.advance(dayMs);
    engine.diskFull = true;
    expect(await renewSession(engine, session)).toBe(false);
  });

  test("a session that has just ended is not renewed", async () => {
    const { session } = await authenticated();
    engine.clock.advance(dayMs);
    await logout(engine, session);
    expect(await renewSession(engine, session)).toBe(false);
  });
});

describe("endSession", () => {
  test("ends another session of the account", async () => {
    const { session } = await authenticated();
    await endSession(engine, ada, session.sessionId);
    expect([...engine.registry.sessions.keys()]).toEqual([ada.sessionId, bob.sessionId]);
  });

  test("none and somebody else's are the same 404", async () => {
    for (const sessionId of ["none", "", bob.sessionId]) {
      const { code, message } = await refusalOf(() => endSession(engine, ada, sessionId));
      expect([code, message]).toEqual([404, `id: there is no session ${JSON.stringify(sessionId)}`]);
    }
    expect(engine.registry.sessions.has(bob.sessionId)).toBe(true);
  });

  test("is 403 in demo mode, where everybody shares an account", async () => {
    engine.demo = true;
    expect((await refusalOf(() => endSession(engine, ada, ada.sessionId))).code).toBe(403);
  });
});
