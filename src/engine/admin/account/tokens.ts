/** The use cases of API tokens: make, revoke, recognise, and note that one was used. */
import type { ApiToken } from "../../../accounts/account.ts";
import { roleOf } from "../../../accounts/members.ts";
import { hashOf, newToken } from "../../../accounts/token.ts";
import { tokenNameCharactersMax, tokenScopes, tokensMax, type TokenScope } from "../../../core/api-token.ts";
import { utcDay } from "../../../core/calendar/date.ts";
import { badInput, Refusal, shown } from "../../../core/refusal.ts";
import { includesRole, type Role } from "../../../core/website/role.ts";
import { assert } from "../../../lib/assert.ts";
import type { Engine } from "../../engine.ts";
import { assertMayChange, goneRefusal, type Caller } from "../caller.ts";
import { fieldsOf, knownWord, limitedText, optionalText, requiredText } from "../fields.ts";
import { websiteFor } from "../websites.ts";

/** Every token begins with it: scanners for secrets find tokens by it, and no other bearer token is taken for one. */
export const tokenPrefix = "footfall_";

export interface NewApiToken {
  readonly token: ApiToken;
  /** The secret; it is not stored. */
  readonly secret: string;
}

/**
 * Makes a token. Takes `{name, scope, hostname?}`; without a hostname it is for all websites of the account. Throws Refusal
 * 400, also for one too many; 403 for a website where the account may not do so much; 404.
 */
export async function addToken(engine: Engine, caller: Caller, body: unknown): Promise<NewApiToken> {
  assertMayChange(engine, caller);
  const fields = fieldsOf(body);
  const name = limitedText("name", requiredText(fields, "name").trim(), tokenNameCharactersMax);
  // The command line prints it.
  if (/\p{Cc}/u.test(name)) throw badInput("name", name, "no control characters");
  const scope = knownWord("scope", requiredText(fields, "scope"), tokenScopes);
  const hostname = optionalText(fields, "hostname");
  const websiteId =
    hostname === undefined ? 0 : websiteFor({ engine, caller, hostname }, leastRole[scope]).websiteId;
  const secret = tokenPrefix + newToken(engine.random);
  const tokenId = engine.random.bytes(8).toHex();
  const { userId } = caller;
  const record = { tokenId, userId, websiteId, name, scope, tokenHash: hashOf(secret) };
  const outcome = await engine.commit({ kind: "tokenAdded", ...record });
  if (outcome === "missing") throw goneRefusal();
  if (outcome === "taken")
    throw new Refusal(400, `tokens: expected at most ${tokensMax} of an account: revoke one first`);
  const token = engine.registry.tokens.rows.get(tokenId);
  if (token === undefined) throw goneRefusal();
  return { token, secret };
}

/** Revokes a token of the caller's account. Throws Refusal 403; 404 both for no token and for somebody else's. */
export async function removeToken(engine: Engine, caller: Caller, tokenId: string): Promise<void> {
  assertMayChange(engine, caller);
  if (engine.registry.tokens.rows.get(tokenId)?.userId !== caller.userId)
    throw new Refusal(404, `id: there is no token ${shown(tokenId)}`);
  await engine.commit({ kind: "tokenRemoved", tokenId });
}

/** Returns the token of a secret; undefined for one that never was, or is revoked. */
export function tokenOf({ registry }: Engine, secret: string): ApiToken | undefined {
  return registry.tokens.byHash(hashOf(secret));
}

/** Returns whom a token stands for. */
export function callerByToken({ userId, tokenId, websiteId }: ApiToken): Caller {
  return { userId, sessionId: tokenId, ...(websiteId !== 0 && { onlyWebsiteId: websiteId }) };
}

/** Whether a token may send hits of a website. */
export function maySend(
  { registry }: Engine,
  { userId, websiteId: only }: ApiToken,
  websiteId: number,
): boolean {
  const website = registry.websites.get(websiteId);
  const role = website && roleOf(website, userId);
  return (only === 0 || only === websiteId) && role !== undefined && includesRole(role, leastRole.send);
}

/** Tokens whose use is being logged, each as it was before. */
const noting = new WeakSet<ApiToken>();

/** Logs that a token is used, once a UTC day. */
export async function noteUse(engine: Engine, token: ApiToken): Promise<void> {
  const timeMs = engine.nowMs();
  const isNoted = token.usedMs !== null && utcDay(token.usedMs) === utcDay(timeMs);
  if (isNoted || noting.has(token)) return;
  noting.add(token);
  try {
    const outcome = await engine.commit({ kind: "tokenUsed", timeMs, tokenId: token.tokenId });
    assert(outcome === "done" || outcome === "missing", `the use of a token is not ${outcome}`);
  } catch (error) {
    // Reading works even if nothing can be written: the next use is noted.
    if (!(error instanceof Refusal)) throw error;
  } finally {
    noting.delete(token);
  }
}

/** The role that an account needs on a website for a token of it. An admin may do there what its account's role allows. */
const leastRole: Readonly<Record<TokenScope, Role>> = { read: "viewer", send: "editor", admin: "viewer" };
