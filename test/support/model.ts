/**
 * The statistics of websites, written as naively as possible: plain arrays of page views and events, where every hit
 * looks at all of them. The store's columns are right if both give the same answers.
 */
import { noVisitValues, ownDimension, storedDimensions } from "../../src/core/questions/stored-dimension.ts";
import { earlyWaitMs, pageViewOpenMs, visibleMsMax } from "../../src/core/hit.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { PastLoad, RecordOf } from "../../src/record/record.ts";
import { ModelIds } from "./model-ids.ts";
import { isRemovedBy, passFirstsOn } from "./model-removal.ts";

export type TrafficRecord =
  | RecordOf<"load">
  | RecordOf<"unload">
  | RecordOf<"event">
  | RecordOf<"import">
  | RecordOf<"monthsDropped">
  | RecordOf<"rowsRemoved">;

/** null: not kept apart. */
export type ModelValue = string | null;

export interface ModelProperty {
  readonly name: ModelValue;
  readonly value: ModelValue;
  readonly timeMs: number;
  /** null: no JSON number. */
  readonly number: number | null;
  /** It rises in the order in which properties came to their page view or event. */
  readonly order: number;
}

/** Names and values of properties that a website knows. */
interface Known {
  readonly names: Set<ModelValue>;
  readonly values: Set<ModelValue>;
}

export interface Hit {
  readonly websiteId: number;
  readonly timeMs: number;
  /** 0: none. */
  readonly visit: number;
  /** In the order of `storedDimensions`. */
  readonly values: readonly ModelValue[];
  properties: ModelProperty[];
}

export interface PageView extends Hit {
  /** "": from an access log. */
  readonly beacon: string;
  unique: boolean;
  first: boolean;
  /** null: unknown. */
  durationMs: number | null;
  evented: boolean;
  /** Whether its visit begins with it, and ends with it so far. */
  entry: boolean;
  exit: boolean;
  /** Whether it is an entry, and another page view or an event of the visit came. */
  wentOn: boolean;
}

type Changing<T> = { -readonly [K in keyof T]: T[K] };

interface Waiting {
  readonly beacon: string;
  /** 0: any. */
  readonly websiteId: number;
  readonly timeMs: number;
  readonly claim: (view: PageView, loadMs: number) => void;
  /** The event, if it has a place of its own until then. */
  readonly bare?: Hit;
}

export class Model {
  pageviews: PageView[] = [];
  /** Events that have no page view; one whose page view came later has no properties any more. */
  events: Hit[] = [];
  /** Page views that were removed: hits of theirs are taken, and change nothing. */
  private removed: PageView[] = [];
  private waiting: Waiting[] = [];
  private readonly known = new Map<number, Known>();
  /** By website and number of the visit: all its hits, also those that were removed. */
  private readonly visits = new Map<string, Hit[]>();
  private readonly ids = new ModelIds();
  private orders = 0;

  constructor(readonly websiteIds: readonly number[]) {}

  apply(record: TrafficRecord): Outcome {
    if (record.kind === "monthsDropped") return this.drop(record);
    if (record.websiteId !== 0 && !this.websiteIds.includes(record.websiteId)) return "missing";
    if (record.kind === "load") return this.load(record);
    if (record.kind === "unload") return this.unload(record);
    if (record.kind === "event") return this.event(record);
    if (record.kind === "rowsRemoved") return this.remove(record);
    for (const past of record.loads) this.past(past, record.websiteId);
    return "done";
  }

  private past(past: PastLoad, websiteId: number): void {
    const { isBare = false, visibleMs = null, properties: given = [] } = past;
    const load = { ...past, websiteId, beacon: "", properties: [] };
    const hit = isBare ? this.bare(load, []) : this.view(load);
    if (!isBare && visibleMs !== null) stay(hit as PageView, visibleMs);
    for (const own of given) {
      hit.properties.push(...this.taken(websiteId, own, own.timeMs, true));
      if (!isBare && own.isEvent) this.mark(hit as PageView);
    }
  }

  /** Marks that a page view had an event. */
  private mark(view: PageView): void {
    view.evented = true;
    for (const other of this.ofVisit(view).views) other.wentOn = true;
  }

  /** Adds an event that has no page view. */
  private bare(
    { websiteId, timeMs, values, visitValues, visit = 0 }: Omit<RecordOf<"load">, "kind">,
    properties: ModelProperty[],
  ): Hit {
    const bare: Hit = { websiteId, timeMs, values: valuesWithVisit(values, visitValues), visit, properties };
    for (const entry of this.ofVisit(bare).views) entry.wentOn = true;
    this.join(bare);
    this.events.push(bare);
    return bare;
  }

