/** The list of websites: order, search, what is asked for each row, and the hostname in what people paste. */
import type { Website } from "./api.ts";
import { encodeSearch, websitesHref } from "./routes.ts";
import { dateIn, shifted, startOfDate } from "./calendar/zone.ts";

export const sortNames = ["name", "visitors"] as const;
export type SortName = (typeof sortNames)[number];

export function sortOf(search: URLSearchParams): SortName {
  return sortNames.find((name) => name === search.get("sort")) ?? "name";
}

export function sortHref(sort: SortName): string {
  return websitesHref + encodeSearch(sort === "name" ? [] : [["sort", sort]]);
}

/** Those whose hostname has `typed` in it, whatever its case; most visitors first, or by name. */
export function shownWebsites(websites: readonly Website[], typed: string, sort: SortName): Website[] {
  const wanted = typed.trim().toLowerCase();
  const byName = (a: Website, b: Website) => (a.hostname < b.hostname ? -1 : a.hostname > b.hostname ? 1 : 0);
  return websites
    .filter(({ hostname }) => hostname.includes(wanted))
    .toSorted((a, b) => (sort === "visitors" ? b.summary.visitors - a.summary.visitors : 0) || byName(a, b));
}

/** Days of the small line, today among them. */
export const recentDays = 14;

/** Path of the API for them: the same all day, so that its answer is kept. */
export function recentPath(hostname: string, zone: string, nowMs: number): string {
  const first = shifted(dateIn(zone, nowMs), 1 - recentDays);
  const start = new Date(startOfDate(zone, first)).toISOString();
  return `/website/${encodeURIComponent(hostname)}/summary${encodeSearch([
    ["interval", "day"],
    ["timezone", zone],
    ["start", start],
  ])}`;
}

/** The hostname of an address that somebody pasted; other text as it is, for the server to judge. */
export function pastedHostname(text: string): string {
  const trimmed = text.trim();
  const address = /^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  const looksLikeAddress = /[/:]/.test(trimmed);
  return (looksLikeAddress && URL.parse(address)?.hostname) || trimmed;
}
