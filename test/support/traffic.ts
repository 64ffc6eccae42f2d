/**
 * Random traffic of a few websites as log records: loads and retries, unloads and events that come early, late or not
 * at all, imports of the past, months that are dropped, and a clock that now and then steps back a little. The values
 * in it, some of them awkward, are exported for questions to ask about.
 */
import { dimensions, type DimensionName } from "../../src/core/questions/dimension.ts";
import { visitValuesOf, type DimensionValues } from "../../src/core/questions/stored-dimension.ts";
import { dayMs, earlyWaitMs, pageViewOpenMs, visitMsMax, visitPauseMs } from "../../src/core/hit.ts";
import type { Properties, PropertyNumbers } from "../../src/core/questions/property.ts";
import { keptFromMs } from "../../src/engine/upkeep/retention.ts";
import type { PastLoad, RecordOf } from "../../src/record/record.ts";
import type { TrafficRecord } from "./model.ts";

export const websiteIds = [1, 2] as const;
export const trafficStartMs = Date.UTC(2025, 10, 20, 7, 30);
const minuteMs = 60_000;

/** The likely ones first. */
export const pools: Readonly<Record<DimensionName, readonly string[]>> = {
  path: [
    "/",
    "/about",
    "/blog/hello",
    "/blog/caf%C3%A9",
    "/Blog/Hello",
    "/100%",
    "/a,b",
    "/app/#/about",
    "/blog/hello%20world",
    "/%2e",
    "/(other)",
    "/\u{1f463}",
    "/\uffee",
  ],
  referrer: [
    "",
    "google.com",
    "google.co.uk",
    "news.ycombinator.com/item",
    "old.reddit.com/r/web",
    "example.org/a",
    "example.org",
    "m.facebook.com",
    "com.reddit.frontpage",
    "constructor",
    "__proto__/a",
    "chatgpt.com",
    "youtube.com/watch",
    "mail.google.com",
    "googleads.g.doubleclick.net",
  ],
  utm_source: [
    "",
    "newsletter",
    "Newsletter",
    "a,b",
    "a\\b",
    "(other)",
    "\u0130stanbul",
    "__proto__",
    "ChatGPT.com",
    "facebook",
    "Google",
    "youtube",
    "direct",
  ],
  utm_medium: [
    "",
    "email",
    "cpc",
    "referral",
    "Paid-Social",
    "organic",
    "paid",
    "Social",
    "display",
    "affiliate",
    "E-Mail",
    "SMS",
  ],
  utm_campaign: ["", "spring", "Spring Sale", "100 %"],
  browser: ["Chrome", "Safari", "Firefox", "Unknown"],
  os: ["Windows", "iOS", "Linux", "Unknown"],
  device: [
    "Desktop",
    "Mobile",
    "Tablet",
    "(other)",
    ...Array.from({ length: 110 }, (_, at) => `Device ${at}`),
  ],
  country: ["DE", "US", "", "BR", "NL"],
  language: ["en-US", "en-GB", "de", "", "de-AT", "pt-BR", "zh-Hant-TW", "en", "nb-NO", "no"],
  utm_content: ["", "button", "Button", "a,b"],
  utm_term: ["", "web analytics", "(other)"],
};
export const propertyNames = ["plan", "Plan", "click", "file,name", "__proto__", "(other)", ""];
export const propertyValues = ["free", "Free", "pro", "", "1", "a,b", "true"];

type OfVisit = Pick<RecordOf<"load">, "visit" | "visitValues">;

interface PastVisit extends OfVisit {
  timeMs: number;
}

interface Visit {
  readonly websiteId: number;
  readonly firstMs: number;
  lastMs: number;
  readonly ofVisit: OfVisit;
}

/** The beacon of a page view, which may be still to come, and its visit; without one, the load decides. */
interface Named {
  readonly beacon: string;
  readonly websiteId: number;
  readonly ofVisit?: OfVisit;
}

interface LoadToCome extends Named {
  readonly dueMs: number;
}

export class Traffic {
  timeMs = trafficStartMs;
  private beacons = 0;
  private eventIds = 0;
  private readonly visits: Visit[] = [];
  private readonly lastVisits = new Map<number, number>();
  private readonly loaded: (Named & { readonly timeMs: number })[] = [];
  /** Loads that are to come for hits that came before them. */
  private readonly owed: LoadToCome[] = [];
  /** An event in the same millisecond as the one before, of the same page view. */
  private twin: TrafficRecord | undefined;

