/**
 * Random traffic of a few websites as log records: loads and retries, unloads and events that come early, late or not
 * at all, imports of the past, months that are dropped, and a clock that now and then steps back a little. The values
 * in it, some of them awkward, are exported for questions to ask about.
 */
import { dimensions, type DimensionName, type DimensionValues } from "../../src/core/dimension.ts";
import { dayMs, pageViewOpenMs } from "../../src/core/hit.ts";
import type { Properties } from "../../src/core/property.ts";
import { keptFromMs } from "../../src/engine/retention.ts";
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
  ],
  utm_source: ["", "newsletter", "Newsletter", "a,b", "a\\b", "(other)", "\u0130stanbul", "__proto__"],
  utm_medium: ["", "email", "cpc"],
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
  language: ["en-US", "en-GB", "de", "", "de-AT", "pt-BR", "zh-Hant-TW", "en"],
};
export const propertyNames = ["plan", "Plan", "click", "file,name", "__proto__", "(other)", ""];
export const propertyValues = ["free", "Free", "pro", "", "1", "a,b", "true"];

interface LoadToCome {
  readonly beacon: string;
  readonly websiteId: number;
  readonly dueMs: number;
}

export class Traffic {
  timeMs = trafficStartMs;
  private beacons = 0;
  private readonly loaded: {
    readonly beacon: string;
    readonly websiteId: number;
    readonly timeMs: number;
  }[] = [];
  /** Loads that are to come for hits that came before them. */
  private readonly owed: { readonly beacon: string; readonly websiteId: number; readonly dueMs: number }[] =
    [];

  /** `random`: numbers from 0 up to 1. */
  constructor(private readonly random: () => number) {}

  next(): TrafficRecord {
    this.pass();
    const due = this.owed.findIndex(({ dueMs }) => dueMs <= this.timeMs);
    if (due >= 0) {
      const [{ beacon, websiteId }] = this.owed.splice(due, 1) as [LoadToCome];
      return this.firstLoad(beacon, websiteId);
    }
    const chance = this.random();
    if (chance < 0.5) return this.firstLoad(`beacon-${++this.beacons}`, this.website());
    if (chance < 0.56) return this.again();
    if (chance < 0.76) return this.unload(this.recent());
    if (chance < 0.9) return this.event(this.recent());
    if (chance < 0.97) return this.early();
    if (chance < 0.99) return this.pastLoads();
    const beforeMs = keptFromMs(this.timeMs, 1 + this.upTo(2));
    return this.record({ kind: "monthsDropped", beforeMs });
  }

  /** Mostly seconds, sometimes hours or days, sometimes a small step back. */
  private pass(): void {
    const chance = this.random();
    if (chance < 0.05) this.timeMs -= this.upTo(5_000);
    else if (chance < 0.85) this.timeMs += this.upTo(minuteMs);
    else if (chance < 0.97) this.timeMs += this.upTo(60 * minuteMs);
    else this.timeMs += this.upTo(2 * dayMs);
  }

  private firstLoad(beacon: string, websiteId: number): TrafficRecord {
    this.loaded.push({ beacon, websiteId, timeMs: this.timeMs });
    return this.load(beacon, websiteId);
  }

  private load(beacon: string, websiteId: number): TrafficRecord {
    const [unique, seen] = [this.random() < 0.4, this.random() < 0.4];
    const properties = this.random() < 0.2 ? this.properties() : [];
    const own = this.withOthers({ values: this.values(), properties });
    return this.record({ kind: "load", websiteId, beacon, unique, seen, ...own });
  }

  /** A retry, or the beacon of one website on another. */
  private again(): TrafficRecord {
    const { beacon, websiteId } = this.recent();
    return this.load(beacon, this.random() < 0.7 ? websiteId : this.website());
  }

  private unload({
    beacon,
    websiteId,
  }: {
    readonly beacon: string;
    readonly websiteId: number;
  }): TrafficRecord {
    const visibleMs =
      this.random() < 0.3 ? null : this.pick([0, 4_999, 5_000, this.upTo(9_000), this.upTo(600_000)]);
    return this.record({ kind: "unload", websiteId: this.random() < 0.3 ? 0 : websiteId, beacon, visibleMs });
  }

  private event({
    beacon,
    websiteId,
  }: {
    readonly beacon: string;
    readonly websiteId: number;
  }): TrafficRecord {
    const isAdmitted = this.random() < 0.8;
    const properties = this.properties();
    if (this.random() < 0.4) {
      const own = this.withOthers({ values: null, properties });
      return this.record({ kind: "event", websiteId: 0, beacon, ...own, isAdmitted });
    }
    const of = this.random() < 0.3 ? "" : beacon;
    const own = this.withOthers({ values: this.values(), properties });
    return this.record({ kind: "event", websiteId, beacon: of, ...own, isAdmitted });
  }

  /** A hit whose load comes within ten minutes, or too late; well off the border, where the clock may step back. */
  private early(): TrafficRecord {
    const websiteId = this.website();
    const beacon = `beacon-${++this.beacons}`;
    const waitMs = this.random() < 0.8 ? this.upTo(9 * minuteMs) : 11 * minuteMs;
    const load = { beacon, websiteId, dueMs: this.timeMs + waitMs };
    this.owed.push(load);
    const hit = { ...load, websiteId: this.random() < 0.9 ? websiteId : this.website() };
    return this.random() < 0.4 ? this.unload(hit) : this.event(hit);
  }

  private pastLoads(): TrafficRecord {
    const loads = Array.from({ length: 1 + this.upTo(4) }, () => ({
      timeMs: this.timeMs - this.upTo(90 * dayMs),
      unique: this.random() < 0.3,
      seen: this.random() < 0.3,
    })).map((load) => {
      const values = this.values();
      return { ...load, values, hasOthers: values.includes(null) };
    });
    return this.record({
      kind: "import",
      websiteId: this.website(),
      file: "",
      fromPosition: 0,
      position: 0,
      digest: "",
      loads,
    });
  }

  /** A page view that is open for long enough: the store may forget one that is not, or say that a hit is late. */
  private recent(): { readonly beacon: string; readonly websiteId: number } {
    const open = this.loaded.filter(({ timeMs }) => this.timeMs - timeMs < pageViewOpenMs - minuteMs);
    const recent = open.slice(-30);
    if (recent.length === 0) return { beacon: `beacon-${++this.beacons}`, websiteId: this.website() };
    return this.pick(recent);
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
  ): T & { readonly hasOthers: boolean } {
    return { ...own, hasOthers: [...(own.values ?? []), ...own.properties.flat()].includes(null) };
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
