import { beforeEach, describe, expect, test } from "bun:test";
import { PasswordGuard } from "../../../src/accounts/login/password-guard.ts";
import { verifyPassword } from "../../../src/accounts/login/password.ts";
import {
  addUser,
  changePassword,
  changeUser as changeUserOf,
  deleteUser,
} from "../../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import { type Caller } from "../../../src/engine/admin/caller.ts";
import { sessionStarted } from "../../support/account-records.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { addPerson, operatorFor, password } from "../../support/people.ts";
import { refusalOf } from "../../support/refusals.ts";

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

function changeUser(caller: Caller, body: unknown, address = "192.0.2.1") {
  return changeUserOf(engine, caller, body, { guard, address, network: "192.0.2" });
}

function passwordOf({ userId }: Caller, candidate: string): Promise<boolean> {
  return verifyPassword(candidate, engine.registry.users.get(userId)?.passwordHash);
}

describe("addUser", () => {
  test("adds an account with a hashed password", async () => {
    const user = await addUser(engine, { username: "Eve", password: "12345678", extra: 1 });
    expect(user).toMatchObject({ userId: 3, username: "Eve", createdMs: engine.nowMs() });
    expect(user.passwordHash).toStartWith("$argon2id$");
    expect(await verifyPassword("12345678", user.passwordHash)).toBe(true);
    expect(JSON.stringify(engine.committed)).not.toContain("12345678");
  });

  test.each([
    [null, "body"],
    [{ password }, "username"],
    [{ username: "eve" }, "password"],
    [{ username: 1, password }, "username"],
    [{ username: "eve", password: 12345678 }, "password"],
    [{ username: "ev", password }, "username"],
    [{ username: "eve", password: "1234567" }, "password"],
  ])("refuses %j with 400 and the field", async (body, field) => {
    const { code, message } = await refusalOf(() => addUser(engine, body));
    expect(code).toBe(400);
    expect(message).toStartWith(`${field}: expected`);
  });

  test("a name that differs from another in case only is 409", async () => {
    const { code, message } = await refusalOf(() => addUser(engine, { username: "ADA", password }));
    expect([code, message]).toEqual([409, 'username: "ADA" is taken']);
  });

  test("two at once get ids of their own", async () => {
    const names = ["eve", "joe"];
    const users = await Promise.all(names.map((username) => addUser(engine, { username, password })));
    expect(users.map(({ username }) => username)).toEqual(names);
    expect(new Set(users.map(({ userId }) => userId)).size).toBe(2);
  });

  test("firstOnly is 409 when there is an account", async () => {
    const { code } = await refusalOf(() => addUser(engine, { username: "eve", password }, true));
    expect(code).toBe(409);
  });
});

