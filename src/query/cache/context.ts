/**
 * The context of the questions of a page, during which nothing changes: the website, the cache that they may use, what they found before,
 * whether somebody waits for them, and counts of the work that one took.
 */
import type { Rollup } from "../../facts/entries.ts";
import type { RollupOf, SiteWithFacts } from "../../facts/facts.ts";
import { ReducedFacts } from "../../facts/months/reduced-facts.ts";
import type { ReducedMonth } from "../../store/state/reduced-month.ts";
import { QueryCache } from "./cache.ts";

/** Thrown when nobody waits for the answer any more. */
export class Cancelled extends Error {
  override name = "Cancelled";
}

type Work = Pick<QueryContext, "rowsRead" | "rowsMatched" | "factsAdded">;

export class QueryContext {
  /** The rows and properties that were read; one that was read twice counts twice. */
  rowsRead = 0;
  /** The rows that were known to match all filters and only counted; one that was counted twice counts twice. */
  rowsMatched = 0;
  /** The entries of facts that were added instead of rows. */
  factsAdded = 0;
  /** The rollups of months together that this question has made (counts/month-rollups.ts). */
  readonly rollups = new Map<
    RollupOf,
    { readonly months: readonly ReducedMonth[]; readonly rollup: Rollup }
  >();
  /** Whether the answer has figures that are close to the right ones, and not exact. */
  isApproximate = false;
  /** By key: what `once` made. */
  private readonly made = new Map<string, unknown>();

  /**
   * `site`: the website that the questions are about. `cache`: if it has no room, as by default, every row is read. `copiedMax`: the most durations that are copied side by
   * side to find their quantiles; more are walked over several times.
   */
  constructor(
    readonly site: SiteWithFacts,
    readonly cache: QueryCache = new QueryCache(0),
    private readonly cancelled: () => boolean = () => false,
    readonly copiedMax = Infinity,
  ) {
    this.cache.beginPage();
  }

  /** Returns what `make` returned when the key was first asked for in this context: the questions of a page share it. */
  once<T extends NonNullable<unknown>>(key: string, make: () => T): T {
    return this.made.getOrInsertComputed(key, make) as T;
  }

  /** Returns the facts of a month without rows. */
  factsOf(month: ReducedMonth): ReducedFacts {
    return new ReducedFacts(month, (owner, name, make) => this.cache.getAlways(owner, 0, name, 0, make));
  }

  /** Begins another question, and sets its counts to 0. */
  beginQuestion(): void {
    this.cache.beginQuestion();
    this.rollups.clear();
    this.rowsRead = this.rowsMatched = this.factsAdded = 0;
    this.isApproximate = false;
  }

  /** Throws Cancelled if nobody waits for an answer any more. Long loops call it now and then. */
  throwIfCancelled(): void {
    if (this.cancelled()) throw new Cancelled("the request was cancelled");
  }
}

/** Describes the work of a question in words, for people. */
export function workText({ rowsRead, rowsMatched, factsAdded }: Work): string {
  return `${rowsRead} rows read, ${rowsMatched} known to match, ${factsAdded} entries of facts added`;
}
