/** What a question may use, and what answering it took. */
import { Derived } from "./derived.ts";

/** For all websites: 64 MiB. */
export const derivedBytesMax = 2 ** 26;
const shared = new Derived(derivedBytesMax);

/** Nobody waits for the answer any more. */
export class Cancelled extends Error {
  override name = "Cancelled";
}

export class Work {
  /** Rows and properties that were looked at, each time that they were. */
  rowsRead = 0;
  /** Rows that were known to match all filters, each time that they were counted. */
  rowsRecalled = 0;
  /** Entries of rollups that were added instead of rows, and ranges of quarters of an hour. */
  entriesAdded = 0;

  /** `derived`: without room in it, every row is read. */
  constructor(
    readonly derived: Derived = shared,
    private readonly cancelled: () => boolean = () => false,
  ) {
    derived.beginQuestion();
  }

  /** To be called now and then. Throws Cancelled where nobody waits for the answer any more. */
  goOn(): void {
    if (this.cancelled()) throw new Cancelled("nobody waits for the answer");
  }

  /** For people. */
  description(): string {
    const { rowsRead, rowsRecalled, entriesAdded } = this;
    return `${rowsRead} rows read, ${rowsRecalled} known to match, ${entriesAdded} entries of rollups added`;
  }
}