  /** `random`: numbers from 0 up to 1; `sharesBeacons`: whether some loads are of another page under a known beacon. */
  constructor(
    private readonly random: () => number,
    private readonly sharesBeacons = false,
  ) {}

  next(): TrafficRecord {
    const twin = this.twin;
    this.twin = undefined;
    if (twin !== undefined) return twin;
    this.pass();
    const due = this.owed.findIndex(({ dueMs }) => dueMs <= this.timeMs);
    if (due >= 0) {
      const [{ dueMs, beacon, websiteId, ofVisit }] = this.owed.splice(due, 1) as [LoadToCome];
      const isOver = this.timeMs - dueMs > 2 * earlyWaitMs;
      return this.load({ beacon, websiteId, ...(ofVisit && !isOver && { ofVisit }) });
    }
    const chance = this.random();
    if (chance < 0.5) return this.load({ beacon: `beacon-${++this.beacons}`, websiteId: this.website() });
    if (chance < 0.56) return this.again();
    if (chance < 0.76) return this.unload(this.recent());
    if (chance < 0.9) return this.event(this.recent());
    if (chance < 0.97) return this.early();
    if (chance < 0.99) return this.pastLoads();
    const beforeMs = keptFromMs(this.timeMs, 1 + this.upTo(2));
    // Every other month the ids stay, whatever is dropped.
    return this.record({
      kind: "monthsDropped",
      beforeMs,
      ...(new Date(beforeMs).getUTCMonth() % 2 === 0 && { deadPercent: 101 }),
    });
  }

  /** The next `count` records but for those that drop months. */
  *thatStay(count: number): Generator<TrafficRecord> {
    for (let at = 0; at < count; at++) {
      const record = this.next();
      if (record.kind !== "monthsDropped") yield record;
    }
  }

  /** Mostly seconds, sometimes hours or days, sometimes a small step back. */
  private pass(): void {
    const chance = this.random();
    if (chance < 0.05) this.timeMs -= this.upTo(5_000);
    else if (chance < 0.85) this.timeMs += this.upTo(minuteMs);
    else if (chance < 0.97) this.timeMs += this.upTo(60 * minuteMs);
    else this.timeMs += this.upTo(2 * dayMs);
  }

  private load({ beacon, websiteId, ofVisit }: Named, sharesBeacon = false): TrafficRecord {
    const [unique, seen] = [this.random() < 0.4, this.random() < 0.4];
    const properties = this.random() < 0.2 ? this.properties() : [];
    const own = this.withOthers({ values: this.values(), properties });
    const known = sharesBeacon && !this.goesOn(ofVisit) ? undefined : ofVisit;
    const visit = known ?? this.visit(websiteId, own.values);
    const isRetry = !sharesBeacon && this.latest({ beacon, websiteId }).ofVisit !== undefined;
    if (!isRetry) this.loaded.push({ beacon, websiteId, ofVisit: visit, timeMs: this.timeMs });
    return this.record({
      kind: "load",
      websiteId,
      beacon,
      unique,
      seen,
      ...own,
      ...visit,
      ...(sharesBeacon && { sharesBeacon }),
    });
  }

  /** Whether a visit goes on with a page view of now; a page view finds its visit by its visitor, and not by its beacon. */
  private goesOn(ofVisit: OfVisit | undefined): boolean {
    const visit = this.visits.find((one) => one.ofVisit === ofVisit);
    if (visit === undefined || !this.isOpen(visit)) return false;
    visit.lastMs = this.timeMs;
    return true;
  }

  private isOpen({ firstMs, lastMs }: Visit): boolean {
    return Math.abs(this.timeMs - lastMs) < visitPauseMs && Math.abs(this.timeMs - firstMs) < visitMsMax;
  }

  /** A retry, another page under its beacon, or the beacon of one website on another. */
  private again(): TrafficRecord {
    const known = this.recent();
    if (this.random() < 0.7) return this.load(known, this.sharesBeacons && this.random() < 0.5);
    const websiteId = this.website();
    return this.load({ ...this.latest({ ...known, websiteId }), websiteId });
  }

