/**
 * Gives hits and imported page views their visits, where the website has visits and no proxy hides its visitors. The
 * numbers rise within the website. All but the numbers and values of visits stays in memory.
 */
import type { VisitBlock, Website } from "../../accounts/account.ts";
import type { Fact, HitOrigin } from "../../collect/fact.ts";
import type { Hit, HitHeaders, Sender } from "../../collect/hit.ts";
import { Proxies, type HidingProxy } from "../../collect/visits/proxies.ts";
import { utmOf } from "../../collect/visits/visit-rules.ts";
import { Visits } from "../../collect/visits/visits.ts";
import { visitMax, visitsOfBlock } from "../../core/hit.ts";
import { Refusal } from "../../core/refusal.ts";
import { dimensions } from "../../core/questions/dimension.ts";
import {
  dimensionIndex,
  unknownReferrer,
  visitValuesOf,
  type DimensionValues,
  type VisitValues,
} from "../../core/questions/stored-dimension.ts";
import type { Logger } from "../../lib/log.ts";
import type { Random } from "../../lib/random.ts";
import type { PastLoad, RecordOf } from "../../record/record.ts";
import type { OpenPageView } from "../../store/state/row-ref.ts";
import type { Store } from "../../store/state/store.ts";

/** How often visits that are over are forgotten while no hit comes. */
const sweptEveryMs = 5 * 60_000;
const warnedEveryMs = 3_600_000;

/**
 * The numbers of visits that imports may take: the others are for hits. Exported for tests.
 */
export const importedVisitMax = Math.floor(visitMax / 2);

const proxyText =
  "visits are not told apart, because a proxy hides the addresses of visitors: " +
  "let it send X-Forwarded-For, and name it with --trust-proxy";

export interface VisitAdmissionOptions {
  readonly random: Random;
  readonly logger: Logger;
  readonly store: Store;
  readonly nowMs: () => number;
}

/** A hit with what is known of it. */
export interface CountedHit {
  /** 0 for a hit without `u`. */
  readonly websiteId: number;
  /** When it came. */
  readonly timeMs: number;
  /** When it happened. */
  readonly atMs: number;
  /** A server sent it for its visitor. */
  readonly isSent: boolean;
  readonly hit: Hit;
  readonly headers: HitHeaders;
  readonly sender: Sender;
  readonly origin: HitOrigin;
  /** The page view that is known by its beacon: of an unload, an event, or a load that came before. */
  readonly pageView: OpenPageView | undefined;
}

/** A fact that is not logged yet. */
type Unlogged<F> = { -readonly [K in keyof F]: F[K] };

const stays = () => {};

export class VisitAdmission {
  private readonly visits: Visits;
  /** The visits of hits that say when they happened: they are told apart from those of now, and among themselves. */
  private readonly pastVisits: Visits;
  private readonly proxies = new Proxies();
  /** By website: the last number that was given. */
  private readonly given = new Map<number, number>();
  private warnedMs = -Infinity;
  private timer: Timer | undefined;

  constructor(private readonly options: VisitAdmissionOptions) {
    const { random } = options;
    const nextNumber = (websiteId: number) => this.nextNumber(websiteId);
    this.visits = new Visits({ random, nextNumber });
    this.pastVisits = new Visits({ random, nextNumber });
  }

  /**
   * Gives a fact its visit, which is as it will be logged but for that; `website` has visits, and counts it. The function
   * that it returns forgets the visit if it began with this fact.
   */
  admit(fact: Fact, counted: CountedHit, website: Website): () => void {
    const { hit, headers, sender, origin, pageView, timeMs: cameMs } = counted;
    const { websiteId } = website;
    const timeMs = fact.atMs ?? cameMs;
    const visits = typeof fact.atMs === "number" ? this.pastVisits : this.visits;
    const known = pageView?.visit ?? 0;
    const values = ownValuesOf(fact, pageView);
    if (values === null || hit.kind === "unload" || fact.kind === "unload") {
      if (known !== 0) visits.note({ websiteId, sender, headers, timeMs, cameMs, visit: known });
      return stays;
    }
    if (this.isHidden(counted, website) || !this.hasNumbers(websiteId)) return stays;
    this.timer ??= setInterval(() => this.sweep(), sweptEveryMs);
    const isLoad = hit.kind === "load";
    const { visit, visitValues, unique, undo } = visits.visitOf({
      websiteId,
      sender,
      headers,
      timeMs,
      cameMs,
      visit: known,
      kind: hit.kind,
      beacon: hit.beacon,
      unique: isLoad && hit.unique,
      isUniqueKnown: !isLoad || hit.isUniqueKnown,
      mayBeKnown: isLoad && hit.mayBeKnown === true,
      isInternal: origin.isInternal,
      isIgnored: origin.isIgnored,
      utm: hit.page === null ? "" : utmOf(hit.page),
      values,
    });
    const visited: Unlogged<typeof fact> = fact;
    visited.visit = visit;
    visited.visitValues = visitValues;
    if (visited.kind === "load" && unique !== undefined) visited.unique = unique;
    return undo;
  }

