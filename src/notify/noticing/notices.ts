/**
 * Notices what subscribers are to be told, every few minutes and beside the deliveries: a record says that a message is
 * due, so that nothing is told twice. Alerts ask the statistics, which may take long. So accounts take turns: one that had
 * its share of the time goes on behind the others.
 */
import type { Website } from "../../accounts/registry/registry.ts";
import { isReport, recipientOf, type Subscription } from "../../core/website/subscription.ts";
import type { Engine } from "../../engine/engine.ts";
import { isTooEarly } from "../../engine/log/early-clock.ts";
import { ClockWatch } from "../../engine/upkeep/clock-watch.ts";
import { Periodic } from "../../engine/upkeep/periodic.ts";
import { Conditions, type Happening } from "./conditions.ts";
import { reportPatienceMs } from "./patience.ts";
import { lastDueMs } from "./schedule.ts";

/** How often it is asked whether a round is due, and how often one is. */
const lookMs = 5_000;
const roundMs = 5 * 60_000;
/** An account that had so long lets the others go on. */
const turnMs = 1_000;
/** Some machines start with a wrong clock, which is set within minutes: nothing is noticed by one that may be. */
const agreedMsMin = 10 * 60_000;
/** A time that is farther ahead was written by a clock that was wrong. */
const aheadMs = 10 * 60_000;

export class Notices extends Periodic {
  private readonly conditions = new Conditions();
  private readonly watch: ClockWatch;
  private nextRoundMs = 0;

  /** `isActive`: whether this server is the one that tells. `failed` hears why something could not be looked at. */
  constructor(
    private readonly engine: Engine,
    private readonly isActive: () => boolean,
    protected readonly failed: (error: unknown) => void,
  ) {
    super(lookMs);
    this.watch = new ClockWatch(engine.clock);
  }

  /** Looks at all subscriptions if a round is due. */
  protected async work(): Promise<void> {
    const { clock, registry } = this.engine;
    const agreedMs = this.watch.agreedMs();
    if (!this.isActive() || isTooEarly(this.engine.nowMs())) return;
    if (agreedMs < agreedMsMin || clock.monotonicMs() < this.nextRoundMs) return;
    this.nextRoundMs = clock.monotonicMs() + roundMs;
    const all = registry.websites
      .values()
      .flatMap(({ websiteId, userId, subscriptions }) =>
        subscriptions.list.map(({ id }) => ({ websiteId, userId, id })),
      );
    const byAccount = Map.groupBy(all, ({ userId }) => userId);
    for (const [userId, left] of byAccount) {
      const endMs = clock.monotonicMs() + turnMs;
      while (left.length > 0 && clock.monotonicMs() < endMs) {
        if (!(await this.pause()) || !this.isActive()) return;
        const { websiteId, id } = left.shift()!;
        await this.lookAt(websiteId, id).catch(this.failed);
      }
      byAccount.delete(userId);
      // Comes last now, and so again in this loop.
      if (left.length > 0) byAccount.set(userId, left);
    }
  }

  /** Logs that a message is due, if it is, by a subscription as it is now. */
  private async lookAt(websiteId: number, subscriptionId: number): Promise<void> {
    const { engine } = this;
    const website = engine.registry.websites.get(websiteId);
    const subscription = website?.subscriptions.list.find(({ id }) => id === subscriptionId);
    if (website === undefined || subscription === undefined) return;
    if (subscription.due !== null || !engine.isAvailable(websiteId)) return;
    const happening = await this.happeningOf(website, subscription);
    if (happening === undefined) return;
    const timeMs = engine.nowMs();
    await engine.commit({ kind: "messageDue", timeMs, websiteId, subscriptionId, ...happening });
  }

  private async happeningOf(website: Website, given: Subscription): Promise<Happening | undefined> {
    const { engine } = this;
    const nowMs = engine.nowMs();
    // A clock that was wrong for a while must not silence what comes after it.
    const past = (timeMs: number) => (timeMs > nowMs + aheadMs ? 0 : timeMs);
    const [createdMs, lastForMs] = [past(given.createdMs), past(given.lastForMs)];
    const subscription = { ...given, createdMs, lastForMs };
    const { kind, timezone, format } = subscription;
    const confirmedMs = recipientOf(website.recipients, subscription)?.confirmedMs ?? null;
    if (format === null && confirmedMs === null) return undefined;
    const sinceMs = Math.max(createdMs, lastForMs, past(confirmedMs ?? 0));
    if (!isReport(kind)) return this.conditions.look(kind, { engine, website, subscription, sinceMs, nowMs });
    const forMs = lastDueMs(kind, timezone, nowMs);
    const isDue = forMs > sinceMs && nowMs - forMs < reportPatienceMs;
    return isDue ? { forMs, value: 0, expected: 0 } : undefined;
  }
}
