/**
 * Finds out who asks: an account by a session, or a program of it by an API token. A request with a token has its rights
 * and no others, whatever cookies come with it. A token stands in the header Authorization and nowhere else: never in a
 * URL.
 */
import { type ApiToken, isLive } from "../../accounts/account.ts";
import { includesScope, type TokenScope } from "../../core/api-token.ts";
import { Refusal } from "../../core/refusal.ts";
import { callerByToken, noteUse, tokenOf, tokenPrefix } from "../../engine/admin/account/tokens.ts";
import { assert } from "../../lib/assert.ts";
import type { Call, Login, Route, SessionLogin } from "../transport/route.ts";
import { requireSession } from "./session.ts";

const bearerForm = new RegExp(`^Bearer +(${tokenPrefix}.*)$`, "i");

/** Returns the secret of a request; undefined for none, and for a bearer token that is another program's, as proxies add. */
export function secretOf({ headers }: Request): string | undefined {
  return bearerForm.exec(headers.get("authorization") ?? "")?.[1];
}

/** Returns the token of a request that has this scope. Throws Refusal 401, and 403 for another scope. */
export async function requireToken(call: Call, needed: TokenScope): Promise<ApiToken> {
  const { engine } = call.services;
  const secret = secretOf(call.request);
  if (secret === undefined)
    throw new Refusal(401, `authorization: expected "Bearer" and a token with the scope ${needed}`);
  const token = tokenOf(engine, secret);
  if (token === undefined) throw wrongToken();
  await noteUse(engine, token);
  if (!includesScope(token.scope, needed))
    throw refused(`expected a token with the scope ${needed}, got one with ${token.scope}`);
  return token;
}

function wrongToken(): Refusal {
  return new Refusal(401, "authorization: this token is wrong, or was revoked");
}

/** Returns who asks, by a session or by a token with this scope. Throws Refusal 401, and 403 for a token that may not. */
export async function requireAccount(
  call: Call,
  needed: TokenScope,
  { path, forOneWebsite = path.includes("/:hostname") }: Pick<Route, "path"> & { forOneWebsite?: boolean },
): Promise<Login> {
  if (secretOf(call.request) === undefined) return requireLogin(call);
  const { registry } = call.services.engine;
  const token = await requireToken(call, needed);
  if (token.websiteId !== 0 && !forOneWebsite)
    throw refused("expected a token of all websites of an account, got one of a single website");
  const user = registry.users.get(token.userId);
  assert(user !== undefined, "a token ends with its account");
  return { user, caller: callerByToken(token), isLive: () => registry.tokens.rows.has(token.tokenId) };
}

/** Returns who is logged in. Throws Refusal 401, and 403 for every token. */
export async function requireLogin(call: Call): Promise<SessionLogin> {
  const { engine } = call.services;
  const secret = secretOf(call.request);
  if (secret !== undefined) {
    if (tokenOf(engine, secret) === undefined) throw wrongToken();
    throw refused("expected a login, got a token: no token may do this");
  }
  const { user, session } = await requireSession(call);
  const { userId, sessionId } = session;
  const isSessionLive = () => {
    const now = engine.registry.sessions.get(sessionId);
    return now !== undefined && isLive(now, engine.nowMs());
  };
  return { user, session, caller: { userId, sessionId }, isLive: isSessionLive };
}

/**
 * Returns a call whose body counts only if the session or the token is still there once it has come: it may be sent
 * slowly. The use cases look at the role after that.
 */
export function endingWith<C extends Call>(call: C, login: Pick<Login, "isLive">): C {
  const json = async () => {
    const body = await call.json();
    expectLive(login);
    return body;
  };
  return { ...call, json };
}

/** Throws Refusal 401 once the session or the token is gone. */
export function expectLive({ isLive }: Pick<Login, "isLive">): void {
  if (!isLive()) throw new Refusal(401, "this session or token has ended: log in again");
}

function refused(message: string): Refusal {
  return new Refusal(403, `authorization: ${message}`);
}
