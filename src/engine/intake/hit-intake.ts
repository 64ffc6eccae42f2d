/**
 * The way in for hits: what a tracker sent becomes a fact that is logged, or the reason why it is not counted. Whatever
 * is not counted is counted here by its reason, but for what follows a load that is among them already.
 */
import type { Registry, Website } from "../../accounts/registry/registry.ts";
import { ofWebsite } from "../../collect/aliased.ts";
import { Collector, type Fact } from "../../collect/fact.ts";
import type { Hit, HitHeaders, Sender } from "../../collect/hit.ts";
import { dayMs } from "../../core/hit.ts";
import type { Outcome } from "../../core/outcome.ts";
import { Refusal, shown } from "../../core/refusal.ts";
import { rejectionDaysMax, type RejectionCounts, type RejectionReason } from "../../core/rejection.ts";
import { noRules, type Rules } from "../../core/website/rules.ts";
import { assert } from "../../lib/assert.ts";
import { parseUrl } from "../../core/addresses/url.ts";
import { TextMap } from "../../lib/collections/text-map.ts";
import type { LogRecord } from "../../record/record.ts";
import type { EventId } from "../../store/state/event-ids.ts";
import { Rejected } from "../../store/state/rejected.ts";
import type { OpenPageView } from "../../store/state/row-ref.ts";
import type { Store } from "../../store/state/store.ts";
import type { Admission } from "../admission/admission.ts";
import { RefusedBeacons } from "../admission/refused-beacons.ts";
import { RejectionCounter } from "../admission/rejections.ts";
import { expectClock, isTooEarly } from "../log/early-clock.ts";
import type { CountedHit } from "../admission/visit-admission.ts";

export type HitAnswer =
  { readonly accepted: true } | { readonly accepted: false; readonly reason: RejectionReason };

/** A hit that a server sends for its visitor, with an API token. */
export interface SentBy {
  /** When it happened; null for now. */
  readonly atMs: number | null;
  /** Whether the server may send hits of a website. */
  maySend(websiteId: number): boolean;
}

export interface HitIntakeOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly admission: Admission;
  readonly nowMs: () => number;
  /** The start of the oldest month that is kept. */
  readonly keptFromMs: () => number;
  /** Reads what a hit may need. Throws what reading throws. */
  readonly openStore: () => void;
  readonly commit: (record: LogRecord) => Promise<Outcome>;
  /** Logs a record without asking whether there is room for more hits. */
  readonly log: (record: LogRecord) => Promise<Outcome>;
}

/** A hit with all that is looked up once to judge and to log it. */
interface SeenHit extends CountedHit {
  readonly rules: Rules;
  readonly sentBy: SentBy | undefined;
}

const stays = () => {};
const noId: EventId = {};
const nobodys = { websiteId: 0, hostname: "", aliases: [], rules: noRules };

export class HitIntake {
  readonly rejections: RejectionCounter;
  private readonly collector = new Collector();
  /** The page views of loads that are being logged, by beacon. */
  private readonly coming = new TextMap<OpenPageView>();
  private readonly refused = new RefusedBeacons();

  constructor(private readonly options: HitIntakeOptions) {
    const { nowMs, log } = options;
    this.rejections = new RejectionCounter({ nowMs, commit: log });
  }

