/**
 * The visits that go on: which one a hit belongs to. A hit with a known page view belongs to its visit; only a load, or
 * an event without one, looks for a visit by the hash of its visitor (`visitor-key.ts`). All of it is in memory only,
 * until half an hour after the visit's last sign of life, and of the latest `openVisitsMax` visits of all websites. As many
 * more are those that only tokens have sent hits of: whoever has a token may name any visitors, and pushes no others out.
 */
import {
  dimensionIndex,
  visitValuesOf,
  type DimensionValues,
  type VisitValues,
} from "../../core/questions/stored-dimension.ts";
import { utcDay } from "../../core/calendar/date.ts";
import { earlyWaitMs } from "../../core/hit.ts";
import { assert } from "../../lib/assert.ts";
import { noSlot } from "../../lib/collections/chains.ts";
import { TextMap } from "../../lib/collections/text-map.ts";
import type { Random } from "../../lib/random.ts";
import { beginsVisit, isOpenAt, isUnderWayBefore, mayContinue, type Arrival } from "./visit-rules.ts";
import { browsers, VisitTable } from "./visit-table.ts";
import { VisitorKeys, type Visitor } from "./visitor-key.ts";

/**
 * The most visits of browsers that are known to go on, and the most of tokens. If there are more, the one whose last sign of
 * life is longest ago is forgotten: among those of tokens, one of the account that has the most. Exported for tests.
 */
export const openVisitsMax = 65_536;
/** The share of the most that stays then. */
const stayingShare = 15 / 16;
const forgottenEveryMs = 1_000;
/** A table of visits has room for so many websites, and numbers of visits of each. */
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
  /** Whether a visitor with a visit that goes on is not new, whatever the browser says. */
  readonly mayBeKnown?: boolean;
  /** The website says that the referrer is not a source: a visit that begins there is direct. `isInternal` is true then. */
  readonly isIgnored: boolean;
  /** "" for none. */
  readonly beacon: string;
  /** The values of dimensions as they are logged. */
  readonly values: DimensionValues;
}

export interface HitVisit {
  readonly visit: number;
  readonly visitValues: VisitValues;
  /** Whether the load is the first page view of a visitor; undefined where the visit does not decide that. */
  readonly unique: boolean | undefined;
  /** Forgets the visit if this hit began it: it was not logged. */
  readonly undo: () => void;
}

/** A beacon of an event whose load may come later. */
interface EarlyBeacon {
  readonly visit: number;
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
  private readonly table = new VisitTable();
  /** The visits of events whose load may come later, by website and beacon, the oldest first. */
  private readonly early = new TextMap<EarlyBeacon>();

  private readonly visitsMax: number;
  private forgotMs = -Infinity;

  constructor(private readonly options: VisitsOptions) {
    this.visitsMax = options.visitsMax ?? openVisitsMax;
    this.keys = new VisitorKeys(options.random);
  }

  get size(): number {
    return this.table.size;
  }

  /** Notes that the visitor of a page view is still there. */
  note(sign: Sign): void {
    const slot = this.known(sign);
    if (slot !== noSlot) this.keepOpen(slot, sign);
  }

  /** Returns the visit of a hit, which begins with it if there is none. */
  visitOf(hit: VisitHit): HitVisit {
    this.forgetSometimes(cameOf(hit));
    const known = this.known(hit);
    if (known !== noSlot) return this.join(known, hit);
    const early = this.ofEarly(hit);
    if (early !== noSlot && this.table.columns.hasPageView[early] === 0) return this.join(early, hit);
    const hash = this.keys.hashOf(hit, cameOf(hit));
    const found = early === noSlot ? this.find(hit, hash) : early;
    const isAgain = found !== noSlot && this.isAgain(found, hit);
    const arrival = { unique: hit.unique && !isAgain, isInternal: hit.isInternal, utm: digestOf(hit.utm) };
    if (found !== noSlot && !(hit.kind === "load" && beginsVisit(arrival, this.table.utm[found]!)))
      return this.join(found, hit);
    return this.begin(hit, hash, found, isAgain);
  }

