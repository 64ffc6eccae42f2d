/** An API token as the commands list it. */
import type { User } from "../../accounts/registry/registry.ts";
import { utcDate } from "../../core/calendar/date.ts";
import type { TokenScope } from "../../core/api-token.ts";
import type { Engine } from "../../engine/engine.ts";

export interface TokenEntry {
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
  /** null for all websites of the account. */
  readonly hostname: string | null;
  readonly username: string;
  /** The UTC day of the last use, such as 2026-11-03; null for none. */
  readonly used: string | null;
}

/** Returns the tokens of an account, the oldest first. */
export function tokensOf({ registry }: Engine, { userId, username }: User): TokenEntry[] {
  return registry.tokens.of(userId).map(({ tokenId, name, scope, websiteId, usedMs }) => ({
    id: tokenId,
    name,
    scope,
    hostname: registry.websites.get(websiteId)?.hostname ?? null,
    username,
    used: usedMs === null ? null : utcDate(usedMs),
  }));
}
