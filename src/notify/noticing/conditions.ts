/**
 * Looks for what alerts tell of. An hour is compared with the median of the same hours of the four weeks before,
 * because days and nights, and days of the week, differ. A floor keeps small websites from being told of chance, and
 * what was told keeps the same from being told for a day.
 */
import type { Website } from "../../accounts/registry/registry.ts";
import { dayMs, hourMs } from "../../core/hit.ts";
import type { AlertKind, Due, Subscription } from "../../core/website/subscription.ts";
import type { Engine } from "../../engine/engine.ts";
import { Lru } from "../../lib/collections/lru.ts";
import { msBefore } from "../../query/calendar/weeks-before.ts";
import { importedUntilMs } from "../../store/state/reduced-month.ts";
import { Figures } from "./figures.ts";
import { dayStartMs } from "./schedule.ts";

const weeks = 4;
/** The weeks that have to be known; a week is unknown if the whole day before had no page view. */
const weeksMin = 2;
/** An hour stands out with so many times its usual visitors, or that part of them. */
const factor = 3;
/** A website that had no page view in so long is not told of as silent. */
const livelyMs = 28 * dayMs;
const diskShare = 1 / 10;
const expectedMax = 10_000;

export type Happening = Omit<Due, "noticedMs">;

interface Asked {
  readonly engine: Engine;
  readonly website: Website;
  readonly subscription: Subscription;
  /** A day that ended before is not told of: there was nobody yet who wanted to know. */
  readonly sinceMs: number;
  readonly nowMs: number;
}

export class Conditions {
  /** The usual visitors of an hour, by website, zone and hour: null if they are unknown. The past does not change. */
  private readonly usual = new Lru<string, number | null>(expectedMax);

  /** Returns what happened that was not told yet; undefined for nothing. */
  look(kind: AlertKind, asked: Asked): Promise<Happening | undefined> {
    return this[kind](asked);
  }

  private async spike(asked: Asked): Promise<Happening | undefined> {
    const { nowMs, subscription } = asked;
    if (isTold(asked)) return undefined;
    const runningMs = Math.floor(nowMs / hourMs) * hourMs;
    // The hour under way only gets more.
    for (const forMs of [runningMs - hourMs, runningMs]) {
      if (forMs + hourMs <= subscription.createdMs) continue;
      const value = await visitorsOf(asked, forMs);
      if (value < subscription.threshold) continue;
      const expected = await this.usualOf(asked, forMs);
      if (expected !== null && value >= factor * expected) return { forMs, value, expected };
    }
    return undefined;
  }

  private async drop(asked: Asked): Promise<Happening | undefined> {
    const { nowMs, subscription, engine } = asked;
    const forMs = (Math.floor(nowMs / hourMs) - 1) * hourMs;
    if (isTold(asked) || forMs < subscription.createdMs || wasOff(engine, forMs, nowMs)) return undefined;
    const expected = await this.usualOf(asked, forMs);
    if (expected === null || expected < subscription.threshold) return undefined;
    const value = await visitorsOf(asked, forMs);
    return value * factor <= expected ? { forMs, value, expected } : undefined;
  }

  /** Returns a time without page views once: when it is noticed, and not again before the next page view. */
  private async silence(asked: Asked): Promise<Happening | undefined> {
    const { nowMs, subscription, engine } = asked;
    const { threshold: hours, createdMs, lastForMs } = subscription;
    const forMs = nowMs - hours * hourMs;
    if (forMs < createdMs || wasOff(engine, forMs, nowMs)) return undefined;
    if ((await pageviewsOf(asked, forMs)) > 0) return undefined;
    if (lastForMs > 0 && (await pageviewsOf(asked, lastForMs)) === 0) return undefined;
    const isLively = (await pageviewsOf(asked, forMs - livelyMs)) > 0;
    return isLively ? { forMs, value: 0, expected: 0 } : undefined;
  }

  private async goal({
    engine,
    website,
    subscription,
    sinceMs,
    nowMs,
  }: Asked): Promise<Happening | undefined> {
    const { timezone, threshold, goalId, lastForMs } = subscription;
    const goals = website.goals.list.filter(({ id }) => id === goalId);
    const todayMs = dayStartMs(timezone, nowMs);
    const yesterday = { startMs: dayStartMs(timezone, todayMs - 1), endMs: todayMs - 1 };
    // The last minutes of a day come after its last look.
    for (const span of [yesterday, { startMs: todayMs, endMs: nowMs }]) {
      if (span.startMs <= lastForMs || span.endMs < sinceMs) continue;
      const [row] = await new Figures(engine, website).goals(goals, span);
      const value = row?.events ?? 0;
      if (value >= threshold) return { forMs: span.startMs, value, expected: threshold };
    }
    return undefined;
  }

  private async disk(asked: Asked): Promise<Happening | undefined> {
    const { engine, nowMs } = asked;
    if (isTold(asked)) return undefined;
    const { freeBytes, totalBytes } = engine.health();
    if (freeBytes === undefined || totalBytes === undefined) return undefined;
    if (freeBytes >= totalBytes * diskShare) return undefined;
    return { forMs: nowMs, value: freeBytes, expected: totalBytes };
  }

  /** Returns the median of the hours that are known, rounded; null if there are too few. */
  private async usualOf(
    { engine, website, subscription }: Asked,
    hourStartMs: number,
  ): Promise<number | null> {
    const { timezone } = subscription;
    const key = `${website.websiteId} ${website.visits} ${timezone} ${hourStartMs}`;
    const known = this.usual.get(key);
    if (known !== undefined) return known;
    const figures = new Figures(engine, website);
    const counts: number[] = [];
    // A day that was imported as sums has all its visitors in one hour.
    const sinceMs = importedUntilMs(engine.site(website.websiteId)?.reduced.values() ?? []);
    for (let week = 1; week <= weeks; week++) {
      const startMs = msBefore(timezone, hourStartMs, week);
      const endMs = startMs + hourMs - 1;
      if (startMs < sinceMs) continue;
      const day = { startMs: Math.max(endMs - dayMs + 1, sinceMs), endMs };
      if ((await figures.count("pageviews", day)) === 0) continue;
      counts.push(await figures.count("visitors", { startMs, endMs }));
    }
    const usual = counts.length < weeksMin ? null : median(counts);
    this.usual.set(key, usual);
    return usual;
  }
}

/** Whether the server itself was off at a time or after it. A start that is still to come had a wrong clock. */
function wasOff(engine: Engine, forMs: number, nowMs: number): boolean {
  const untilMs = engine.offUntilMs();
  return forMs < untilMs && untilMs <= nowMs;
}

/** Whether something of the last 24 hours was told already. For a spike or a drop they are counted from the start of its hour. */
function isTold({ subscription: { lastForMs }, nowMs }: Asked): boolean {
  return lastForMs > 0 && nowMs - lastForMs < dayMs;
}

function visitorsOf({ engine, website }: Asked, startMs: number): Promise<number> {
  return new Figures(engine, website).count("visitors", { startMs, endMs: startMs + hourMs - 1 });
}

function pageviewsOf({ engine, website, nowMs }: Asked, startMs: number): Promise<number> {
  return new Figures(engine, website).count("pageviews", { startMs, endMs: nowMs });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [high = 0, low = 0] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? high : Math.round((low + high) / 2);
}