  private load(record: RecordOf<"load">): Outcome {
    const { beacon, websiteId, timeMs } = record;
    const before = this.find(beacon, websiteId);
    const isOpen =
      before !== undefined && (this.isRemoved(before) || timeMs - before.timeMs <= pageViewOpenMs);
    if (isOpen && !this.isAnotherPage(record, before)) return "duplicate";
    const view = this.view(record);
    if (isOpen) view.unique = false;
    const claimed = this.waiting.filter(
      (early) =>
        early.beacon === beacon &&
        (early.websiteId === 0 || early.websiteId === websiteId) &&
        timeMs - early.timeMs <= earlyWaitMs,
    );
    this.waiting = this.waiting.filter((early) => !claimed.includes(early));
    for (const { claim } of claimed) claim(view, timeMs);
    return "done";
  }

  /** A route of a tracker that has one beacon for all of them. */
  private isAnotherPage({ sharesBeacon, values }: RecordOf<"load">, before: PageView): boolean {
    if (sharesBeacon !== true) return false;
    return this.isRemoved(before) || values[0] === null || values[0] !== before.values[0];
  }

  private unload({ beacon, websiteId, timeMs, visibleMs }: RecordOf<"unload">): Outcome {
    const view = this.find(beacon, websiteId);
    if (view === undefined) {
      if (visibleMs !== null)
        this.waiting.push({ beacon, websiteId, timeMs, claim: (late) => stay(late, visibleMs) });
      return "done";
    }
    if (this.isRemoved(view)) return "done";
    if (Math.abs(timeMs - view.timeMs) > pageViewOpenMs) return "late";
    stay(view, visibleMs ?? Math.max(0, timeMs - view.timeMs));
    return "done";
  }

  private event(record: RecordOf<"event">): Outcome {
    const { beacon, websiteId, timeMs, values, properties, numbers = [], isAdmitted = true } = record;
    const own = { properties, numbers };
    const attach = (view: PageView, moved?: readonly ModelProperty[]) => {
      this.mark(view);
      const given = moved ?? this.taken(view.websiteId, own, timeMs, isAdmitted);
      view.properties.push(...this.moved(given, record.isApart ? freeMs(view, timeMs) : timeMs));
    };
    const view = beacon === "" ? undefined : this.find(beacon, websiteId);
    if (this.ids.has(record, view?.websiteId ?? websiteId)) return "duplicate";
    if (view !== undefined && this.isRemoved(view)) return "done";
    if (view !== undefined && Math.abs(timeMs - view.timeMs) <= pageViewOpenMs) {
      this.ids.add(record, view.websiteId, timeMs);
      attach(view);
      return "done";
    }
    if (values === null) {
      if (view !== undefined) return "late";
      const claim = (late: PageView, loadMs: number) => {
        if (this.ids.has(record, late.websiteId)) return;
        this.ids.add(record, late.websiteId, loadMs);
        attach(late);
      };
      this.waiting.push({ beacon, websiteId, timeMs, claim });
      return "done";
    }
    this.ids.add(record, websiteId, timeMs);
    const taken = this.taken(websiteId, own, timeMs, isAdmitted);
    const bare = this.bare({ ...record, values, unique: false, seen: false }, taken);
    if (beacon !== "" && view === undefined) {
      const claim = (late: PageView) => {
        attach(late, bare.properties);
        bare.properties = [];
      };
      this.waiting.push({ beacon, websiteId, timeMs, claim, bare });
    }
    return "done";
  }

  /** A value that only dropped hits had is as new as it ever was. */
  private drop({ beforeMs }: RecordOf<"monthsDropped">): Outcome {
    const stays = ({ timeMs }: { readonly timeMs: number }) => timeMs >= beforeMs;
    this.pageviews = this.pageviews.filter(stays);
    this.events = this.events.filter(stays);
    this.waiting = this.waiting.filter(stays);
    this.removed = this.removed.filter(stays);
    this.knowAgain();
    return "done";
  }

  private remove(record: RecordOf<"rowsRemoved">): Outcome {
    const goes = (hit: Hit) => isRemovedBy(record, hit);
    const views = this.pageviews.filter(({ websiteId }) => websiteId === record.websiteId);
    passFirstsOn(views, goes);
    this.removed.push(...views.filter(goes));
    this.pageviews = this.pageviews.filter((view) => !goes(view));
    this.waiting = this.waiting.filter(({ bare }) => bare === undefined || !goes(bare));
    this.events = this.events.filter((event) => !goes(event));
    this.knowAgain();
    return "done";
  }

