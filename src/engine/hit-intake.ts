/**
 * The way in for hits: what a tracker sent becomes a fact that is logged, or the reason why it is not counted. Whatever
 * is not counted is counted here by its reason.
 */
import type { Registry, Website } from "../accounts/registry.ts";
import { Collector, type Fact } from "../collect/fact.ts";
import type { EventHit, Hit, HitHeaders, LoadHit, Sender } from "../collect/hit.ts";
import { dayMs } from "../core/hit.ts";
import type { Outcome } from "../core/outcome.ts";
import { Refusal, shown } from "../core/refusal.ts";
import type { RejectionCounts, RejectionReason } from "../core/rejection.ts";
import { noRules } from "../core/rules.ts";
import { assert } from "../lib/assert.ts";
import type { LogRecord } from "../record/record.ts";
import { Rejected } from "../store/state/rejected.ts";
import type { Store } from "../store/state/store.ts";
import type { Admission } from "./admission/admission.ts";
import { RefusedBeacons } from "./admission/refused-beacons.ts";
import { RejectionCounter } from "./admission/rejections.ts";
import type { HitAnswer } from "./engine.ts";

export interface HitIntakeOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly admission: Admission;
  readonly nowMs: () => number;
  /** Reads what a hit may need. Throws what reading throws. */
  readonly openStore: () => void;
  readonly commit: (record: LogRecord) => Promise<Outcome>;
  /** Logs a record without asking whether there is room for more hits. */
  readonly log: (record: LogRecord) => Promise<Outcome>;
}

export class HitIntake {
  readonly rejections: RejectionCounter;
  private readonly collector = new Collector();
  private readonly refused = new RefusedBeacons();

  constructor(private readonly options: HitIntakeOptions) {
    const { nowMs, log } = options;
    this.rejections = new RejectionCounter({ nowMs, commit: log });
  }

  /** Throws Refusal: 404 unknown website, 500 disk full or overloaded. */
  async take(hit: Hit, headers: HitHeaders, sender: Sender): Promise<HitAnswer> {
    const website = hit.hostname === "" ? undefined : this.options.registry.websiteForHit(hit.hostname);
    if (hit.hostname !== "" && website === undefined) {
      this.rejections.noteUnknown(hit.hostname);
      throw unknownWebsite(hit.hostname);
    }
    const answer = await this.judge(hit, headers, sender, website);
    if (!answer.accepted) this.rejections.note(this.websiteOf(hit, website), answer.reason);
    return answer;
  }

  /** Counts a hit that was refused because it was not what a tracker sends; `url`: its field `u`, whatever it is. */
  malformed(url: unknown): void {
    const hostname = typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : "";
    const website = hostname === "" ? undefined : this.options.registry.websiteForHit(hostname);
    if (website !== undefined) this.rejections.note(website.websiteId, "malformed");
  }

  /** Counts the early hits whose page view never came. */
  noteUnfound(): void {
    for (const [websiteId, count] of this.options.store.early.takeUnfound())
      this.rejections.note(websiteId, "early", count);
  }

  /** Returns what is logged and what is not logged yet, by day, the oldest first. */
  rejectionsOf(websiteId: number): readonly (readonly [day: number, counts: RejectionCounts])[] {
    const { store, nowMs } = this.options;
    const all = new Rejected();
    for (const [day, counts] of store.rejected.daysOf(websiteId)) all.add(websiteId, day * dayMs, counts);
    all.add(websiteId, nowMs(), this.rejections.pendingOf(websiteId));
    return all.daysOf(websiteId);
  }

  private async judge(
    hit: Hit,
    headers: HitHeaders,
    sender: Sender,
    website: Website | undefined,
  ): Promise<HitAnswer> {
    const { admission, nowMs, openStore } = this.options;
    const { websiteId, hostname } = website ?? { websiteId: 0, hostname: "" };
    const timeMs = nowMs();
    openStore();
    const reason = this.reasonAgainst(hit, headers, sender, website, timeMs);
    if (hit.kind === "load") this.remember(hit.beacon, websiteId, reason, timeMs);
    if (reason !== undefined) return { accepted: false, reason };
    const fact = this.collector.fact(hit, headers, websiteId, hostname, timeMs);
    const admitted = admission.admit(fact, sender);
    const outcome = await this.logged(admitted);
    if (outcome === "missing") throw unknownWebsite(hit.hostname);
    if (outcome === "done") {
      if (admitted.kind !== "unload" && admitted.hasOthers)
        this.rejections.note(this.websiteOf(hit, website), "limit");
      return { accepted: true };
    }
    assert(outcome === "duplicate" || outcome === "late", `a hit is not ${outcome}`);
    return { accepted: false, reason: outcome };
  }

  private async logged(fact: Fact): Promise<Outcome> {
    const { admission, commit } = this.options;
    if (fact.kind !== "load") return commit(fact);
    admission.coming(fact.beacon);
    try {
      return await commit(fact);
    } finally {
      admission.settled(fact.beacon);
    }
  }

  /** Returns the reason not to count a hit that is known before the log, in the order of core/rejection.ts. */
  private reasonAgainst(
    hit: Hit,
    headers: HitHeaders,
    sender: Sender,
    website: Website | undefined,
    timeMs: number,
  ): RejectionReason | undefined {
    const { websiteId, hostname, rules } = website ?? { websiteId: 0, hostname: "", rules: noRules };
    if (hit.kind !== "load" && !this.options.store.knows(hit.beacon, websiteId)) {
      const reason = this.refused.find(hit.beacon, websiteId, timeMs);
      if (reason !== undefined) return reason;
    }
    const reason = this.isJudged(hit, websiteId, timeMs)
      ? this.collector.rejection(hit, headers, sender.address, { hostname, rules })
      : undefined;
    if (reason !== undefined) return reason;
    return this.options.admission.isFlood(hit, websiteId, sender, timeMs) ? "flood" : undefined;
  }

  /** Notes whether a page view counts: its later hits follow it. */
  private remember(beacon: string, websiteId: number, reason: RejectionReason | undefined, lastMs: number) {
    if (reason === undefined) this.refused.delete(beacon);
    else this.refused.add(beacon, { websiteId, reason, lastMs });
  }

  /** Whether it is asked who sent a hit: unloads and events of known page views belong to what was counted. */
  private isJudged(hit: Hit, websiteId: number, timeMs: number): hit is LoadHit | EventHit {
    if (hit.kind === "event") return !this.options.store.takesEvent(hit.beacon, websiteId, timeMs);
    return hit.kind === "load";
  }

  /** The id of the website that a hit is about; 0 where nobody can tell. */
  private websiteOf({ beacon }: Hit, website: Website | undefined): number {
    if (website !== undefined) return website.websiteId;
    return this.options.store.websiteOf(beacon) ?? this.refused.websiteOf(beacon) ?? 0;
  }
}

function unknownWebsite(hostname: string): Refusal {
  return new Refusal(404, `u: ${shown(hostname)} is not a website of this server`);
}
