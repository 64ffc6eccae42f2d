/**
 * The statistics of websites, as naively as they can be written: plain arrays of page views and events, and
 * every hit looks at all of them. What the store keeps in columns is right if both say the same.
 */
import { dimensions, type Dimension, type DimensionName } from "../../src/core/dimension.ts";
import { earlyWaitMs, pageViewOpenMs, visibleMsMax } from "../../src/core/hit.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { Properties } from "../../src/core/property.ts";
import type { RecordOf } from "../../src/record/record.ts";

export type TrafficRecord =
  RecordOf<"load"> | RecordOf<"unload"> | RecordOf<"event"> | RecordOf<"import"> | RecordOf<"monthsDropped">;

/** null: past the limit on distinct values. */
export type ModelValue = string | null;

export interface ModelProperty {
  readonly name: string;
  readonly value: string;
  readonly timeMs: number;
}

interface Hit {
  readonly websiteId: number;
  readonly timeMs: number;
  readonly values: readonly ModelValue[];
  properties: ModelProperty[];
}

export interface PageView extends Hit {
  /** "": from an access log. */
  readonly beacon: string;
  readonly unique: boolean;
  readonly first: boolean;
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
}

export class Model {
  pageviews: PageView[] = [];
  /** Events that have no page view; one whose page view came later has no properties any more. */
  events: Hit[] = [];
  private waiting: Waiting[] = [];
  private readonly known = new Map<string, Set<string>>();

  constructor(readonly websiteIds: readonly number[]) {}

  apply(record: TrafficRecord): Outcome {
    if (record.kind === "monthsDropped") return this.drop(record);
    if (record.websiteId !== 0 && !this.websiteIds.includes(record.websiteId)) return "missing";
    if (record.kind === "load") return this.load(record);
    if (record.kind === "unload") return this.unload(record);
    if (record.kind === "event") return this.event(record);
    for (const past of record.loads)
      this.view({ ...past, websiteId: record.websiteId, beacon: "", properties: [] });
    return "done";
  }

  private load(record: RecordOf<"load">): Outcome {
    const { beacon, websiteId, timeMs } = record;
    const before = this.find(beacon, websiteId);
    if (before !== undefined && timeMs - before.timeMs <= pageViewOpenMs) return "duplicate";
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
    if (Math.abs(timeMs - view.timeMs) > pageViewOpenMs) return "late";
    stay(view, visibleMs ?? Math.max(0, timeMs - view.timeMs));
    return "done";
  }

  private event({ beacon, websiteId, timeMs, values, properties }: RecordOf<"event">): Outcome {
    const own = timed(properties, timeMs);
    const attach = (view: PageView, moved: readonly ModelProperty[]) => {
      view.evented = true;
      view.properties.push(...moved);
    };
    const view = beacon === "" ? undefined : this.find(beacon, websiteId);
    if (view !== undefined && Math.abs(timeMs - view.timeMs) <= pageViewOpenMs) {
      attach(view, own);
      return "done";
    }
    if (values === null) {
      if (view !== undefined) return "late";
      this.waiting.push({ beacon, websiteId, timeMs, claim: (late) => attach(late, own) });
      return "done";
    }
    const bare: Hit = { websiteId, timeMs, values: this.limited(websiteId, values), properties: own };
    this.events.push(bare);
    if (beacon !== "" && view === undefined) {
      const claim = (late: PageView) => {
        attach(late, bare.properties);
        bare.properties = [];
      };
      this.waiting.push({ beacon, websiteId, timeMs, claim });
    }
    return "done";
  }

  /** A value that only dropped hits had is as new as it ever was. */
  private drop({ beforeMs }: RecordOf<"monthsDropped">): Outcome {
    const stays = ({ timeMs }: { readonly timeMs: number }) => timeMs >= beforeMs;
    this.pageviews = this.pageviews.filter(stays);
    this.events = this.events.filter(stays);
    this.waiting = this.waiting.filter(stays);
    this.known.clear();
    for (const { websiteId, values } of [...this.pageviews, ...this.events])
      values.forEach((value, index) => {
        if (value !== null) this.knownOf(websiteId, (dimensions[index] as Dimension).name).add(value);
      });
    return "done";
  }

  /** The latest page view with this beacon; websiteId 0: on any website. */
  private find(beacon: string, websiteId: number): PageView | undefined {
    return this.pageviews
      .filter((view) => view.beacon === beacon && (websiteId === 0 || view.websiteId === websiteId))
      .sort((a, b) => a.timeMs - b.timeMs)
      .at(-1);
  }

  private view(load: Omit<RecordOf<"load">, "kind">): PageView {
    const { websiteId, timeMs, beacon, unique, seen, properties } = load;
    const view: PageView = {
      websiteId,
      timeMs,
      beacon,
      values: this.limited(websiteId, load.values),
      unique,
      first: unique || !seen,
      durationMs: null,
      evented: false,
      properties: timed(properties, timeMs),
    };
    this.pageviews.push(view);
    return view;
  }

  /** A value that is new when its dimension has as many as it may have is one of the others. */
  private limited(websiteId: number, values: readonly string[]): ModelValue[] {
    return dimensions.map(({ name, valuesMax }, index) => {
      const known = this.knownOf(websiteId, name);
      const value = values[index] as string;
      if (known.size < valuesMax) known.add(value);
      return known.has(value) ? value : null;
    });
  }

  private knownOf(websiteId: number, name: DimensionName): Set<string> {
    const key = `${websiteId} ${name}`;
    const known = this.known.get(key) ?? new Set<string>();
    this.known.set(key, known);
    return known;
  }
}

function stay(view: PageView, ms: number): void {
  view.durationMs = Math.max(view.durationMs ?? 0, Math.min(ms, visibleMsMax));
}

function timed(properties: Properties, timeMs: number): ModelProperty[] {
  return properties.map(([name, value]) => ({ name, value, timeMs }));
}