  /**
   * Replaces the numbers that tell the visits of imported page views apart within the record or the file by numbers of
   * the website, and gives them the values of their first page views as these are logged. Throws Refusal 400.
   */
  admitPast(record: RecordOf<"import">, website: Website | undefined): RecordOf<"import"> {
    if (record.loads.some(isExported)) return this.admitExported(record, website);
    const numbers = new Map<number, { readonly visit: number; readonly visitValues: VisitValues }>();
    const loads = record.loads.map(({ visit = 0, visitValues, ...load }): PastLoad => {
      if (visit === 0 || website?.visits !== true || !this.hasNumbers(website.websiteId)) return load;
      const known = numbers.get(visit);
      if (known !== undefined) return { ...load, ...known };
      const given = {
        visit: this.nextNumber(website.websiteId),
        visitValues: visitValuesOf(load.values, visitValues?.[originIndex] === unknownReferrer),
      };
      numbers.set(visit, given);
      return { ...load, ...given };
    });
    return { ...record, loads };
  }

  /**
   * Does the same for the rows of an export, whose visits may go on in the next record: the website gives the file numbers
   * in blocks, which it remembers.
   */
  private admitExported(record: RecordOf<"import">, website: Website | undefined): RecordOf<"import"> {
    const known = website?.imports.get(record.file)?.visitBlocks ?? [];
    const blocks = new Map(known.map(({ index, first }) => [index, first]));
    const visitBlocks: VisitBlock[] = [];
    const numberOf = (visit: number, websiteId: number) => {
      const index = Math.floor(visit / visitsOfBlock);
      const first = blocks.get(index) ?? this.nextBlock(websiteId);
      if (!blocks.has(index)) visitBlocks.push({ index, first });
      blocks.set(index, first);
      return first + (visit % visitsOfBlock);
    };
    const loads = record.loads.map(({ visit = 0, visitValues, ...load }): PastLoad => {
      if (visit === 0 || website?.visits !== true) return { ...load, visitFlags: 0 };
      return { ...load, visit: numberOf(visit, website.websiteId), ...(visitValues && { visitValues }) };
    });
    return { ...record, loads, ...(visitBlocks.length > 0 && { visitBlocks }) };
  }

  /** Returns the proxy that hides the visitors of a website. */
  proxyOf(website: Website): HidingProxy | undefined {
    return website.visits ? this.proxies.of(website.websiteId, this.options.nowMs()) : undefined;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Whether nobody can tell the visitor of a hit from others: a proxy hides the address, or a server does not say it. */
  private isHidden({ hit, sender, isSent, timeMs }: CountedHit, website: Website): boolean {
    if (isSent) return sender.address === "";
    const proxy = this.proxies.note(website.websiteId, sender, hit.kind === "load", timeMs);
    if (proxy !== undefined) this.warn(website, timeMs);
    return proxy !== undefined;
  }

  /** A file of an earlier version may have taken all numbers: page views count without a visit then. */
  private hasNumbers(websiteId: number): boolean {
    return this.lastNumber(websiteId) < visitMax;
  }

  private nextNumber(websiteId: number): number {
    const number = this.lastNumber(websiteId) + 1;
    this.given.set(websiteId, number);
    return number;
  }

  /** Returns the first number of a block, which is a multiple of a block's length. */
  private nextBlock(websiteId: number): number {
    const first = visitsOfBlock * Math.ceil((this.lastNumber(websiteId) + 1) / visitsOfBlock);
    const last = first + visitsOfBlock - 1;
    if (last > importedVisitMax)
      throw new Refusal(400, "visit: the website has no room for so many numbers of visits");
    this.given.set(websiteId, last);
    return first;
  }

  private lastNumber(websiteId: number): number {
    const logged = this.options.store.sites.get(websiteId)?.lastVisit ?? 0;
    return Math.max(logged, this.given.get(websiteId) ?? 0);
  }

  private sweep(): void {
    for (const visits of [this.visits, this.pastVisits]) visits.forget(this.options.nowMs());
    if (this.visits.size + this.pastVisits.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private warn(website: Website, timeMs: number): void {
    if (Math.abs(timeMs - this.warnedMs) < warnedEveryMs) return;
    const proxy = this.proxies.of(website.websiteId, timeMs);
    if (proxy === undefined) return;
    this.warnedMs = timeMs;
    const address = proxy.address === "" ? {} : { proxy: proxy.address };
    this.options.logger.warn(proxyText, { website: website.hostname, ...address });
  }
}

/** The place of a visit's referrer among its values. */
const originIndex = dimensionIndex.visit_referrer - dimensions.length;

/** Returns the values of a fact that gets a row of its own; null for one that gets none. */
function ownValuesOf(fact: Fact, pageView: OpenPageView | undefined): DimensionValues | null {
  if (fact.kind === "unload") return null;
  return fact.kind === "load" || pageView?.takesEvents !== true ? fact.values : null;
}

/** Whether a row comes from an export of this program, which knows its visit. */
export function isExported({ visitFlags = null }: PastLoad): boolean {
  return visitFlags !== null;
}
