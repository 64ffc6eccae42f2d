/** How many hits of a website were not counted, by UTC day and reason. Nothing of the hits themselves is kept. */
import { utcDay } from "../../core/calendar/date.ts";
import { rejectionDaysMax, rejections, type Rejection, type RejectionCounts } from "../../core/rejection.ts";
import type { RecordOf } from "../../record/record.ts";

/** By website, then by the number of the day since 1970. */
export type RejectedState = readonly (readonly [
  websiteId: number,
  days: readonly (readonly [day: number, counts: RejectionCounts])[],
])[];

export class Rejected {
  private readonly websites = new Map<number, Map<number, Partial<Record<Rejection, number>>>>();

  get isEmpty(): boolean {
    return this.websites.size === 0;
  }

  add(websiteId: number, timeMs: number, counts: RejectionCounts): void {
    if (Object.keys(counts).length === 0) return;
    const days = this.websites.getOrInsertComputed(websiteId, () => new Map());
    const day = utcDay(timeMs);
    const own = days.getOrInsertComputed(day, () => ({}));
    for (const [reason, count] of Object.entries(counts) as [Rejection, number][])
      own[reason] = (own[reason] ?? 0) + count;
    // By their number and not by their age: a clock that is years ahead for a moment must not remove those of a year.
    if (days.size > rejectionDaysMax) days.delete(Math.min(...days.keys()));
  }

  /**
   * Adds the counts of a record. A reason that this program does not know is kept, although nobody sees it: the version that
   * knows it finds it then, and nodes of both versions have the same state.
   */
  apply({ timeMs, websiteId, counts }: RecordOf<"rejected">): "done" {
    this.add(websiteId, timeMs, Object.fromEntries(counts.map(({ reason, count }) => [reason, count])));
    return "done";
  }

  /** The counts of each day that has some, the oldest first: its number since 1970. */
  daysOf(websiteId: number): readonly (readonly [day: number, counts: RejectionCounts])[] {
    return [...(this.websites.get(websiteId) ?? [])]
      .map(([day, counts]) => [day, knownOf(counts)] as const)
      .filter(([, counts]) => Object.keys(counts).length > 0)
      .sort(([a], [b]) => a - b);
  }

  removeWebsite(websiteId: number): void {
    this.websites.delete(websiteId);
  }

  save(): RejectedState {
    return Array.from(this.websites, ([websiteId, days]) => [websiteId, [...days]] as const);
  }

  static load(state: RejectedState): Rejected {
    const rejected = new Rejected();
    for (const [websiteId, days] of state)
      rejected.websites.set(websiteId, new Map(days.map(([day, counts]) => [day, { ...counts }])));
    return rejected;
  }
}

function knownOf(counts: RejectionCounts): RejectionCounts {
  return Object.fromEntries(Object.entries(counts).filter(([reason]) => reason in rejections));
}