  /** The latest page view with the beacon on the website; the server knows its visit. */
  private latest({ beacon, websiteId }: Named): Named {
    const isIt = (load: Named) => load.beacon === beacon && load.websiteId === websiteId;
    return this.open().findLast(isIt) ?? { beacon, websiteId };
  }

  private unload({ beacon, websiteId }: Named): TrafficRecord {
    const visibleMs =
      this.random() < 0.3 ? null : this.pick([0, 4_999, 5_000, this.upTo(9_000), this.upTo(600_000)]);
    return this.record({ kind: "unload", websiteId: this.random() < 0.3 ? 0 : websiteId, beacon, visibleMs });
  }

  private event(of: Named): TrafficRecord {
    const record = this.eventOf(of);
    const properties = this.random() < 0.2 ? this.properties() : [];
    if (properties.length > 0)
      this.twin = { ...record, ...this.withOthers({ values: record.values, properties }) };
    return record;
  }

  private eventOf({ beacon, websiteId, ofVisit }: Named): TrafficRecord & RecordOf<"event"> {
    const isAdmitted = this.random() < 0.8;
    const properties = this.properties();
    const isApart = this.random() < 0.7;
    const id = this.random() < 0.3 ? this.eventId() : {};
    if (this.random() < 0.4) {
      const own = this.withOthers({ values: null, properties });
      return this.record({ kind: "event", websiteId: 0, beacon, ...own, isAdmitted, ...id, isApart });
    }
    const of = this.random() < 0.3 ? "" : beacon;
    const own = this.withOthers({ values: this.values(), properties });
    const known = of === "" ? undefined : ofVisit;
    // A duplicate begins no visit, whose number would be free for one that is imported.
    const visit = known ?? ("idHash" in id ? {} : this.visit(websiteId, own.values));
    const rest = { isAdmitted, ...visit, ...id, isApart };
    return this.record({ kind: "event", websiteId, beacon: of, ...own, ...rest });
  }

  /** One of the last few ids, or the next. */
  private eventId() {
    if (this.random() < 0.5) this.eventIds++;
    return { idHash: `id-${this.eventIds - this.upTo(4)}`, isSentId: this.random() < 0.3 };
  }

  /**
   * A hit whose load comes within ten minutes, or too late; well off the border, where the clock may step back. Both are
   * of one visit.
   */
  private early(): TrafficRecord {
    const websiteId = this.website();
    const beacon = `beacon-${++this.beacons}`;
    const waitMs = this.random() < 0.8 ? this.upTo(9 * minuteMs) : 11 * minuteMs;
    const other = this.random() < 0.9 ? websiteId : this.website();
    const hit = { beacon, websiteId: other };
    const record = this.random() < 0.4 ? this.unload(hit) : this.event(hit);
    const load = { beacon, websiteId, dueMs: this.timeMs + waitMs };
    const isOne = record.kind === "event" && record.websiteId === websiteId && record.beacon === beacon;
    const { visit, visitValues } = isOne ? record : {};
    this.owed.push({ ...load, ...(visit && visitValues && { ofVisit: { visit, visitValues } }) });
    return record;
  }

  /** Page views without a visit, and those of a few visits, whatever their order. */
  private pastLoads(): TrafficRecord {
    const websiteId = this.website();
    const visits: PastVisit[] = [];
    const loads = Array.from({ length: 1 + this.upTo(7) }, () => {
      const values = this.values();
      const [unique, seen] = [this.random() < 0.3, this.random() < 0.3];
      return { ...this.pastVisit(websiteId, visits, values), unique, seen, values };
    }).map((load, at) => ({ ...load, ...this.pastRest(load, at), hasOthers: load.values.includes(null) }));
    return this.record({
      kind: "import",
      websiteId,
      file: "",
      fromPosition: 0,
      position: 0,
      digest: "",
      loads,
    });
  }

