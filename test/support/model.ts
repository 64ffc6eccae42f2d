/**
 * The statistics of websites, written as naively as possible: plain arrays of page views and events, where every hit
 * looks at all of them. The store's columns are right if both give the same answers.
 */
import { earlyWaitMs, pageViewOpenMs, visibleMsMax } from "../../src/core/hit.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { Properties } from "../../src/core/property.ts";
import type { RecordOf } from "../../src/record/record.ts";
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
}

/** Names and values of properties that a website knows. */
interface Known {
  readonly names: Set<ModelValue>;
  readonly values: Set<ModelValue>;
}

export interface Hit {
  readonly websiteId: number;
  readonly timeMs: number;
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
}

interface Waiting {
  readonly beacon: string;
  /** 0: any. */
  readonly websiteId: number;
  readonly timeMs: number;
  readonly claim: (view: PageView) => void;
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

  constructor(readonly websiteIds: readonly number[]) {}

  apply(record: TrafficRecord): Outcome {
    if (record.kind === "monthsDropped") return this.drop(record);
    if (record.websiteId !== 0 && !this.websiteIds.includes(record.websiteId)) return "missing";
    if (record.kind === "load") return this.load(record);
    if (record.kind === "unload") return this.unload(record);
    if (record.kind === "event") return this.event(record);
    if (record.kind === "rowsRemoved") return this.remove(record);
    for (const past of record.loads)
      this.view({ ...past, websiteId: record.websiteId, beacon: "", properties: [] });
    return "done";
  }

  private load(record: RecordOf<"load">): Outcome {
    const { beacon, websiteId, timeMs } = record;
    const before = this.find(beacon, websiteId);
    if (before !== undefined && (this.isRemoved(before) || timeMs - before.timeMs <= pageViewOpenMs))
      return "duplicate";
    const view = this.view(record);
    const claimed = this.waiting.filter(
      (early) =>
        early.beacon === beacon &&
        (early.websiteId === 0 || early.websiteId === websiteId) &&
        timeMs - early.timeMs <= earlyWaitMs,
    );
    this.waiting = this.waiting.filter((early) => !claimed.includes(early));
    for (const { claim } of claimed) claim(view);
    return "done";
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
    const { beacon, websiteId, timeMs, values, properties, isAdmitted = true } = record;
    const attach = (view: PageView, moved?: readonly ModelProperty[]) => {
      view.evented = true;
      view.properties.push(...(moved ?? this.taken(view.websiteId, properties, timeMs, isAdmitted)));
    };
    const view = beacon === "" ? undefined : this.find(beacon, websiteId);
    if (view !== undefined && this.isRemoved(view)) return "done";
    if (view !== undefined && Math.abs(timeMs - view.timeMs) <= pageViewOpenMs) {
      attach(view);
      return "done";
    }
    if (values === null) {
      if (view !== undefined) return "late";
      this.waiting.push({ beacon, websiteId, timeMs, claim: (late) => attach(late) });
      return "done";
    }
    const taken = this.taken(websiteId, properties, timeMs, isAdmitted);
    const bare: Hit = { websiteId, timeMs, values, properties: taken };
    this.events.push(bare);
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
    const { websiteId, timeMs, beacon, unique, seen, properties } = load;
    const view: PageView = {
      websiteId,
      timeMs,
      beacon,
      values: load.values,
      unique,
      first: unique || !seen,
      durationMs: null,
      evented: false,
      properties: this.taken(websiteId, properties, timeMs, true),
    };
    this.pageviews.push(view);
    return view;
  }

  /** The properties as the website has them: a new name or value that is not admitted is one of the others. */
  private taken(
    websiteId: number,
    properties: Properties,
    timeMs: number,
    isAdmitted: boolean,
  ): ModelProperty[] {
    return properties.map(([name, value]) => {
      if (isAdmitted) this.know(websiteId, name, value);
      const { names, values } = this.knownOf(websiteId);
      return { name: names.has(name) ? name : null, value: values.has(value) ? value : null, timeMs };
    });
  }

  private know(websiteId: number, name: ModelValue, value: ModelValue): void {
    const { names, values } = this.knownOf(websiteId);
    names.add(name);
    values.add(value);
  }

  private knownOf(websiteId: number): Known {
    const known = this.known.get(websiteId) ?? { names: new Set(), values: new Set() };
    this.known.set(websiteId, known);
    return known;
  }
}

function stay(view: PageView, ms: number): void {
  view.durationMs = Math.max(view.durationMs ?? 0, Math.min(ms, visibleMsMax));
}
