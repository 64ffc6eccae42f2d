/**
 * The API tokens of all accounts. A token ends with its account, with its website, and when its account has no role there
 * any more: who comes back makes a new one.
 */
import { tokensMax } from "../../core/api-token.ts";
import type { Outcome } from "../../core/outcome.ts";
import { assert } from "../../lib/assert.ts";
import type { RecordOf } from "../../record/record.ts";
import type { ApiToken, Website } from "../account.ts";
import { roleOf } from "../members.ts";
import { loadToken, sortedBy } from "./saved-registry.ts";
import { Table } from "./table.ts";

export type TokenRecord = RecordOf<"tokenAdded" | "tokenRemoved" | "tokenUsed">;

/** The accounts and websites that there are, by id. */
export interface Holders {
  readonly users: ReadonlyMap<number, unknown>;
  readonly websites: ReadonlyMap<number, Website>;
}

export class ApiTokens {
  private readonly table = new Table<string, ApiToken>(
    ({ tokenId }) => tokenId,
    ({ tokenHash }) => [tokenHash],
  );
  /** By id. */
  readonly rows = this.table.rows;

  apply(record: TokenRecord, holders: Holders): Outcome {
    const { kind, timeMs, tokenId } = record;
    if (kind === "tokenAdded") return this.add(record, holders);
    const token = this.rows.get(tokenId);
    if (token === undefined) return "missing";
    switch (kind) {
      case "tokenUsed":
        this.table.put({ ...token, usedMs: timeMs });
        return "done";
      case "tokenRemoved":
        this.table.remove(tokenId);
        return "done";
    }
  }

  byHash(tokenHash: string): ApiToken | undefined {
    return this.table.find(tokenHash);
  }

  /** Returns the tokens of an account, the oldest first. */
  of(userId: number): ApiToken[] {
    const own = this.rows.values().filter((token) => token.userId === userId);
    const byId = sortedBy(own, ({ tokenId }) => tokenId);
    return sortedBy(byId, ({ createdMs }) => createdMs);
  }

  /** Ends the tokens whose account is gone, or has lost their website. */
  endLost(holders: Holders): void {
    for (const { tokenId, userId, websiteId } of this.rows.values())
      if (!mayHold(holders, userId, websiteId)) this.table.remove(tokenId);
  }

  save(): ApiToken[] {
    return sortedBy(this.rows.values(), ({ tokenId }) => tokenId);
  }

  load(saved: readonly ApiToken[]): void {
    for (const token of saved) this.table.put(loadToken(token));
  }

  check(holders: Holders): void {
    this.table.check();
    for (const { tokenId, userId, websiteId } of this.rows.values())
      assert(mayHold(holders, userId, websiteId), `the account of token ${tokenId} may read its website`);
  }

  private add({ kind, timeMs: createdMs, ...token }: RecordOf<"tokenAdded">, holders: Holders): Outcome {
    if (!mayHold(holders, token.userId, token.websiteId)) return "missing";
    if (this.rows.has(token.tokenId) || this.byHash(token.tokenHash) !== undefined) return "taken";
    if (this.of(token.userId).length >= tokensMax) return "taken";
    this.table.put({ ...token, createdMs, usedMs: null });
    return "done";
  }
}

/** Whether an account may have a token for a website, or with 0 for all that it may read. */
function mayHold({ users, websites }: Holders, userId: number, websiteId: number): boolean {
  const website = websites.get(websiteId);
  return websiteId === 0 ? users.has(userId) : website !== undefined && roleOf(website, userId) !== undefined;
}
