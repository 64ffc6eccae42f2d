/**
 * Links of a website: whoever has one may read the website's statistics without an account, and change nothing. A link
 * may be held to filters, which every question by it gets.
 */
import { listedDimensions, type AskedName } from "../questions/dimension.ts";
import type { Filter } from "../questions/query.ts";

/** A filter that a question can spell out. */
export interface AskedFilter extends Filter {
  readonly name: AskedName;
}

/**
 * Filters that select the page with which a visit began if they select any page of it: those on where the visit comes from, and
 * on its browser and language, which tell visits apart. Those on pages are held to entry pages, too.
 */
const holdingEntry: ReadonlySet<string> = new Set<AskedName>([
  "path",
  "entry",
  "language",
  ...listedDimensions.flatMap(({ name, column }) =>
    column === "source" || column === "client" ? [name] : [],
  ),
]);

/**
 * Whether a link with these filters may say where visits began. A property is of one page of a visit, and the country of
 * another page may be another one: then the entry page may be none that the filters select.
 */
export function mayAskEntry(filters: readonly Pick<Filter, "name">[]): boolean {
  return filters.every(({ name }) => holdingEntry.has(name));
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
