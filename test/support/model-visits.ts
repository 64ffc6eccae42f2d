/** Visits as an array of hits that is searched from its end: the rules as the README has them, and nothing clever. */
import {
  dimensionIndex,
  visitValuesOf,
  type VisitValues,
} from "../../src/core/questions/stored-dimension.ts";
import type { VisitHit } from "../../src/collect/visits/visits.ts";

interface Seen {
  readonly hit: VisitHit;
  /** A name for the visitor, which stands for the hash. */
  readonly visitor: string;
  readonly visit: number;
  readonly timeMs: number;
}

const pauseMs = 30 * 60_000;
const longestMs = 12 * 60 * 60_000;
const earlyMs = 10 * 60_000;

export class ModelVisits {
  private seen: Seen[] = [];
  /** Signs of life without a row. */
  private signs: { visit: number; timeMs: number }[] = [];
  private utm = new Map<number, string>();
  private values = new Map<number, VisitValues>();
  private hasLoad = new Set<number>();
  /** The visit that a visitor was last in, in this process. */
  private current = new Map<string, number>();

  constructor(private readonly nextNumber: () => number) {}

  isOpen(visit: number, timeMs: number): boolean {
    const times = [...this.seen, ...this.signs].filter((one) => one.visit === visit).map((one) => one.timeMs);
    return (
      times.length > 0 && timeMs - Math.max(...times) <= pauseMs && timeMs - Math.min(...times) <= longestMs
    );
  }

  /** An unload, or an event of a known page view. */
  note(visit: number, timeMs: number): void {
    if (this.isOpen(visit, timeMs)) this.signs.push({ visit, timeMs });
  }

  visitOf(hit: VisitHit, visitor: string): { visit: number; visitValues: VisitValues } {
    const { timeMs, beacon } = hit;
    const early = this.seen.findLast(
      (one) =>
        beacon !== "" &&
        one.hit.beacon === beacon &&
        one.hit.kind === "event" &&
        // The load of a known page view has come.
        one.hit.visit === 0 &&
        timeMs - one.timeMs <= earlyMs,
    );
    const [ofView, ofEarly] = [hit.visit, early?.visit ?? 0].map(
      (visit) => this.isOpen(visit, timeMs) && visit,
    );
    const byPage = ofView || (ofEarly && !this.hasLoad.has(ofEarly) && ofEarly);
    const current = ofEarly || (this.current.get(visitor) ?? 0);
    const goesOn = this.isOpen(current, timeMs);
    // A browser that gave up a ping says once more that it is new.
    const told = this.seen.findLast(
      (one) => one.visit === current && one.hit.kind === "load" && (one.hit.unique || !one.hit.isUniqueKnown),
    );
    const isNew = hit.unique && told?.hit.isUniqueKnown !== false && !(hit.mayBeKnown && goesOn);
    const arrives =
      hit.kind === "load" &&
      ((isNew && !hit.isInternal) || (hit.utm !== "" && hit.utm !== this.utm.get(current)));
    const visit = byPage || (goesOn && !arrives ? current : this.begin(hit, visitor));
    if (hit.kind === "load" && !this.hasLoad.has(visit)) {
      this.hasLoad.add(visit);
      const isFirst = !this.seen.some((one) => one.visit === visit);
      this.utm.set(visit, hit.utm);
      // A tagged page view says itself where it came from.
      const namesNoPlace = hit.isInternal && hit.utm === "";
      const isUnderWay = namesNoPlace && !hit.isIgnored && !(isFirst && goesOn);
      this.values.set(visit, visitValuesOf(hit.values, isUnderWay));
    }
    this.seen.push({ hit, visitor, visit, timeMs });
    return { visit, visitValues: this.values.get(visit) as VisitValues };
  }

  /** The process ends: all that it knew is gone. */
  restart(): void {
    this.seen = [];
    this.signs = [];
    this.current.clear();
  }

  private begin(hit: VisitHit, visitor: string): number {
    const visit = this.nextNumber();
    this.current.set(visitor, visit);
    this.utm.set(visit, hit.utm);
    const namesNoPlace = hit.utm === "" && hit.values[dimensionIndex.referrer] === "";
    this.values.set(visit, visitValuesOf(hit.values, namesNoPlace));
    return visit;
  }
}
