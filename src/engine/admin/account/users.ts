/** The use cases of accounts: add, change, remove. */
import { hashPassword, parsePassword } from "../../../accounts/login/password.ts";
import type { PasswordGuard } from "../../../accounts/login/password-guard.ts";
import type { User } from "../../../accounts/registry/registry.ts";
import { parseUsername } from "../../../accounts/username.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import { assert } from "../../../lib/assert.ts";
import type { Engine } from "../../engine.ts";
import { assertMayChange, goneRefusal, type Caller } from "../caller.ts";
import { commitOwners } from "../common-owner.ts";
import { commitNew } from "../commit-new.ts";
import { fieldsOf, optionalObject, optionalText, requiredText } from "../fields.ts";
import { purge } from "../purge-files.ts";
import type { RequestOrigin } from "./sessions.ts";
import { parseSettings } from "./settings.ts";

/** The guard that checks the current password, and the place that it comes from. */
export interface Guarded extends RequestOrigin {
  readonly guard: PasswordGuard;
}

/**
 * Adds an account, for the operator. Takes `{username, password}`. Throws Refusal 400; 409 for a taken name, and with
 * `firstOnly` if there is an account already.
 */
export async function addUser(engine: Engine, body: unknown, firstOnly = false): Promise<User> {
  const fields = fieldsOf(body);
  const username = parseUsername(requiredText(fields, "username"));
  const passwordHash = await hashPassword(parsePassword(requiredText(fields, "password")));
  const { registry } = engine;
  const outcome = await commitNew(
    engine,
    () => ({ kind: "userAdded", userId: registry.nextUserId, username, passwordHash, firstOnly }),
    () => registry.userByName(username) !== undefined || (firstOnly && registry.users.size > 0),
  );
  const user = registry.userByName(username);
  if (outcome === "done" && user !== undefined) return user;
  throw firstOnly ? new Refusal(409, "there is an account already") : nameTaken(username);
}

/**
 * Changes a password, for the operator, and ends every session of the account. Throws Refusal 400, and 404 for an
 * unknown name.
 */
export async function changePassword(engine: Engine, body: unknown): Promise<User> {
  const fields = fieldsOf(body);
  const username = requiredText(fields, "username");
  const password = parsePassword(requiredText(fields, "password"));
  const user = engine.registry.userByName(username);
  if (user === undefined) throw new Refusal(404, `username: there is no account ${shown(username)}`);
  return changeUser(engine, { userId: user.userId, sessionId: "" }, { password });
}

/**
 * Changes an account. Takes `{username?, password?, current_password?, settings?}`. Anybody but the operator is `guarded`
 * and needs the current password to set a new one, which ends all other sessions. Throws Refusal 400, 401, 403, and 409
 * for a taken name.
 */
export async function changeUser(
  engine: Engine,
  caller: Caller,
  body: unknown,
  guarded?: Guarded,
): Promise<User> {
  assertMayChange(engine, caller);
  const fields = fieldsOf(body);
  const name = optionalText(fields, "username");
  // A name from before a rule may be kept.
  const isOwn = name === callersUser(engine, caller).username;
  const username = name === undefined ? null : isOwn ? name : parseUsername(name);
  const newPassword = optionalText(fields, "password");
  const password = newPassword === undefined ? null : parsePassword(newPassword);
  const current = optionalText(fields, "current_password");
  const settings = parseSettings(optionalObject(fields, "settings"));
  const user = callersUser(engine, caller);
  if (password !== null && caller.sessionId !== "") await checkCurrent(engine, caller, current, guarded);
  const passwordHash = password === null ? null : await hashPassword(password);
  const change = { username, passwordHash, ...settings };
  if (Object.values(change).every((value) => value === null)) return user;
  // Hashing took time: a caller who was logged out meanwhile must not change anything.
  callersUser(engine, caller);
  const { userId, sessionId: keepSessionId } = caller;
  const outcome = await engine.commit({ kind: "userChanged", userId, keepSessionId, ...change });
  if (outcome === "taken") throw nameTaken(username ?? user.username);
  return callersUser(engine, caller);
}

/**
 * Deletes an account with its websites and sessions; resolves when no file contains them any more. Throws Refusal 400 where
 * two `www.` forms of a name would go to different accounts, or a website to one that has no room for it, 401, 403.
 */
export async function deleteUser(engine: Engine, caller: Caller): Promise<void> {
  assertMayChange(engine, caller);
  const { userId } = callersUser(engine, caller);
  await commitOwners(engine, caller, { kind: "userRemoved", timeMs: engine.nowMs(), userId }, 400);
  await purge(engine);
}

export function callersUser({ registry }: Engine, { userId, sessionId }: Caller): User {
  const user = registry.users.get(userId);
  const loggedIn =
    sessionId === "" || registry.sessions.has(sessionId) || registry.tokens.rows.has(sessionId);
  if (user === undefined || !loggedIn) throw goneRefusal();
  return user;
}

/** Throws Refusal 400 unless `current` is the password of the account. */
export async function checkCurrent(
  engine: Engine,
  caller: Caller,
  current: string | undefined,
  guarded: Guarded | undefined,
): Promise<void> {
  const { userId, sessionId } = caller;
  assert(guarded !== undefined, "whoever is not the operator is guarded");
  const { guard, address, network } = guarded;
  const right =
    current !== undefined &&
    (await guard.check({
      username: callersUser(engine, caller).username,
      password: current,
      passwordHash: () => engine.registry.users.get(userId)?.passwordHash,
      from: { address, network, known: { userId, id: sessionId } },
      refusal: (message, retryAfterS) => new Refusal(400, `current_password: ${message}`, retryAfterS),
    }));
  if (!right) throw new Refusal(400, "current_password: expected the current password of the account");
}

export function nameTaken(username: string): Refusal {
  return new Refusal(409, `username: ${shown(username)} is taken`);
}
