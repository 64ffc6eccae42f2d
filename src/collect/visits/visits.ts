/**
 * The visits that go on: which one a hit belongs to. A hit with a known page view belongs to its visit; only a load, or
 * an event without one, looks for a visit by the hash of its visitor (`visitor-key.ts`). All of it is in memory only,
 * until half an hour after the visit's last sign of life, and of the latest `openVisitsMax` visits of all websites.
 */
import {
  dimensionIndex,
  visitValuesOf,
  type DimensionValues,
  type VisitValues,
} from "../../core/stored-dimension.ts";
import { earlyWaitMs, visitMsMax, visitPauseMs } from "../../core/hit.ts";
import { assert } from "../../lib/assert.ts";
import type { Random } from "../../lib/random.ts";
import { Recency, type Linked } from "../../lib/recency.ts";
import { beginsVisit, isOpen, type Arrival } from "./visit-rules.ts";
import { dayOf, VisitorKeys, type Visitor } from "./visitor-key.ts";

/**
 * The most visits that are known to go on; of more, the one whose last sign of life is longest ago is forgotten.
 * Exported for tests.
 */
export const openVisitsMax = 65_536;
/** The share of the most that stays then. */
const stayingShare = 15 / 16;
const forgottenEveryMs = 1_000;
/** Ids of visits are numbers: the website, and the number of the visit within it. */
const numbersMax = 2 ** 32;

/** A sign of life. */
export interface Sign extends Visitor {
  /** When it happened. */
  readonly timeMs: number;
  /** When it came, if it says itself when it happened. */
  readonly cameMs?: number;
  /** The number of the visit of its page view; 0 if that is not known, or has none. */
  readonly visit: number;
}

/** A load, or an event that has values of its own. */
export interface VisitHit extends Sign, Arrival {
  readonly kind: "load" | "event";
  /** Whether `unique` says anything: a page may have been left before its tracker knew. */
  readonly isUniqueKnown: boolean;
  /** "" for none. */
  readonly beacon: string;
  /** The values of dimensions as they are logged. */
  readonly values: DimensionValues;
}

/** The visit of a hit. */
export interface HitVisit {
  readonly visit: number;
  readonly visitValues: VisitValues;
  /** Whether the load is the first page view of a visitor; undefined where the visit does not decide that. */
  readonly unique: boolean | undefined;
  /** Forgets the visit if this hit began it: it was not logged. */
  readonly undo: () => void;
}

interface OpenVisit extends Linked<OpenVisit> {
  readonly id: number;
  readonly number: number;
  firstMs: number;
  lastMs: number;
  /** When its last sign of life came: it is forgotten by that. */
  cameMs: number;
  /** The values of the first page view; before one, those of the first event. */
  values: VisitValues;
  utm: string;
  hasPageView: boolean;
  /** The browser gave up a ping, and so forgot that it was here today: it says once more that its visitor is new. */
  forgets: boolean;
  /** The hash by which it is found, and the day of its key; undefined when a later visit took its place. */
  hash: bigint | undefined;
  day: number;
}

interface EarlyBeacon {
  readonly id: number;
  readonly timeMs: number;
}

export interface VisitsOptions {
  readonly random: Random;
  /** Returns the number of a new visit of a website. */
  readonly nextNumber: (websiteId: number) => number;
  readonly visitsMax?: number;
}

const stays = () => {};

export class Visits {
  private readonly keys: VisitorKeys;
  /** By id. */
  private readonly open = new Map<number, OpenVisit>();
  /** By their last signs of life. */
  private readonly order = new Recency<OpenVisit>();
  private readonly byHash = new Map<bigint, OpenVisit>();
  /** The visits of events whose load may come later, by website and beacon, the oldest first. */
  private readonly early = new Map<string, EarlyBeacon>();

  private readonly visitsMax: number;
  private forgotMs = -Infinity;

  constructor(private readonly options: VisitsOptions) {
    this.visitsMax = options.visitsMax ?? openVisitsMax;
    this.keys = new VisitorKeys(options.random);
  }

  get size(): number {
    return this.open.size;
  }

  /** Notes that the visitor of a page view is still there. */
  note(sign: Sign): void {
    const visit = this.known(sign);
    if (visit !== undefined) this.keepOpen(visit, sign);
  }

