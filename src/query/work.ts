/** What a question may use, and what answering it took. */
import { Derived } from "./derived.ts";

/** For all websites. */
const shared = new Derived(64 * 1024 * 1024);

export class Work {
  /** Rows and properties that were looked at, each time that they were. */
  rowsRead = 0;
  /** Entries of rollups that were added instead of rows. */
  entriesAdded = 0;

  /** `derived`: without room in it, every row is read. */
  constructor(readonly derived: Derived = shared) {
    derived.beginQuestion();
  }

  /** For people: `12 rows read, 34 entries of rollups added`. */
  description(): string {
    return `${this.rowsRead} rows read, ${this.entriesAdded} entries of rollups added`;
  }
}
