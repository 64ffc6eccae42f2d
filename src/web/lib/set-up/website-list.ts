/** The list of websites: order, search, and the question for each row. */
import { displayOf, type Website } from "../api.ts";
import { encodeSearch, websitesHref } from "../routes.ts";
import { clockIn, dateIn, instantAt, shifted, startOfDate } from "../calendar/zone.ts";

const hourMs = 3_600_000;

/** The orders of the list of websites. Exported for tests. */
export const sortNames = ["name", "visitors"] as const;
export type SortName = (typeof sortNames)[number];

export function sortOf(search: URLSearchParams): SortName {
  return sortNames.find((name) => name === search.get("sort")) ?? "name";
}

export function sortHref(sort: SortName): string {
  return websitesHref + encodeSearch(sort === "name" ? [] : [["sort", sort]]);
}

const names = new Intl.Collator();

/** Compares websites by the names that are shown; two that are equal to people have an order too. */
function byName(a: Website, b: Website): number {
  return names.compare(displayOf(a), displayOf(b)) || (a.hostname < b.hostname ? -1 : 1);
}

/** Returns the websites whose hostname contains `typed`, whatever its case; most visitors first, or by name. */
export function shownWebsites(websites: readonly Website[], typed: string, sort: SortName): Website[] {
  const wanted = typed.trim().toLowerCase();
  return websites
    .filter((website) => `${website.hostname} ${displayOf(website)}`.includes(wanted))
    .toSorted((a, b) => (sort === "visitors" ? b.summary.visitors - a.summary.visitors : 0) || byName(a, b));
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
 * Returns the same path, which also asks for the totals of 24 hours that end at this time of the clock a week ago. They
 * end with the nearest hour, so that the path is the same for an hour.
 */
export function rowPath(hostname: string, zone: string, nowMs: number): string {
  const nearMs = Math.round(nowMs / hourMs) * hourMs;
  const weekAgo = (ms: number) => instantAt(zone, shifted(dateIn(zone, ms), -7), clockIn(zone, ms));
  const pairs = { compare_start: weekAgo(nearMs - 24 * hourMs), compare_end: weekAgo(nearMs) - 1 };
  const more = Object.entries(pairs).map(([name, ms]): [string, string] => [
    name,
    new Date(ms).toISOString(),
  ]);
  return `${recentPath(hostname, zone, nowMs)}&${encodeSearch(more).slice(1)}`;
}
