/** The use cases of sessions: log in, authenticate, renew, end. */
import { demoSessionsMax, sessionsPerUserMax } from "../../../accounts/account.ts";
import type { Asker, Known } from "../../../accounts/login/check-queue.ts";
import type { PasswordGuard } from "../../../accounts/login/password-guard.ts";
import type { Session, User } from "../../../accounts/registry/registry.ts";
import { hashOf, newToken } from "../../../accounts/token.ts";
import { dayMs } from "../../../core/hit.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import type { Engine } from "../../engine.ts";
import { assertMayChange, type Caller } from "../caller.ts";
import { fieldsOf, optionalText, requiredText } from "../fields.ts";
import { usedStepOf, wrongCode } from "./login-code.ts";

/** The place that a request comes from. The guard of passwords uses it, and nobody else. */
export type RequestOrigin = Pick<Asker, "address" | "network">;

/** The origin of a login. */
export interface Client extends RequestOrigin {
  /** The sessions and devices that the request proves. */
  readonly known: readonly Known[];
  /** Names as people write them, for the list of sessions. */
  readonly browser: string;
  readonly os: string;
}

export interface Login {
  readonly user: User;
  readonly sessionId: string;
  /** The secret for the cookie; it is not stored. */
  readonly token: string;
}

export interface Authenticated {
  readonly user: User;
  readonly session: Session;
}

/**
 * Logs in. Takes `{username, password, code?}`. Throws Refusal 400 for wrong types; 401 for everything else, the same in the
 * same time, but for an account with a second factor whose password was right.
 */
export async function login(
  engine: Engine,
  guard: PasswordGuard,
  body: unknown,
  client: Client,
): Promise<Login> {
  const fields = fieldsOf(body);
  const username = requiredText(fields, "username");
  const password = requiredText(fields, "password");
  const code = optionalText(fields, "code");
  const { registry } = engine;
  const { address, network } = client;
  let user = registry.userByName(username);
  const known = client.known.find(({ userId }) => userId === user?.userId);
  const right = await guard.check({
    username,
    password,
    passwordHash: () => {
      user = registry.userByName(username);
      return user?.passwordHash;
    },
    from: { address, network, known },
    refusal: (message, retryAfterS) => new Refusal(401, message, retryAfterS),
  });
  if (!right || user === undefined) throw wrongLogin();
  const usedStep = usedStepOf(engine, guard, { user, known, code }, 401);
  return { user, ...(await startSession(engine, user, client, usedStep)) };
}

async function startSession(
  engine: Engine,
  user: User,
  { browser, os }: Client,
  usedStep: number | null,
): Promise<Omit<Login, "user">> {
  const { userId, passwordHash, secondFactor } = user;
  const sessionId = engine.random.bytes(16).toHex();
  const token = newToken(engine.random);
  const outcome = await engine.commit({
    kind: "sessionStarted",
    sessionId,
    userId,
    tokenHash: hashOf(token),
    browser,
    os,
    sessionsMax: engine.demo ? demoSessionsMax : sessionsPerUserMax,
    usedStep,
  });
  // Another login had the same code, or a second factor came meanwhile.
  if (outcome === "taken") throw usedStep === null ? wrongLogin() : wrongCode(401);
  // If the password was changed meanwhile, or the second factor is another one, all sessions but this one have ended, and this one must end too.
  const now = engine.registry.users.get(userId);
  if (now?.passwordHash === passwordHash && now.secondFactor?.secret === secondFactor?.secret)
    return { sessionId, token };
  await engine.commit({ kind: "sessionEnded", sessionId });
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
    const outcome = await engine.commit({ kind: "sessionRenewed", sessionId });
    return outcome === "done";
  } catch (error) {
    // Reading works even if nothing can be written: the next use renews the session.
    if (error instanceof Refusal) return false;
    throw error;
  }
}

export async function logout(engine: Engine, { sessionId }: Caller): Promise<void> {
  await engine.commit({ kind: "sessionEnded", sessionId });
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
  await engine.commit({ kind: "sessionEnded", sessionId });
}

function wrongLogin(): Refusal {
  return new Refusal(401, "username or password is wrong");
}
