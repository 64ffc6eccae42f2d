/** The use cases of sessions: log in, be recognised, renew, end. */
import { passwordTurns, verifyPassword } from "../../accounts/password.ts";
import type { Session, User } from "../../accounts/registry.ts";
import type { Throttle } from "../../accounts/throttle.ts";
import { hashOf, newToken } from "../../accounts/token.ts";
import { dayMs } from "../../core/hit.ts";
import { Refusal, shown } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";
import { assertMayChange, type Caller } from "./caller.ts";
import { fieldsOf, requiredText } from "./fields.ts";

/** How many passwords may wait to be checked, which takes half a second; what comes on top is sent away. */
export const loginsWaitingMax = 32;
/**
 * How many of them from one address: a flood of made-up names, which no throttle slows, only refuses itself. A person
 * needs one place for 20 ms, a second is for whoever shares the address.
 */
export const loginsOfAddressMax = 2;

/** Where a login comes from. */
export interface Client {
  /** What counts as one place on the net. It goes to the throttle and the line, and nowhere else. */
  readonly address: string;
  /** Names as people write them, for the list of sessions. */
  readonly browser: string;
  readonly os: string;
}

export interface Login {
  readonly user: User;
  /** For the cookie; nobody else will ever know it. */
  readonly token: string;
}

export interface Authenticated {
  readonly user: User;
  readonly session: Session;
}

/** `{username, password}`. Refusal 400 for wrong types; 401 for all else, the same in the same time. */
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

/** Checks go one after the other, and each asks again who has failed before it: no burst gets past the throttle. */
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
  // A password that was changed meanwhile has ended all sessions but this one.
  if (engine.registry.users.get(userId)?.passwordHash === passwordHash) return token;
  await engine.commit({ kind: "sessionEnded", timeMs: engine.nowMs(), sessionId });
  throw wrongLogin();
}

/** Whose session it is; undefined for a token that is none, has ended or has expired. */
export function authenticate(engine: Engine, token: string): Authenticated | undefined {
  const session = engine.registry.sessionByTokenHash(hashOf(token), engine.nowMs());
  const user = session && engine.registry.users.get(session.userId);
  return user && { user, session };
}

/** At most once a day, by use. True: renewed, and the cookie should be sent again. */
export async function renewSession(engine: Engine, { sessionId, renewedMs }: Session): Promise<boolean> {
  if (engine.nowMs() - renewedMs < dayMs) return false;
  try {
    const outcome = await engine.commit({ kind: "sessionRenewed", timeMs: engine.nowMs(), sessionId });
    return outcome === "done";
  } catch (error) {
    // Reading goes on when nothing can be written: the next use renews it.
    if (error instanceof Refusal) return false;
    throw error;
  }
}

export async function logout(engine: Engine, { sessionId }: Caller): Promise<void> {
  await engine.commit({ kind: "sessionEnded", timeMs: engine.nowMs(), sessionId });
}

/** Ends another session of the same account, or the caller's own. Refusal 403; 404 alike for none and for somebody else's. */
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
