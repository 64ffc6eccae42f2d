/**
 * The statistics of all websites, and the pure, synchronous `apply` that changes them. It takes time only from records,
 * and chance from nowhere, so that replaying the log always gives the same state.
 */
import { assert } from "../../lib/assert.ts";
import { pageViewOpenMs, visibleMsMax } from "../../core/hit.ts";
import type { Outcome } from "../../core/outcome.ts";
import { noNumbers } from "../../core/questions/property.ts";
import type { LogRecord, RecordOf } from "../../record/record.ts";
import type { KindOf } from "../../record/traits.ts";
import type { BeaconPlace } from "../beacons/beacon-table.ts";
import type { Beacons } from "../beacons/beacons.ts";
import { rowFlag, viewFlags } from "../columns/row-flag.ts";
import { hasMonthsBefore, MonthDrops } from "./rebuilding/drop.ts";
import { EarlyHits } from "./early.ts";
import { EventIds } from "./event-ids.ts";
import { Rejected } from "./rejected.ts";
import { foldNames } from "./rebuilding/fold.ts";
import { importLoads } from "./import.ts";
import { claimEarly } from "./claim-early.ts";
import { Months } from "./months.ts";
import { Removals } from "./removal/removal.ts";
import { marksFor } from "./given-visits.ts";
import { timeOfHit } from "./hit-time.ts";
import { isEmptyRow, loadMsOf, type OpenPageView, type RowRef } from "./row-ref.ts";
import { Site } from "./site.ts";

/** The records that change statistics. */
export type StoreRecord = RecordOf<KindOf<"statistics" | "both">>;

export class Store {
  readonly sites = new Map<number, Site>();
  private isOpen = false;
  readonly drops = new MonthDrops();
  readonly removals = new Removals();

  constructor(
    readonly beacons: Beacons,
    readonly early: EarlyHits = new EarlyHits(),
    readonly rejected: Rejected = new Rejected(),
    readonly months: Months = new Months(),
    readonly eventIds: EventIds = new EventIds(),
  ) {}

  /** Applies a StoreRecord; any other fails an assertion. */
  apply(record: LogRecord): Outcome {
    switch (record.kind) {
      case "load":
        return this.load(record);
      case "unload":
        return this.unload(record);
      case "event":
        return this.event(record);
      case "import":
        return this.import(record);
      case "monthsDropped":
        return this.dropMonths(record);
      case "checkpoint":
        return this.seal(record);
      case "rejected":
        return this.sites.has(record.websiteId) ? this.rejected.apply(record) : "missing";
      case "namesFolded":
        return foldNames(this.sites, record, (name) => this.beacons.hashOf(name));
      case "rowsRemoved":
        return this.removals.apply(this.sites, this.early, record);
      case "monthReduced":
        return this.months.apply(this.sites, record);
      case "monthImported":
        return this.months.applyImported(this.sites, record);
      case "importedSumsRemoved":
        return this.drops.dropImported(this.sites, record.websiteId);
      default:
        record satisfies Exclude<LogRecord, StoreRecord>;
        assert(false, `the store knows no ${record.kind} record`);
    }
  }

  /**
   * Reads everything that a hit may need, so that no hit meets a file that cannot be read: the open page views, and the
   * chunks that still change. Throws what reading throws, at each call until all is read.
   */
  open(): void {
    if (this.isOpen) return;
    this.beacons.open();
    for (const site of this.sites.values()) site.read();
    // Data that is added later is in memory, or was read before.
    this.isOpen = true;
  }

  addSite(websiteId: number): void {
    assert(!this.sites.has(websiteId), `website ${websiteId} is new`);
    this.sites.set(websiteId, new Site(websiteId));
  }

  removeSite(websiteId: number): void {
    this.sites.delete(websiteId);
    this.early.removeWebsite(websiteId);
    this.rejected.removeWebsite(websiteId);
  }

