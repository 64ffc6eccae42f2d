/**
 * Numbers the visits of an export anew, one after the other as they come in the file: those of the file may be far from
 * each other, where rows between them were removed or left out, and a question takes a page of memory for each thousand.
 * A file that is read again from its start gets the same numbers.
 */
import { visitMax, visitSpanMsMax } from "../../../core/hit.ts";
import { OldestFirst } from "../../../lib/collections/oldest-first.ts";

/** The most visits that are known at once. In a longer file with more in half an hour, some would count as two. */
const visitsKnownMax = 200_000;

interface KnownVisit {
  readonly number: number;
  /** The time of its row that came last. */
  readonly lastMs: number;
}

export class VisitNumbers {
  private readonly known = new OldestFirst<number, KnownVisit>();
  /** Files that were begun before numbers were given anew have numbers up to `visitMax` already, which stay theirs. */
  private lastNumber = visitMax;

  /** Returns the number of a visit that has a row at this time; 0 for none. */
  numberOf(visit: number, timeMs: number): number {
    if (visit === 0) return 0;
    const known = this.known.get(visit);
    const goesOn = known !== undefined && isNear(known, timeMs);
    const number = goesOn ? known.number : ++this.lastNumber;
    this.known.delete(visit);
    this.known.set(visit, { number, lastMs: timeMs });
    this.forget(timeMs);
    return number;
  }

  /** Forgets visits of which no row can come any more in a file in the order of time. */
  private forget(timeMs: number): void {
    for (let oldest = this.known.oldest(); oldest !== undefined; oldest = this.known.oldest()) {
      const [visit, known] = oldest;
      if (this.known.size <= visitsKnownMax && isNear(known, timeMs)) return;
      this.known.delete(visit);
    }
  }
}

function isNear({ lastMs }: KnownVisit, timeMs: number): boolean {
  return Math.abs(timeMs - lastMs) <= visitSpanMsMax;
}