  /** Names of a website are not kept apart any more; `isFolded`: a kind is a dimension, `property.name` or `property.value`. */
  fold(websiteId: number, isFolded: (kind: string, name: string) => boolean): void {
    const rest = (kind: string, name: ModelValue) => (name !== null && isFolded(kind, name) ? null : name);
    for (const hit of [...this.pageviews, ...this.events, ...this.removed] as Changing<Hit>[]) {
      if (hit.websiteId !== websiteId) continue;
      hit.values = hit.values.map((value, at) => rest(ownDimension(storedDimensions[at]!.name), value));
      for (const property of hit.properties as Changing<ModelProperty>[]) {
        property.name = rest("property.name", property.name);
        property.value = rest("property.value", property.value);
      }
    }
    const { names, values } = this.knownOf(websiteId);
    for (const name of names) if (rest("property.name", name) === null) names.delete(name);
    for (const value of values) if (rest("property.value", value) === null) values.delete(value);
  }

  private knowAgain(): void {
    this.known.clear();
    for (const { websiteId, properties } of [...this.pageviews, ...this.events])
      for (const { name, value } of properties) this.know(websiteId, name, value);
  }

  private isRemoved(view: PageView): boolean {
    return this.removed.includes(view);
  }

  /** The latest page view with this beacon, a removed one if there is no other; websiteId 0: on any website. */
  private find(beacon: string, websiteId: number): PageView | undefined {
    const isAsked = (view: PageView) =>
      view.beacon === beacon && (websiteId === 0 || view.websiteId === websiteId);
    const kept = this.pageviews.filter(isAsked).sort((a, b) => a.timeMs - b.timeMs);
    return kept.at(-1) ?? this.removed.find(isAsked);
  }

  private view(load: Omit<RecordOf<"load">, "kind">): PageView {
    const { websiteId, timeMs, beacon, unique, seen } = load;
    const view: PageView = {
      websiteId,
      timeMs,
      beacon,
      values: valuesWithVisit(load.values, load.visitValues),
      unique,
      first: unique || !seen,
      durationMs: null,
      evented: false,
      visit: load.visit ?? 0,
      entry: false,
      exit: false,
      wentOn: false,
      properties: this.taken(websiteId, load, timeMs, true),
    };
    this.joinVisit(view);
    this.pageviews.push(view);
    return view;
  }

  /** The first page view of a visit is its entry, the last one its exit. */
  private joinVisit(view: PageView): void {
    if (view.visit === 0) return;
    const { views, events } = this.ofVisit(view);
    for (const before of views) {
      before.exit = false;
      before.wentOn = true;
    }
    view.entry = views.length === 0;
    view.exit = true;
    view.wentOn = events.length > 0;
    this.join(view);
  }

  private join(hit: Hit): void {
    this.visits.set(visitKey(hit), [...(this.visits.get(visitKey(hit)) ?? []), hit]);
  }

  /** The hits of the visit of a hit that are still there. */
  private ofVisit(hit: Hit): { readonly views: PageView[]; readonly events: Hit[] } {
    const hits = hit.visit === 0 ? [] : (this.visits.get(visitKey(hit)) ?? []);
    return {
      views: (hits as PageView[]).filter((view) => this.pageviews.includes(view)),
      events: hits.filter((other) => this.events.includes(other)),
    };
  }

  /** The properties as the website has them: a new name or value that is not admitted is one of the others. */
  private taken(
    websiteId: number,
    { properties, numbers = [] }: Pick<RecordOf<"load">, "properties" | "numbers">,
    timeMs: number,
    isAdmitted: boolean,
  ): ModelProperty[] {
    return properties.map(([name, value], at) => {
      if (isAdmitted) this.know(websiteId, name, value);
      const { names, values } = this.knownOf(websiteId);
      return {
        name: names.has(name) ? name : null,
        value: values.has(value) ? value : null,
        timeMs,
        number: numbers[at] ?? null,
        order: this.orders++,
      };
    });
  }

  /** Properties that come to another page view come after all others. */
  private moved(properties: readonly ModelProperty[], timeMs: number): ModelProperty[] {
    return properties.map((property) => ({ ...property, timeMs, order: this.orders++ }));
  }

  private know(websiteId: number, name: ModelValue, value: ModelValue): void {
    const { names, values } = this.knownOf(websiteId);
    names.add(name);
    values.add(value);
  }

  private knownOf(websiteId: number): Known {
    return this.known.getOrInsertComputed(websiteId, () => ({ names: new Set(), values: new Set() }));
  }
}

/** The values in the order of `storedDimensions`. */
function valuesWithVisit(values: readonly ModelValue[], ofVisit: readonly ModelValue[] = noVisitValues) {
  return [...values, ...ofVisit];
}

function visitKey({ websiteId, visit }: Hit): string {
  return `${websiteId} ${visit}`;
}

function stay(view: PageView, ms: number): void {
  view.durationMs = Math.max(view.durationMs ?? 0, Math.min(ms, visibleMsMax));
}

/** Returns the time, or the next after it, that no property of a page view has. */
function freeMs({ properties }: PageView, timeMs: number): number {
  const isTaken = properties.some((property) => property.timeMs === timeMs);
  return isTaken ? freeMs({ properties } as PageView, timeMs + 1) : timeMs;
}