  /** Returns the latest page view with this beacon, also one that takes no more hits. websiteId 0 means any website. */
  pageViewOf(beacon: string, websiteId: number, timeMs: number): OpenPageView | undefined {
    const entry = beacon === "" ? undefined : this.find(beacon, websiteId);
    if (entry === undefined) return undefined;
    const row = this.rowOf(entry);
    return {
      websiteId: entry.websiteId,
      takesEvents: this.rowForEvent(entry, timeMs) !== undefined,
      chunk: row?.chunk,
      visit: row === undefined ? 0 : row.chunk.visit[row.row]!,
    };
  }

  /** Whether a website has anything of a month that starts before. */
  hasMonthsBefore(monthMs: number): boolean {
    return this.sites.values().some((site) => hasMonthsBefore(site, monthMs));
  }

  check(): void {
    for (const [websiteId, site] of this.sites) {
      assert(websiteId === site.websiteId, `site ${websiteId} has its id`);
      site.check();
    }
  }

  private load(record: RecordOf<"load">): Outcome {
    const { timeMs, websiteId, beacon } = record;
    const site = this.sites.get(websiteId);
    if (site === undefined) return "missing";
    const { atMs: givenMs = null } = record;
    const atMs = givenMs ?? timeMs;
    const known = this.find(beacon, websiteId);
    const before = known && this.openRow(known, atMs);
    const isOther = before && record.sharesBeacon && !site.isOfPath(before, record.values[0]);
    // A server that gives times sends its hits again, even days later: its beacons are used once.
    if ((before || (known && givenMs !== null)) && !isOther) return "duplicate";
    const { visit = 0 } = record;
    const marks = marksFor(site, record);
    // A visitor who opens another page under the same beacon was counted with the first one.
    const flags = viewFlags(record.unique, record.seen) & (before ? ~rowFlag.unique : -1);
    const ref = site.addRow(atMs, record.values, flags, record);
    marks?.addPageView(visit, atMs, ref);
    if (givenMs !== null) site.openVisits(timeMs).note([ref], timeMs);
    site.addProperties(ref, record, atMs);
    this.beacons.add(beacon, { websiteId, chunkNumber: ref.chunk.number, row: ref.row }, timeMs);
    claimEarly(this.early, this.eventIds, site, ref, record);
    return "done";
  }

  private unload(record: RecordOf<"unload">): Outcome {
    const { timeMs, websiteId, beacon, visibleMs } = record;
    const atMs = record.atMs ?? timeMs;
    if (websiteId !== 0 && !this.sites.has(websiteId)) return "missing";
    const entry = this.find(beacon, websiteId);
    if (entry === undefined) {
      if (visibleMs !== null) this.early.add(beacon, { kind: "unload", timeMs, websiteId, visibleMs });
      return "done";
    }
    const ref = this.openRow(entry, atMs);
    if (ref === undefined) return "late";
    if (isEmptyRow(ref)) return "done";
    const sinceLoadMs = Math.max(0, atMs - loadMsOf(ref));
    ref.chunk.addDuration(ref.row, Math.min(visibleMs ?? sinceLoadMs, visibleMsMax));
    return "done";
  }