  /** A time on the page and properties that follow from the time: nothing else that is random depends on them. */
  private pastRest({ timeMs }: PastVisit, at: number): Pick<PastLoad, "visibleMs" | "properties" | "isBare"> {
    const kind = (timeMs + at) % 7;
    if (kind > 3) return {};
    const properties: Properties = [["plan", kind % 2 === 0 ? "pro" : "basic"]];
    const own = { isEvent: kind !== 1, properties, numbers: this.numbersFor(properties) };
    const list = kind === 0 ? [] : [{ ...own, timeMs: timeMs + kind * minuteMs }];
    if (kind === 3) return { properties: list, isBare: true };
    return { visibleMs: timeMs % 40_000, properties: list };
  }

  /** The time and visit of an imported page view: none, one of `visits`, or one that begins. */
  private pastVisit(websiteId: number, visits: PastVisit[], values: DimensionValues): PastVisit {
    const chance = this.random();
    if (chance < 0.5 && visits.length > 0) {
      const known = this.pick(visits);
      known.timeMs += this.upTo(visitPauseMs);
      return { ...known };
    }
    const timeMs = this.timeMs - visitMsMax - this.upTo(90 * dayMs);
    if (chance > 0.8) return { timeMs };
    const visit = { timeMs, visit: this.nextVisit(websiteId), visitValues: visitValuesOf(values, false) };
    visits.push(visit);
    return { ...visit };
  }

  private nextVisit(websiteId: number): number {
    const visit = (this.lastVisits.get(websiteId) ?? 0) + 1;
    this.lastVisits.set(websiteId, visit);
    return visit;
  }

  private open() {
    return this.loaded.filter(({ timeMs }) => this.timeMs - timeMs < pageViewOpenMs - minuteMs);
  }

  /** A page view that is open for long enough: the store may forget one that is not, or say that a hit is late. */
  private recent(): Named {
    const recent = this.open().slice(-30);
    if (recent.length === 0) return { beacon: `beacon-${++this.beacons}`, websiteId: this.website() };
    return this.pick(recent);
  }

  /** Goes on with a visit of the last half hour, begins one, or is without one. */
  private visit(websiteId: number, values: DimensionValues): OfVisit {
    const chance = this.random();
    if (chance < 0.15) return {};
    const open = this.visits.filter((visit) => visit.websiteId === websiteId && this.isOpen(visit));
    if (chance < 0.7 && open.length > 0) {
      const known = this.pick(open.slice(-5));
      known.lastMs = this.timeMs;
      return known.ofVisit;
    }
    const visitValues = visitValuesOf(values, this.random() < 0.2);
    const ofVisit = { visit: this.nextVisit(websiteId), visitValues };
    this.visits.push({ websiteId, firstMs: this.timeMs, lastMs: this.timeMs, ofVisit });
    return ofVisit;
  }

  /** One value in thirty is not kept apart. */
  private values(): (string | null)[] {
    return dimensions.map(({ name }) => this.orOther(this.skewed(pools[name])));
  }

  private orOther(value: string): string | null {
    return this.random() < 1 / 30 ? null : value;
  }

  private withOthers<T extends { readonly values: DimensionValues | null; readonly properties: Properties }>(
    own: T,
  ): T & { readonly hasOthers: boolean; readonly numbers: PropertyNumbers } {
    const hasOthers = [...(own.values ?? []), ...own.properties.flat()].includes(null);
    return { ...own, hasOthers, numbers: this.numbersFor(own.properties) };
  }

  /** Numbers for some of the properties; how many depends on nothing that is random elsewhere. */
  private numbersFor(properties: Properties): PropertyNumbers {
    return properties.map(([, value], at) => ((value?.length ?? 0) % 2 === 0 ? null : at * 1.1 - 0.5));
  }

  private properties(): Properties {
    return Array.from(
      { length: 1 + this.upTo(3) },
      () => [this.orOther(this.skewed(propertyNames)), this.orOther(this.skewed(propertyValues))] as const,
    );
  }

  private record<R extends object>(fields: R): R & { readonly timeMs: number } {
    return { ...fields, timeMs: this.timeMs };
  }

  private website(): number {
    return this.random() < 0.7 ? websiteIds[0] : websiteIds[1];
  }

  private upTo(max: number): number {
    return Math.floor(this.random() * max);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.upTo(choices.length)] as T;
  }

  /** The earlier the likelier. */
  private skewed(choices: readonly string[]): string {
    return choices[Math.floor(choices.length * this.random() ** 2)] as string;
  }
}