  /** Returns the visit of a hit, which begins with it if there is none. */
  visitOf(hit: VisitHit): HitVisit {
    this.forgetSometimes(cameOf(hit));
    const known = this.known(hit) ?? this.ofEarly(hit);
    if (known !== undefined) return this.join(known, hit);
    const hash = this.keys.hashOf(hit, cameOf(hit));
    const found = this.find(hit, hash);
    const isAgain = hit.unique && found?.forgets === true;
    const arrival = { unique: hit.unique && !isAgain, isInternal: hit.isInternal, utm: hit.utm };
    if (found !== undefined && !(hit.kind === "load" && beginsVisit(arrival, found.utm)))
      return this.join(found, hit);
    return this.begin(hit, hash, found, isAgain);
  }

  /** Forgets the visits that are over, and if there are too many some of the others. */
  forget(timeMs: number): void {
    this.forgotMs = timeMs;
    const isFull = Math.max(this.open.size, this.early.size) > this.visitsMax;
    const kept = isFull ? this.visitsMax * stayingShare : this.visitsMax;
    for (let visit: OpenVisit | undefined; (visit = this.order.oldest) !== undefined; this.remove(visit))
      if (this.open.size <= kept && mayContinue(visit, timeMs)) break;
    for (const [key, early] of this.early) {
      if (this.early.size <= kept && Math.abs(timeMs - early.timeMs) <= earlyWaitMs) break;
      this.early.delete(key);
    }
    if (this.open.size === 0) this.keys.clear();
    else this.keys.forget(timeMs);
  }

  /** Visits that are over are not looked for with every hit. */
  private forgetSometimes(timeMs: number): void {
    const isDue = Math.abs(timeMs - this.forgotMs) >= forgottenEveryMs;
    if (isDue || Math.max(this.open.size, this.early.size) > this.visitsMax) this.forget(timeMs);
  }

  private known({ websiteId, visit, timeMs }: Sign): OpenVisit | undefined {
    const known = visit === 0 ? undefined : this.open.get(idOf(websiteId, visit));
    return known !== undefined && isOpen(known, timeMs) ? known : undefined;
  }

  /** Returns the visit of an event that waits for its load. */
  private ofEarly({ websiteId, beacon, timeMs }: VisitHit): OpenVisit | undefined {
    const isNone = beacon === "" || this.early.size === 0;
    const early = isNone ? undefined : this.early.get(earlyKey(websiteId, beacon));
    const visit = early && this.open.get(early.id);
    return visit !== undefined && isOpen(visit, timeMs) ? visit : undefined;
  }

  private find(hit: VisitHit, hash: bigint): OpenVisit | undefined {
    const today = this.byHash.get(hash);
    // It took the place of the one before: hits of the past may be near that one still.
    if (today !== undefined) return isOpen(today, hit.timeMs) ? today : undefined;
    const earlier = this.keys.earlierHashOf(hit, cameOf(hit));
    const yesterday = earlier === undefined ? undefined : this.byHash.get(earlier);
    return yesterday !== undefined && isOpen(yesterday, hit.timeMs) ? yesterday : undefined;
  }

  private join(visit: OpenVisit, hit: VisitHit): HitVisit {
    this.keepOpen(visit, hit);
    if (hit.kind === "event") this.expectLoad(visit, hit);
    else if (!visit.hasPageView) {
      visit.values = visitValuesOf(hit.values, hit.isInternal);
      visit.utm = hit.utm;
      visit.hasPageView = true;
      return visitOfHit(visit, firstUnique(visit, hit), stays);
    }
    const isAgain = hit.unique && visit.forgets;
    if (hit.kind === "load") visit.forgets = !hit.isUniqueKnown || (visit.forgets && !hit.unique);
    return visitOfHit(visit, isAgain ? false : undefined, stays);
  }