  private event(record: RecordOf<"event">): Outcome {
    const { timeMs, websiteId, beacon, values, properties, numbers = noNumbers, isAdmitted = true } = record;
    if (websiteId !== 0 && !this.sites.has(websiteId)) return "missing";
    const entry = beacon === "" ? undefined : this.find(beacon, websiteId);
    const { atMs: givenMs = null } = record;
    const atMs = givenMs ?? timeMs;
    if (this.eventIds.has(record, entry?.websiteId ?? websiteId)) return "duplicate";
    const open = entry && this.rowForEvent(entry, atMs);
    if (open !== undefined && isEmptyRow(open)) return "done";
    if (entry !== undefined && open !== undefined) {
      const site = this.siteOf(entry.websiteId);
      this.eventIds.add(record, site.websiteId, timeMs);
      open.chunk.markEvented(open.row);
      const visit = open.chunk.visit[open.row]!;
      if (visit !== 0 && givenMs === null) site.openVisits(timeMs).markEngaged(visit, timeMs);
      site.addProperties(open, record, timeOfHit(open, atMs, record.isApart));
      return "done";
    }
    if (values === null) {
      if (entry !== undefined) return "late";
      this.early.add(beacon, {
        kind: "event",
        timeMs,
        websiteId,
        ...(record.isApart && { isApart: true }),
        properties,
        ...(numbers.length > 0 && { numbers }),
        ...(!isAdmitted && { isAdmitted }),
        ...(record.idHash && { idHash: record.idHash, isSentId: record.isSentId ?? false }),
      });
      return "done";
    }
    // Earlier versions logged such a one, whose URL had no host.
    if (websiteId === 0) return "missing";
    const site = this.siteOf(websiteId);
    this.eventIds.add(record, websiteId, timeMs);
    marksFor(site, record)?.addEvent(record.visit ?? 0, atMs);
    const ref = site.addRow(atMs, values, rowFlag.bare, record);
    if (givenMs !== null) site.openVisits(timeMs).note([ref], timeMs);
    const first = site.addProperties(ref, record, atMs);
    const waits = beacon !== "" && entry === undefined;
    if (waits) {
      const chunkNumber = ref.chunk.number;
      this.early.add(beacon, {
        kind: "bare",
        timeMs,
        websiteId,
        ...(record.isApart && { isApart: true }),
        chunkNumber,
        first,
        count: properties.length,
      });
    }
    return "done";
  }

  private import(record: RecordOf<"import">): Outcome {
    const site = this.sites.get(record.websiteId);
    if (site === undefined) return "missing";
    importLoads(site, record);
    return "done";
  }

  /**
   * Seals the chunks that are done by the record's time, so that a replay seals after the same record, and later hits
   * have the same outcome.
   */
  private seal({ timeMs }: RecordOf<"checkpoint">): Outcome {
    for (const site of this.sites.values()) site.seal(timeMs);
    return "done";
  }

  /** A hit that waits for its load goes by its own month, and so does the chunk that it may name. */
  private dropMonths({ beforeMs, deadPercent }: RecordOf<"monthsDropped">): Outcome {
    this.early.removeBefore(beforeMs);
    this.drops.drop(this.sites, beforeMs, deadPercent);
    return "done";
  }

  /** Finds the place of the page view that takes hits with this beacon. websiteId 0 means any website. */
  private find(beacon: string, websiteId: number): BeaconPlace | undefined {
    return this.beacons.find(beacon, (place) => {
      const isAsked = websiteId === 0 ? this.sites.has(place.websiteId) : place.websiteId === websiteId;
      if (!isAsked) return undefined;
      const open = this.rowOf(place);
      return open === undefined || isEmptyRow(open) ? -Infinity : loadMsOf(open);
    });
  }

  /** Returns the row of a page view if it still takes unloads and events at that time. */
  private openRow(place: BeaconPlace, timeMs: number): RowRef | undefined {
    const open = this.rowOf(place);
    // The limit holds before the load too: a chunk has no room for the time of an event that is further back.
    if (open === undefined || isEmptyRow(open)) return open;
    return Math.abs(timeMs - loadMsOf(open)) <= pageViewOpenMs ? open : undefined;
  }

  /** Returns undefined if the row's month was dropped, or its chunk was sealed and changes no more. */
  private rowOf({ websiteId, chunkNumber, row }: BeaconPlace): RowRef | undefined {
    const chunk = this.siteOf(websiteId).chunks.get(chunkNumber);
    if (chunk === undefined || chunk.sealed) return undefined;
    assert(row < chunk.rows, "a beacon names a row");
    return { chunk, row };
  }

  private rowForEvent(entry: BeaconPlace, timeMs: number): RowRef | undefined {
    const open = this.openRow(entry, timeMs);
    return open !== undefined && (isEmptyRow(open) || open.chunk.hasRoomForProperties) ? open : undefined;
  }

  private siteOf(websiteId: number): Site {
    const site = this.sites.get(websiteId);
    assert(site !== undefined, `website ${websiteId} has a site`);
    return site;
  }
}
