/** The list of websites: order, period, search, and the questions for each row. */
import { hourMs } from "../../../core/hit.ts";
import { shifted } from "../../../core/calendar/date.ts";
import { displayOf, type Website } from "../api.ts";
import { encodeSearch, websitesHref } from "../routes.ts";
import { comparedPairs, listPath } from "../question/paths.ts";
import { questionHref, questionOf } from "../question/question.ts";
import { clockIn, dateIn, instantAt, startOfDate } from "../calendar/zone.ts";

/** The orders of the list of websites, and its periods; the first are the usual ones. Exported for tests. */
export const sortNames = ["name", "visitors", "visits"] as const;
export type SortName = (typeof sortNames)[number];
export const listPeriods = ["24h", "7d", "30d"] as const;
export type ListPeriod = (typeof listPeriods)[number];

export interface ListView {
  readonly sort: SortName;
  readonly period: ListPeriod;
}

export function listViewOf(search: URLSearchParams): ListView {
  return {
    sort: sortNames.find((name) => name === search.get("sort")) ?? "name",
    period: listPeriods.find((name) => name === search.get("period")) ?? "24h",
  };
}

export function listViewHref({ sort, period }: ListView): string {
  const pairs: [string, string][] = [];
  if (period !== "24h") pairs.push(["period", period]);
  if (sort !== "name") pairs.push(["sort", sort]);
  return websitesHref + encodeSearch(pairs);
}

/** Returns the address of a website: with a period that was chosen for the list. */
export function listedHref(hostname: string, period: ListPeriod): string {
  const search = new URLSearchParams(period === "24h" ? {} : { period });
  return questionHref(questionOf(hostname, search));
}

const names = new Intl.Collator();

/** Compares websites by the names that are shown; two that are equal to people have an order too. */
function byName(a: Website, b: Website): number {
  return names.compare(displayOf(a), displayOf(b)) || (a.hostname < b.hostname ? -1 : 1);
}

/** Returns a figure of a website; undefined while it is not known. */
type FigureOf = (website: Website) => number | undefined;

/**
 * Returns the websites whose hostname contains `typed`, whatever its case: by name, or those with the highest figure first
 * and those without one last.
 */
export function shownWebsites(websites: readonly Website[], typed: string, figureOf?: FigureOf): Website[] {
  const wanted = typed.trim().toLowerCase();
  const rank = (website: Website) => figureOf?.(website) ?? -1;
  return websites
    .filter((website) => `${website.hostname} ${displayOf(website)}`.includes(wanted))
    .toSorted((a, b) => rank(b) - rank(a) || byName(a, b));
}

/** The number of days in the small line, with today. */
export const recentDays = 14;

/** Returns the API's path for these days. It is the same all day, so that its answer is cached. Exported for tests. */
export function recentPath(hostname: string, zone: string, nowMs: number): string {
  const first = shifted(dateIn(zone, nowMs), 1 - recentDays);
  const start = new Date(startOfDate(zone, first)).toISOString();
  return `/website/${encodeURIComponent(hostname)}/summary${encodeSearch([
    ["interval", "day"],
    ["timezone", zone],
    ["start", start],
  ])}`;
}

/**
 * Returns the path of the visitors and visits of a website in a period, and in the one that it is compared with. The last 24
 * hours end now, as those of the list of websites do, and are compared with those that ended with the nearest hour a week ago.
 */
export function figuresPath(website: Website, period: ListPeriod, zone: string, nowMs: number): string {
  const { hostname, visits } = website;
  const search = new URLSearchParams({ period, timezone: zone });
  const question = questionOf(hostname, search, { visits });
  const metrics = { metrics: visits ? "visitors,visits" : "visitors" };
  if (period !== "24h")
    return listPath(question, "summary", { ...metrics, ...comparedPairs(question, nowMs) }, nowMs);
  const nearMs = Math.round(nowMs / hourMs) * hourMs;
  const weekAgo = (ms: number) => instantAt(zone, shifted(dateIn(zone, ms), -7), clockIn(zone, ms));
  const at = (ms: number) => new Date(ms).toISOString();
  const last = { start: at(nowMs - 24 * hourMs + 1), end: at(nowMs) };
  const before = { compare_start: at(weekAgo(nearMs - 24 * hourMs)), compare_end: at(weekAgo(nearMs) - 1) };
  const asked = { ...metrics, ...(visits && { by: "visit" }), ...last, ...before };
  return `/website/${encodeURIComponent(hostname)}/summary${encodeSearch(Object.entries(asked))}`;
}