  /** Forgets the visits that are over, and if there are too many some of the others. */
  forget(timeMs: number): void {
    this.forgotMs = timeMs;
    const { table, early, visitsMax } = this;
    for (const account of table.accounts)
      for (let slot: number; (slot = table.oldestOf(account)) !== noSlot; table.remove(slot))
        if (mayContinue(table.columns.cameMs[slot]!, timeMs)) break;
    const kept = visitsMax * stayingShare;
    if (table.sizeOf(browsers) >= visitsMax)
      while (table.sizeOf(browsers) > kept) table.remove(table.oldestOf(browsers));
    if (this.sizeOfTokens >= visitsMax)
      while (this.sizeOfTokens > kept) table.remove(table.oldestOf(this.largestAccount()));
    const keptEarly = early.size >= visitsMax ? kept : visitsMax;
    for (let oldest = early.oldest(); oldest !== undefined; oldest = early.oldest()) {
      const [beacon, latest] = oldest;
      if (early.size <= keptEarly && Math.abs(timeMs - latest.timeMs) <= earlyWaitMs) break;
      early.delete(beacon);
    }
    if (table.size === 0) this.keys.clear();
    else this.keys.forget(timeMs);
  }

  /** Visits that are over are not looked for with every hit. */
  private forgetSometimes(timeMs: number): void {
    const isDue = Math.abs(timeMs - this.forgotMs) >= forgottenEveryMs;
    const most = Math.max(this.table.sizeOf(browsers), this.sizeOfTokens, this.early.size);
    if (isDue || most >= this.visitsMax) this.forget(timeMs);
  }

  private get sizeOfTokens(): number {
    return this.table.size - this.table.sizeOf(browsers);
  }

  /** Returns the account whose tokens have the most visits. */
  private largestAccount(): number {
    const { table } = this;
    const accounts = [...table.accounts].filter((account) => account !== browsers);
    return accounts.reduce((most, account) => (table.sizeOf(account) > table.sizeOf(most) ? account : most));
  }

  private known({ websiteId, visit, timeMs }: Sign): number {
    return visit === 0 ? noSlot : this.ifOpen(this.table.find(websiteId, visit), timeMs);
  }

  /** Returns the visit of an event that waits for its load. */
  private ofEarly({ websiteId, beacon, timeMs }: VisitHit): number {
    if (beacon === "" || this.early.size === 0) return noSlot;
    const early = this.early.get(`${websiteId} ${beacon}`);
    return early === undefined ? noSlot : this.ifOpen(this.table.find(websiteId, early.visit), timeMs);
  }

  private find(hit: VisitHit, hash: bigint): number {
    const today = this.table.findHash(hash);
    // It took the place of the one before: hits of the past may be near that one still.
    if (today !== noSlot) return this.ifOpen(today, hit.timeMs);
    const earlier = this.keys.earlierHashOf(hit, cameOf(hit));
    return earlier === undefined ? noSlot : this.ifOpen(this.table.findHash(earlier), hit.timeMs);
  }

  private ifOpen(slot: number, timeMs: number): number {
    const { firstMs, lastMs } = this.table.columns;
    return slot !== noSlot && isOpenAt(firstMs[slot]!, lastMs[slot]!, timeMs) ? slot : noSlot;
  }

  private join(slot: number, hit: VisitHit): HitVisit {
    this.keepOpen(slot, hit);
    const { table } = this;
    const { hasPageView, forgets } = table.columns;
    if (hit.kind === "event") this.expectLoad(slot, hit);
    else if (hasPageView[slot] === 0) {
      const values = visitValuesOf(hit.values, isUnderWay(hit, false));
      table.setValues(slot, values);
      table.utm[slot] = digestOf(hit.utm);
      hasPageView[slot] = 1;
      return this.visitOfHit(slot, values, this.firstUnique(slot, hit), stays);
    }
    const isAgain = this.isAgain(slot, hit);
    if (hit.kind === "load")
      forgets[slot] = Number(!hit.isUniqueKnown || (forgets[slot] === 1 && !hit.unique));
    return this.visitOfHit(slot, table.valuesOf(slot), isAgain ? false : undefined, stays);
  }

  /** Whether a visitor who is new by the browser was counted with this visit, which goes on. */
  private isAgain(slot: number, { unique, mayBeKnown = false }: VisitHit): boolean {
    return unique && (mayBeKnown || this.table.columns.forgets[slot] === 1);
  }