  /**
   * Throws Refusal: 404 unknown website, also for one that `sentBy` may not send to; 500 disk full, overloaded, a wrong clock.
   * Hits of one turn of the event loop become durable together.
   */
  async take(given: Hit, headers: HitHeaders, sender: Sender, sentBy?: SentBy): Promise<HitAnswer> {
    const { hostname } = given;
    const { nowMs, openStore } = this.options;
    const timeMs = nowMs();
    expectClock(timeMs);
    const website = hostname === "" ? undefined : this.options.registry.websiteForHit(hostname);
    if (hostname !== "" && website === undefined) {
      this.rejections.noteUnknown(hostname);
      throw unknownWebsite(hostname);
    }
    const hit = website === undefined ? given : ofWebsite(given, website);
    openStore();
    const seen = this.look(hit, headers, sender, website, timeMs, sentBy);
    const own = this.websiteOf(seen);
    if (sentBy?.maySend(own) === false) throw unknownWebsite(hostname);
    const refused = this.reasonOfLoad(seen);
    if (refused !== undefined) return { accepted: false, reason: refused };
    const early = this.reasonAgainst(seen, own);
    if (hit.kind === "load") this.remember(hit.beacon, own, early, timeMs);
    const reason = early ?? (await this.log(seen, own));
    if (reason === undefined) return { accepted: true };
    this.rejections.note(own, reason);
    return { accepted: false, reason };
  }

  /** Counts a hit that was refused because it was not what a tracker sends; `url`: its field `u`, whatever it is. */
  malformed(url: unknown): void {
    const hostname = typeof url === "string" ? parseUrl(url)?.hostname : undefined;
    const website = hostname && this.options.registry.websiteForHit(hostname);
    if (website && !isTooEarly(this.options.nowMs())) this.rejections.note(website.websiteId, "malformed");
  }

  /**
   * Returns how many hits of a website were not counted, logged or not yet: by UTC day, the oldest first, with its number
   * since 1970; of a year, and no day that a clock ahead has made.
   */
  rejectionsOf(websiteId: number): readonly (readonly [day: number, counts: RejectionCounts])[] {
    const { store, nowMs } = this.options;
    const today = Math.floor(nowMs() / dayMs);
    const all = new Rejected();
    all.add(websiteId, nowMs(), this.rejections.pendingOf(websiteId));
    for (const [day, counts] of store.rejected.daysOf(websiteId))
      if (day <= today + 1 && day > today - rejectionDaysMax) all.add(websiteId, day * dayMs, counts);
    return all.daysOf(websiteId);
  }

  private look(
    hit: Hit,
    headers: HitHeaders,
    sender: Sender,
    website: Website | undefined,
    timeMs: number,
    sentBy: SentBy | undefined,
  ): SeenHit {
    const { websiteId, hostname, aliases, rules: own } = website ?? nobodys;
    const atMs = sentBy?.atMs ?? timeMs;
    const pageView = hit.kind === "load" ? undefined : this.pageViewOf(hit.beacon, websiteId, atMs);
    const origin = this.collector.originOf(hit, [hostname, ...aliases], own);
    const isSent = sentBy !== undefined;
    // Every browser has a user agent; an app behind a server may have none.
    const isApp = isSent && headers.userAgent === "";
    const rules = isApp ? { ...own, countsCrawlers: true } : own;
    return { hit, headers, sender, websiteId, rules, timeMs, atMs, isSent, sentBy, pageView, origin };
  }

  /** Returns why the load was not counted that an unload or event in time follows; undefined if it was, or nobody knows. */
  private reasonOfLoad({ hit, pageView, websiteId, timeMs, atMs }: SeenHit): RejectionReason | undefined {
    if (hit.kind === "load" || pageView !== undefined || atMs < this.options.keptFromMs()) return undefined;
    return this.refused.find(hit.beacon, websiteId, timeMs);
  }

  /** Returns the reason not to count a hit itself that is known before the log, in the order of core/rejection.ts. */
  private reasonAgainst(seen: SeenHit, own: number): RejectionReason | undefined {
    const { hit, headers, sender, rules, atMs, pageView, origin } = seen;
    if (atMs < this.options.keptFromMs()) return "late";
    // Unloads and events of known page views belong to what was counted.
    const isJudged = hit.kind === "load" || (hit.kind === "event" && pageView?.takesEvents !== true);
    const reason = isJudged
      ? this.collector.rejection(hit, headers, sender.address, origin, rules)
      : undefined;
    if (reason !== undefined) return reason;
    if (this.options.admission.isFlood(seen)) return "flood";
    return this.options.store.eventIds.has(this.idOf(seen), own) ? "duplicate" : undefined;
  }

