/**
 * Links of a website: whoever has one may read the website's statistics without an account, and change nothing. A link
 * may be held to filters, which every question by it gets.
 */
import type { AskedName } from "../questions/dimension.ts";
import type { Filter } from "../questions/query.ts";

/** A filter that a question can spell out. */
export interface AskedFilter extends Filter {
  readonly name: AskedName;
}

export interface Link {
  /** The part of its address that servers see: random, or for a public link its name. */
  readonly linkId: string;
  readonly name: string;
  /** SHA-256 of the token, hex; null for a public link, which has none. */
  readonly tokenHash: string | null;
  /** An argon2id hash in PHC form; null for a link without a password. */
  readonly passwordHash: string | null;
  readonly filters: readonly AskedFilter[];
  /** The hosts whose pages may show it in a frame, as a Content-Security-Policy has them. */
  readonly frameAncestors: readonly string[];
  readonly createdMs: number;
}

/** The most links of a website. */
export const linksMax = 50;
export const linkNameCharactersMax = 100;
/** The most filters of a link, and the most operands of one of them. */
export const linkFiltersMax = 20;
export const linkOperandsMax = 100;
export const linkOperandCharactersMax = 2_048;
/** The most hosts that may show a link in a frame. */
export const frameAncestorsMax = 20;
/** The time for which a password that was given opens a link. */
export const linkGrantMs = 12 * 3_600_000;