  /** `before`: the visitor's visit that ends with it; `isAgain`: the visitor was counted with that one. */
  private begin(hit: VisitHit, hash: bigint, before: number, isAgain: boolean): HitVisit {
    const { websiteId, timeMs, utm } = hit;
    const visit = this.options.nextNumber(websiteId);
    assert(Math.max(visit, websiteId) < numbersMax, "websites, and visits of each, are fewer than 2^32");
    const { table } = this;
    const visitBefore = before === noSlot ? 0 : table.columns.number[before]!;
    const slot = table.add(websiteId, visit, hit.sender.account ?? browsers);
    const { columns } = table;
    columns.firstMs[slot] = columns.lastMs[slot] = timeMs;
    columns.cameMs[slot] = cameOf(hit);
    columns.day[slot] = utcDay(cameOf(hit));
    columns.hasPageView[slot] = Number(hit.kind === "load");
    const values = visitValuesOf(hit.values, isUnderWay(hit, visitBefore !== 0));
    table.setValues(slot, values);
    table.utm[slot] = digestOf(utm);
    table.place(slot, hash);
    if (hit.kind === "event") this.expectLoad(slot, hit);
    // Until then its slot may have another visit.
    const undo = () => {
      const begun = table.find(websiteId, visit);
      if (begun !== noSlot) table.remove(begun);
      const again = visitBefore === 0 ? noSlot : table.find(websiteId, visitBefore);
      if (again !== noSlot) table.place(again, hash);
    };
    const unique = this.firstUnique(slot, hit);
    return this.visitOfHit(slot, values, isAgain ? false : unique, undo);
  }

  private visitOfHit(
    slot: number,
    visitValues: VisitValues,
    unique: boolean | undefined,
    undo: () => void,
  ): HitVisit {
    return { visit: this.table.columns.number[slot]!, visitValues, unique, undo };
  }

  /** Notes the first page view of a visit, which is a visitor's if nobody knows better. */
  private firstUnique(slot: number, { kind, isUniqueKnown, isInternal }: VisitHit): true | undefined {
    const forgets = kind === "load" && !isUniqueKnown;
    this.table.columns.forgets[slot] = Number(forgets);
    return forgets && !isInternal ? true : undefined;
  }

  /** Remembers the beacon of an event whose page view is not known. */
  private expectLoad(slot: number, hit: VisitHit): void {
    const { websiteId, beacon } = hit;
    if (beacon === "" || hit.visit !== 0) return;
    const key = `${websiteId} ${beacon}`;
    this.early.set(key, { visit: this.table.columns.number[slot]!, timeMs: cameOf(hit) });
  }

  private keepOpen(slot: number, sign: Sign): void {
    const { table, keys } = this;
    const { firstMs, lastMs, cameMs, day, isPlaced, account } = table.columns;
    const timeMs = cameOf(sign);
    firstMs[slot] = Math.min(firstMs[slot]!, sign.timeMs);
    lastMs[slot] = Math.max(lastMs[slot]!, sign.timeMs);
    cameMs[slot] = timeMs;
    // Hits of known page views have no budget: by these alone anybody could move any number of visits to those of browsers.
    const isOfBrowser = sign.visit === 0 && sign.sender.account === undefined;
    table.use(slot, isOfBrowser ? browsers : account[slot]!);
    const today = utcDay(timeMs);
    if (isPlaced[slot] === 0 || day[slot] === today) return;
    // Under the key of the new day it is found when the old one is gone, if it is its visitor's sign.
    const earlier = keys.earlierHashOf(sign, timeMs);
    if (earlier === undefined || !table.hasHash(slot, earlier)) return;
    day[slot] = today;
    const hash = keys.hashOf(sign, timeMs);
    if (table.findHash(hash) === noSlot) table.place(slot, hash);
  }
}

/**
 * Whether a visit was under way when its first hit came, so that nobody knows where it came from: the page before was
 * on the website, or it begins with an event that names no place. `hasBefore`: the visit before went on until now.
 */
function isUnderWay(hit: VisitHit, hasBefore: boolean): boolean {
  if (hit.kind === "event") return hit.utm === "" && hit.values[dimensionIndex.referrer] === "";
  return isUnderWayBefore(hit) && !hit.isIgnored && !hasBefore;
}

/** They are compared and no more: a hit may have 1,300 characters of them, which need not be names that are kept apart. */
function digestOf(utm: string): string {
  return utm === "" ? "" : Bun.hash(utm).toString(36);
}

const cameOf = ({ timeMs, cameMs = timeMs }: Sign): number => cameMs;
