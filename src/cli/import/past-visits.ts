/**
 * Tells visits apart while a log is read, as the server does with hits (collect/visits), by address and user agent.
 * The page views of a visit wait here until it is over by the log's own time: all of them go into one record. Only
 * hashes of visitors are kept, and only while their visits last.
 */
import { beginsVisit, isOpen } from "../../collect/visits/visit-rules.ts";
import type { PastView } from "../../collect/fact.ts";
import { visitValuesOf } from "../../core/stored-dimension.ts";
import type { PastLoad } from "../../record/record.ts";

/** So many page views wait at the most; of more, the visit whose last one is longest ago is taken for over. */
export const waitingMax = 20_000;
/** A visit with more page views goes on as another one. */
export const viewsPerVisitMax = 1_000;

interface WaitingVisit {
  readonly number: number;
  readonly firstMs: number;
  lastMs: number;
  readonly utm: string;
  readonly isUnderWay: boolean;
  readonly loads: PastLoad[];
}

export class PastVisits {
  /** By visitor, in the order of their last page views. */
  private readonly waiting = new Map<number, WaitingVisit>();
  waitingViews = 0;
  private lastNumber = 0;
  /** The log's time: the greatest so far. */
  private nowMs = -Infinity;

  /** Adds a page view, and returns those of visits that are over by now, each visit's together and in their order. */
  add(visitor: number, { load, isInternal, utm }: PastView): PastLoad[] {
    const { timeMs, unique } = load;
    this.nowMs = Math.max(this.nowMs, timeMs);
    const over = this.takeOver();
    const known = this.waiting.get(visitor);
    this.waiting.delete(visitor);
    const goesOn =
      known !== undefined &&
      isOpen(known, timeMs) &&
      known.loads.length < viewsPerVisitMax &&
      !beginsVisit({ unique, isInternal, utm }, known.utm);
    if (known !== undefined && !goesOn) over.push(...this.finish(known));
    const visit = goesOn ? known : this.begin(timeMs, utm, isInternal && known === undefined);
    visit.lastMs = Math.max(visit.lastMs, timeMs);
    visit.loads.push(load);
    this.waiting.set(visitor, visit);
    this.waitingViews++;
    return over;
  }

  /** Returns the page views of all visits that wait. */
  takeAll(): PastLoad[] {
    const all = [...this.waiting.values()].flatMap((visit) => this.finish(visit));
    this.waiting.clear();
    return all;
  }

  private takeOver(): PastLoad[] {
    const over: PastLoad[] = [];
    for (const [visitor, visit] of this.waiting) {
      if (this.waitingViews < waitingMax && isOpen(visit, this.nowMs)) break;
      this.waiting.delete(visitor);
      over.push(...this.finish(visit));
    }
    return over;
  }

  private begin(firstMs: number, utm: string, isUnderWay: boolean): WaitingVisit {
    return { number: ++this.lastNumber, firstMs, lastMs: firstMs, utm, isUnderWay, loads: [] };
  }

  /** Returns the page views of a visit by their time, with their visit. */
  private finish({ number, isUnderWay, loads }: WaitingVisit): PastLoad[] {
    this.waitingViews -= loads.length;
    const inOrder = loads.toSorted((a, b) => a.timeMs - b.timeMs);
    const visitValues = visitValuesOf((inOrder[0] as PastLoad).values, isUnderWay);
    return inOrder.map((load) => ({ ...load, visit: number, visitValues }));
  }
}
