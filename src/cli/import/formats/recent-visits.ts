/**
 * The visits of which a file may still have rows, by what tells them: a number or hash of the visit, or one of its visitor. A
 * file that is read again from its start has the same visits.
 */
import { OldestFirst } from "../../../lib/collections/oldest-first.ts";

interface Known {
  readonly visit: number;
  /** The time of its row that came last. */
  readonly lastMs: number;
}

export class RecentVisits {
  /** The one with the last row last. */
  private readonly known = new OldestFirst<number, Known>();

  /** `spanMs`: rows of a visit are no farther apart. `keysMax`: the most that are known at once, some 140 bytes each. */
  constructor(
    private readonly spanMs: number,
    private readonly keysMax: number,
  ) {}

  /** Returns the visit of a key that may have a row at this time; undefined if none may. */
  goingOn(key: number, timeMs: number): number | undefined {
    const known = this.known.get(key);
    return known !== undefined && this.isNear(known, timeMs) ? known.visit : undefined;
  }

  /** Notes a row of a visit, and forgets those of which no row can come any more in a file in the order of time. */
  note(keys: readonly number[], visit: number, timeMs: number): void {
    for (const key of keys) this.known.set(key, { visit, lastMs: timeMs });
    for (let oldest = this.known.oldest(); oldest !== undefined; oldest = this.known.oldest()) {
      const [key, known] = oldest;
      if (this.known.size <= this.keysMax && this.isNear(known, timeMs)) return;
      this.known.delete(key);
    }
  }

  private isNear({ lastMs }: Known, timeMs: number): boolean {
    return Math.abs(timeMs - lastMs) <= this.spanMs;
  }
}
