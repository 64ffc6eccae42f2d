/** Hits that were not counted, summed and in words. */
import { utcDate } from "../../../core/calendar/date.ts";
import { dayMs } from "../../../core/hit.ts";
import { rejectionNames, type Rejection, type RejectionCounts } from "../../../core/rejection.ts";
import { count } from "../texts/format.ts";
import { t } from "../texts/words.ts";

export interface RejectionDay extends RejectionCounts {
  /** A UTC day, such as 2026-03-14. */
  readonly date: string;
}

export interface Rejections {
  /** The latest first, without those that have none. */
  readonly days: readonly RejectionDay[];
  /** Only the owner of the server is told. */
  readonly unknown?: readonly { readonly hostname: string; readonly hits: number }[];
  /** A proxy that hides the addresses of visitors; its address only if it is private, and the owner asks. */
  readonly hiding_proxy?: { readonly address?: string };
}

export const shownDays = 14;

/** Names for tables, where the descriptions of core/rejection.ts would be too long. */
export const reasonNames: Readonly<Record<Rejection, string>> = {
  crawler: t("Crawlers"),
  referrer_spam: t("Referrer spam"),
  blocked: t("Blocked"),
  flood: t("Flood"),
  duplicate: t("Sent twice"),
  late: t("Too late"),
  early: t("No page view"),
  limit: t("Counted as (other)"),
  malformed: t("Malformed"),
};

/** Returns the first UTC date of the last two weeks, such as 2026-03-14. */
export function firstShownDate(nowMs: number): string {
  return utcDate(nowMs - (shownDays - 1) * dayMs);
}

/** Returns the days of the last two weeks, the latest first. */
export function recent(days: readonly RejectionDay[], nowMs: number): readonly RejectionDay[] {
  const first = firstShownDate(nowMs);
  return days.filter(({ date }) => date >= first);
}

/** Returns the reasons that occur with their counts, the most frequent first. */
export function summed(days: readonly RejectionCounts[]): readonly (readonly [Rejection, number])[] {
  const sumOf = (reason: Rejection) => days.reduce((sum, counts) => sum + (counts[reason] ?? 0), 0);
  return rejectionNames
    .map((reason) => [reason, sumOf(reason)] as const)
    .filter(([, hits]) => hits > 0)
    .toSorted(([, a], [, b]) => b - a);
}

/** Returns why hits of one day were not counted, such as `Crawlers: 12; Blocked: 3`. */
export function reasonsText(day: RejectionDay): string {
  return summed([day])
    .map(([reason, hits]) => `${reasonNames[reason]}: ${count(hits)}`)
    .join("; ");
}