  /** `before`: the visitor's visit that ends with it; `isAgain`: the visitor was counted with that one. */
  private begin(hit: VisitHit, hash: bigint, before: OpenVisit | undefined, isAgain: boolean): HitVisit {
    const { websiteId, timeMs, utm } = hit;
    const number = this.options.nextNumber(websiteId);
    assert(number < numbersMax, "a website has fewer than 2^32 visits");
    const visit: OpenVisit = {
      id: idOf(websiteId, number),
      number,
      firstMs: timeMs,
      lastMs: timeMs,
      cameMs: cameOf(hit),
      values: visitValuesOf(hit.values, isUnderWay(hit, before !== undefined)),
      utm,
      hasPageView: hit.kind === "load",
      forgets: false,
      hash: undefined,
      day: dayOf(cameOf(hit)),
      older: undefined,
      newer: undefined,
    };
    this.open.set(visit.id, visit);
    this.order.add(visit);
    this.place(visit, hash);
    if (hit.kind === "event") this.expectLoad(visit, hit);
    const undo = () => {
      this.remove(visit);
      if (before !== undefined && this.open.get(before.id) === before) this.place(before, hash);
    };
    const unique = firstUnique(visit, hit);
    return visitOfHit(visit, isAgain ? false : unique, undo);
  }

  /** Remembers the beacon of an event whose page view is not known. */
  private expectLoad(visit: OpenVisit, hit: VisitHit): void {
    if (hit.beacon === "" || hit.visit !== 0) return;
    this.early.set(earlyKey(hit.websiteId, hit.beacon), { id: visit.id, timeMs: cameOf(hit) });
  }

  private keepOpen(visit: OpenVisit, sign: Sign): void {
    const cameMs = cameOf(sign);
    visit.firstMs = Math.min(visit.firstMs, sign.timeMs);
    visit.lastMs = Math.max(visit.lastMs, sign.timeMs);
    visit.cameMs = cameMs;
    this.order.use(visit);
    const day = dayOf(cameMs);
    if (visit.hash === undefined || visit.day === day) return;
    // Under the key of the new day it is found when the old one is gone, if it is its visitor's sign.
    if (this.keys.earlierHashOf(sign, cameMs) !== visit.hash) return;
    visit.day = day;
    const hash = this.keys.hashOf(sign, cameMs);
    if (!this.byHash.has(hash)) this.place(visit, hash);
  }

  /** Lets a visit be found by a hash, and no longer by another. */
  private place(visit: OpenVisit, hash: bigint): void {
    const other = this.byHash.get(hash);
    if (other !== undefined) other.hash = undefined;
    if (visit.hash !== undefined) this.byHash.delete(visit.hash);
    visit.hash = hash;
    this.byHash.set(hash, visit);
  }

  private remove(visit: OpenVisit): void {
    if (!this.open.delete(visit.id)) return;
    this.order.remove(visit);
    if (visit.hash !== undefined) this.byHash.delete(visit.hash);
    visit.hash = undefined;
  }
}

function visitOfHit({ number, values }: OpenVisit, unique: boolean | undefined, undo: () => void): HitVisit {
  return { visit: number, visitValues: values, unique, undo };
}

/** Notes the first page view of a visit, which is a visitor's if nobody knows better. */
function firstUnique(visit: OpenVisit, { kind, isUniqueKnown, isInternal }: VisitHit): true | undefined {
  visit.forgets = kind === "load" && !isUniqueKnown;
  return visit.forgets && !isInternal ? true : undefined;
}

/**
 * Whether a visit was under way when its first hit came, so that nobody knows where it came from: the page before was
 * on the website, or it begins with an event that names no place. `hasBefore`: the visit before went on until now.
 */
function isUnderWay({ kind, isInternal, utm, values }: VisitHit, hasBefore: boolean): boolean {
  if (kind === "event") return utm === "" && values[dimensionIndex.referrer] === "";
  return isInternal && !hasBefore;
}

function cameOf({ timeMs, cameMs = timeMs }: Sign): number {
  return cameMs;
}

/** Whether a hit that comes now may belong to a visit. */
function mayContinue({ cameMs }: OpenVisit, nowMs: number): boolean {
  return nowMs - cameMs <= visitPauseMs && cameMs - nowMs <= visitMsMax;
}

function idOf(websiteId: number, visit: number): number {
  return websiteId * numbersMax + visit;
}

function earlyKey(websiteId: number, beacon: string): string {
  return `${websiteId} ${beacon}`;
}