  /** Logs a hit; `own`: the website whose names it has. Returns why it is not counted, if the log's state says so. */
  private async log(seen: SeenHit, own: number): Promise<RejectionReason | undefined> {
    const { hit, headers, sender, websiteId, origin, timeMs, sentBy } = seen;
    const { admission, commit } = this.options;
    const made = this.collector.fact(hit, headers, websiteId, origin, timeMs);
    const placed = typeof sentBy?.atMs === "number" ? { ...made, atMs: sentBy.atMs } : made;
    const known = admission.remembersId(seen) ? { ...placed, ...this.idOf(seen) } : placed;
    const admitted = admission.admit(known, own, sender);
    const fact: Fact = admitted.kind === "event" ? { ...admitted, isApart: true } : admitted;
    const undo = this.giveVisit(fact, seen, own);
    if (fact.kind === "load")
      this.coming.set(fact.beacon, {
        websiteId: own,
        takesEvents: true,
        chunk: undefined,
        visit: fact.visit ?? 0,
      });
    let isLogged = false;
    try {
      const outcome = await commit(fact);
      if (outcome === "missing") throw unknownWebsite(hit.hostname);
      if (outcome !== "done") {
        assert(outcome === "duplicate" || outcome === "late", `a hit is not ${outcome}`);
        return outcome;
      }
      isLogged = true;
    } finally {
      if (fact.kind === "load") this.coming.delete(fact.beacon);
      if (!isLogged) undo();
    }
    if (fact.kind !== "unload" && fact.hasOthers) this.rejections.note(own, "limit");
    return undefined;
  }

  /** Returns the id of an event as it is logged, which is not the text that was sent. */
  private idOf({ hit, isSent }: SeenHit): EventId {
    if (hit.kind !== "event" || hit.eventId === "") return noId;
    return { idHash: this.options.store.beacons.hashOf(hit.eventId).toString(36), isSentId: isSent };
  }

  /** Returns a function that takes back what the visit has of a fact that is not logged. */
  private giveVisit(fact: Fact, seen: SeenHit, own: number): () => void {
    const { registry, admission } = this.options;
    const website = own === 0 ? undefined : registry.websites.get(own);
    if (website?.visits !== true) return stays;
    const { hit, atMs, pageView } = seen;
    // A load whose page view is known was sent before.
    const known = hit.kind === "load" ? this.pageViewOf(hit.beacon, own, atMs) : pageView;
    return admission.visits.admit(fact, known === pageView ? seen : { ...seen, pageView: known }, website);
  }

  /** Returns the page view with this beacon, also while its load is being logged. */
  private pageViewOf(beacon: string, websiteId: number, timeMs: number): OpenPageView | undefined {
    const known = this.options.store.pageViewOf(beacon, websiteId, timeMs);
    if (known !== undefined) return known;
    const coming = this.coming.get(beacon);
    return websiteId === 0 || websiteId === coming?.websiteId ? coming : undefined;
  }

  /** Notes whether a page view counts: its later hits follow it. */
  private remember(beacon: string, websiteId: number, reason: RejectionReason | undefined, lastMs: number) {
    if (reason === undefined) this.refused.delete(beacon);
    else this.refused.add(beacon, { websiteId, reason, lastMs });
  }

  /** Returns the id of the website that a hit is about; 0 where nobody can tell. */
  private websiteOf({ hit, websiteId, pageView }: SeenHit): number {
    if (websiteId !== 0) return websiteId;
    return pageView?.websiteId ?? this.refused.websiteOf(hit.beacon) ?? 0;
  }
}

function unknownWebsite(hostname: string): Refusal {
  return new Refusal(404, `u: ${shown(hostname)} is not a website of this server`);
}
