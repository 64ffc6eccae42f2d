/** The use cases of sessions: log in, authenticate, renew, end. */
import { passwordTurns, verifyPassword } from "../../accounts/password.ts";
import type { Session, User } from "../../accounts/registry.ts";
import type { Throttle } from "../../accounts/throttle.ts";
import { hashOf, newToken } from "../../accounts/token.ts";
import { dayMs } from "../../core/hit.ts";
import { Refusal, shown } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";
import { assertMayChange, type Caller } from "./caller.ts";
import { fieldsOf, requiredText } from "./fields.ts";

/** The most passwords that may wait to be checked, which takes half a second; further logins are refused. */
export const loginsWaitingMax = 32;
/**
 * The most of these from one address, so that a flood of made-up names, which no throttle slows, only blocks itself. A
 * person needs one place for 20 ms; the second is for others who share the address.
 */
export const loginsOfAddressMax = 2;

/** The origin of a login. */
export interface Client {
  /** The place on the net that counts as one origin. It is used by the throttle and the queue, and nowhere else. */
  readonly address: string;
  /** Names as people write them, for the list of sessions. */
  readonly browser: string;
  readonly os: string;
}

export interface Login {
  readonly user: User;
  /** The secret for the cookie; it is not stored. */
  readonly token: string;
}

export interface Authenticated {
  readonly user: User;
  readonly session: Session;
}

/**
 * Logs in. Takes `{username, password}`. Throws Refusal 400 for wrong types; 401 for everything else, the same in the
 * same time.
 */
export async function login(
  engine: Engine,
  throttle: Throttle,
  body: unknown,
  client: Client,
): Promise<Login> {
  const fields = fieldsOf(body);
  const username = requiredText(fields, "username");
  const password = requiredText(fields, "password");
  const { address } = client;
  throttle.admit(username, address);
  if (passwordTurns.size >= loginsWaitingMax || passwordTurns.sizeOf(address) >= loginsOfAddressMax)
    throw new Refusal(401, "too many logins at once: try again in 1 s", 1);
  const check = () => checkPassword(engine, throttle, username, password, address);
  const user = await passwordTurns.take(check, address);
  const token = await startSession(engine, user, client);
  return { user, token };
}

/**
 * Checks a password. Checks run one after the other, and each looks again at the failures before it, so that no burst
 * of logins gets past the throttle.
 */
async function checkPassword(
  engine: Engine,
  throttle: Throttle,
  username: string,
  password: string,
  address: string,
): Promise<User> {
  throttle.admit(username, address);
  const user = engine.registry.userByName(username);
  const right = await verifyPassword(password, user?.passwordHash);
  if (user === undefined || !right) {
    throttle.failed(username, address);
    throw wrongLogin();
  }
  throttle.succeeded(username, address);
  return user;
}

async function startSession(engine: Engine, user: User, { browser, os }: Client): Promise<string> {
  const { userId, passwordHash } = user;
  const sessionId = engine.random.bytes(16).toHex();
  const token = newToken(engine.random);
  await engine.commit({
    kind: "sessionStarted",
    timeMs: engine.nowMs(),
    sessionId,
    userId,
    tokenHash: hashOf(token),
    browser,
    os,
  });
  // If the password was changed meanwhile, all sessions but this one have ended, and this one must end too.
  if (engine.registry.users.get(userId)?.passwordHash === passwordHash) return token;
  await engine.commit({ kind: "sessionEnded", timeMs: engine.nowMs(), sessionId });
  throw wrongLogin();
}

/** Returns the user and session of a token; undefined for a token that is none, has ended or has expired. */
export function authenticate(engine: Engine, token: string): Authenticated | undefined {
  const session = engine.registry.sessionByTokenHash(hashOf(token), engine.nowMs());
  const user = session && engine.registry.users.get(session.userId);
  return user && { user, session };
}

/**
 * Renews a session when it is used, at most once a day. Returns whether it was renewed and the cookie should be sent
 * again.
 */
export async function renewSession(engine: Engine, { sessionId, renewedMs }: Session): Promise<boolean> {
  if (engine.nowMs() - renewedMs < dayMs) return false;
  try {
    const outcome = await engine.commit({ kind: "sessionRenewed", timeMs: engine.nowMs(), sessionId });
    return outcome === "done";
  } catch (error) {
    // Reading works even if nothing can be written: the next use renews the session.
    if (error instanceof Refusal) return false;
    throw error;
  }
}

export async function logout(engine: Engine, { sessionId }: Caller): Promise<void> {
  await engine.commit({ kind: "sessionEnded", timeMs: engine.nowMs(), sessionId });
}

/**
 * Ends another session of the same account, or the caller's own. Throws Refusal 403; 404 both for no session and for
 * somebody else's.
 */
export async function endSession(engine: Engine, caller: Caller, sessionId: string): Promise<void> {
  assertMayChange(engine, caller);
  const session = engine.registry.sessions.get(sessionId);
  if (session === undefined || session.userId !== caller.userId)
    throw new Refusal(404, `id: there is no session ${shown(sessionId)}`);
  await engine.commit({ kind: "sessionEnded", timeMs: engine.nowMs(), sessionId });
}

function wrongLogin(): Refusal {
  return new Refusal(401, "username or password is wrong");
}