describe("changeUser", () => {
  test("{} and unknown fields change nothing and log nothing", async () => {
    const records = engine.committed.length;
    for (const body of [{}, { color: "red" }, { username: null, settings: null }, { settings: {} }])
      expect(await changeUser(ada, body)).toMatchObject({ username: "ada" });
    expect(engine.committed.length).toBe(records);
  });

  test("a new name needs no password and ends no session", async () => {
    engine.clock.advance(5);
    const user = await changeUser(ada, { username: "Countess" });
    expect(user).toMatchObject({ username: "Countess", updatedMs: engine.nowMs() });
    expect(engine.registry.sessions.has(ada.sessionId)).toBe(true);
  });

  test("a taken name is 409 and changes nothing of the rest", async () => {
    const body = { username: "BOB", settings: { script_type: ["hash-routes"] } };
    expect((await refusalOf(() => changeUser(ada, body))).code).toBe(409);
    expect(engine.registry.users.get(ada.userId)).toMatchObject({ username: "ada", scriptType: ["default"] });
  });

  test("settings change each for itself", async () => {
    const scriptType = ["click-events", "hash-routes"];
    expect(await changeUser(ada, { settings: { script_type: scriptType } })).toMatchObject({
      scriptType,
    });
    expect(await changeUser(ada, { settings: { language: "en" } })).toMatchObject({ scriptType });
  });

  test("a new password needs the current one, and ends the other sessions", async () => {
    await engine.commit(sessionStarted("other", { userId: ada.userId }));
    await changeUser(ada, { password: "new password", current_password: password });
    expect(await passwordOf(ada, "new password")).toBe(true);
    expect([...engine.registry.sessions.keys()]).toEqual([ada.sessionId, bob.sessionId]);
  });

  test.each([undefined, null, "", "wrong horse"])(
    "with %j for the current password it is 400",
    async (current) => {
      const body = { username: "countess", password: "new password", current_password: current };
      const { code, message } = await refusalOf(() => changeUser(ada, body));
      expect([code, message]).toEqual([
        400,
        "current_password: expected the current password of the account",
      ]);
      expect(await passwordOf(ada, password)).toBe(true);
      expect(engine.registry.users.get(ada.userId)?.username).toBe("ada");
    },
  );

  test("guessing the current password is slowed down, whatever the address and the name", async () => {
    const guess = (at: number) =>
      refusalOf(() =>
        changeUser(ada, { password: "new password", current_password: "guess" }, `192.0.2.${at}`),
      );
    for (let at = 0; at < 10; at++) expect((await guess(at)).retryAfterS).toBeUndefined();
    await changeUser(ada, { username: "countess" });
    const { code, message, retryAfterS } = await guess(11);
    expect([code, retryAfterS]).toEqual([400, 2]);
    expect(message).toBe("current_password: too many wrong passwords, try again in 2 s");
    const body = { password: "new password", current_password: password };
    expect((await refusalOf(() => changeUser(ada, body))).retryAfterS).toBe(2);
    await changeUser(bob, body);
    engine.clock.advance(2_000);
    await changeUser(ada, body);
  });

  test.each([
    [[], "body"],
    [{ username: 1 }, "username"],
    [{ username: "x" }, "username"],
    [{ password: "short", current_password: password }, "password"],
    [{ password: "new password", current_password: 1 }, "current_password"],
    [{ settings: [] }, "settings"],
    [{ settings: { language: "tlh" } }, "settings.language"],
  ])("refuses %j with 400 and the field", async (body, field) => {
    const { code, message } = await refusalOf(() => changeUser(ada, body));
    expect(code).toBe(400);
    expect(message).toStartWith(`${field}: expected`);
  });

  test("whoever was logged out while the password was hashed changes nothing", async () => {
    const body = { password: "new password", current_password: password };
    const change = changeUser(ada, body);
    await engine.commit({ kind: "sessionEnded", timeMs: engine.nowMs(), sessionId: ada.sessionId });
    expect((await refusalOf(() => change)).code).toBe(401);
    expect(await passwordOf(ada, password)).toBe(true);
  });
});

describe("changePassword", () => {
  test("needs no current one and ends every session of the account", async () => {
    await changePassword(engine, { username: "ADA", password: "new password" });
    expect(await passwordOf(ada, "new password")).toBe(true);
    expect([...engine.registry.sessions.keys()]).toEqual([bob.sessionId]);
  });

  test("an unknown name is 404, a short password 400", async () => {
    expect((await refusalOf(() => changePassword(engine, { username: "eve", password }))).code).toBe(404);
    const short = { username: "ada", password: "short" };
    expect((await refusalOf(() => changePassword(engine, short))).code).toBe(400);
  });
});

describe("deleteUser", () => {
  test("removes websites and sessions too, and then purges", async () => {
    await addWebsite(engine, ada, { hostname: "a.example" });
    await addWebsite(engine, bob, { hostname: "b.example" });
    await deleteUser(engine, ada);
    expect([...engine.registry.users.values()].map(({ username }) => username)).toEqual(["bob"]);
    expect([...engine.registry.websites.values()].map(({ hostname }) => hostname)).toEqual(["b.example"]);
    expect([...engine.registry.sessions.keys()]).toEqual([bob.sessionId]);
    expect(engine.purgedAt).toEqual([engine.committed.length]);
  });

  test("a second time is 401: the session went with it", async () => {
    await deleteUser(engine, ada);
    expect((await refusalOf(() => deleteUser(engine, ada))).code).toBe(401);
    expect(engine.purgedAt.length).toBe(1);
  });
});

test("in demo mode every change is 403, but for the operator's", async () => {
  engine.demo = true;
  for (const body of [{}, null, { username: "eve" }, { settings: { language: "en" } }])
    expect((await refusalOf(() => changeUser(ada, body))).code).toBe(403);
  expect((await refusalOf(() => deleteUser(engine, ada))).code).toBe(403);
  await changePassword(engine, { username: "ada", password: "new password" });
  expect((await addUser(engine, { username: "eve", password })).username).toBe("eve");
  await deleteUser(engine, operatorFor(ada));
  expect(engine.registry.userByName("ada")).toBeUndefined();
});
