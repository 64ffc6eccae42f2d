/** The context of a question: the cache that it may use, whether somebody waits for it, and what answering it took. */
import { QueryCache } from "./cache.ts";

/** For all websites: 64 MiB. */
export const cacheBytesMax = 2 ** 26;
const shared = new QueryCache(cacheBytesMax);

/** Nobody waits for the answer any more. */
export class Cancelled extends Error {
  override name = "Cancelled";
}

export class QueryContext {
  /** Rows and properties that were looked at, each time that they were. */
  rowsRead = 0;
  /** Rows that were known to match all filters, each time that they were counted. */
  rowsMatched = 0;
  /** Entries of facts that were added instead of rows. */
  factsAdded = 0;

  /** `cache`: without room in it, every row is read. */
  constructor(
    readonly cache: QueryCache = shared,
    private readonly cancelled: () => boolean = () => false,
  ) {
    this.beginQuestion();
  }

  /** Begins another question, which has counts of its own. */
  beginQuestion(): void {
    this.cache.beginQuestion();
    this.rowsRead = this.rowsMatched = this.factsAdded = 0;
  }

  /** To be called now and then. Throws Cancelled where nobody waits for an answer any more. */
  throwIfCancelled(): void {
    if (this.cancelled()) throw new Cancelled("nobody waits for the answer");
  }

  /** For people. */
  description(): string {
    const { rowsRead, rowsMatched, factsAdded } = this;
    return `${rowsRead} rows read, ${rowsMatched} known to match, ${factsAdded} entries of facts added`;
  }
}
