/** Times in a time zone, by Intl alone: Temporal is not in every browser yet. */
import { dayMs, hourMs } from "../../../core/hit.ts";
import { shifted, utcDate, utcMs, type CalendarDate } from "../../../core/calendar/date.ts";
import { dateFormat } from "../texts/format.ts";

/** The viewer's own zone, as an IANA name. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function formatOf(zone: string): Intl.DateTimeFormat {
  const fields = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const times = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  return dateFormat({ timeZone: zone, era: "short", ...fields, ...times }, "en-US");
}

/** Returns whether a text names a zone. An offset such as `+02:00` is none: the server takes names only. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** Returns all names that the browser knows and that contain `text`; `new york` is found too. */
export function zonesLike(text: string): string[] {
  const wanted = text.trim().toLowerCase().replaceAll(" ", "_");
  const names = new Set(["UTC", ownZone, ...Intl.supportedValuesOf("timeZone")]);
  return [...names].filter((name) => name.toLowerCase().includes(wanted)).sort();
}

/** Returns the place that a zone is named after, such as New York. */
export function placeOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");
}

/** Returns the milliseconds by which local time is ahead of UTC at an instant. Exported for tests. */
export function offsetMs(zone: string, ms: number): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: string) => Number(parts[name]);
  const local = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return local - Math.floor(ms / 1_000) * 1_000;
}

export function dateIn(zone: string, ms: number): CalendarDate {
  const local = new Date(ms + offsetMs(zone, ms));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
}

/** By zone and date. Finding a start takes 0.1 ms, and a page asks a hundred times for the few of its period. */
const starts = new Map<string, number>();

/** Returns the first instant of a local date in milliseconds since 1970; it is not always midnight. */
export function startOfDate(zone: string, date: CalendarDate): number {
  const key = `${zone} ${isoDate(date)}`;
  const start = starts.get(key) ?? instantAt(zone, date, 0);
  starts.set(key, start);
  return start;
}

/**
 * Returns when the clocks of a zone first show a time of a date, in milliseconds since 1970. `clockMs`: the time as
 * milliseconds after midnight. A time that is left out where clocks are set forward is the instant of that change.
 */
export function instantAt(zone: string, date: CalendarDate, clockMs: number): number {
  const local = utcMs(date) + clockMs;
  const before = offsetMs(zone, local - 86_400_000);
  const after = offsetMs(zone, local + 86_400_000);
  const found = [...new Set([before, after])]
    .map((offset) => local - offset)
    .filter((ms) => ms + offsetMs(zone, ms) === local);
  if (found.length > 0) return Math.min(...found);
  let low = local - Math.max(before, after);
  let high = local - Math.min(before, after);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the time that the clocks of a zone show at an instant, as milliseconds after midnight. */
export function clockIn(zone: string, ms: number): number {
  return (((ms + offsetMs(zone, ms)) % dayMs) + dayMs) % dayMs;
}

/** Returns the end of the hour that the clocks of a zone show at an instant. */
export function hourEnd(zone: string, ms: number): number {
  return ms + hourMs - (clockIn(zone, ms) % hourMs);
}

/** Returns the last such weekday up to a date. `weekday`: 1 is Monday, 7 is Sunday. */
export function shiftedWeekday(date: CalendarDate, weekday: number): CalendarDate {
  return shifted(date, -((new Date(utcMs(date)).getUTCDay() - weekday + 14) % 7));
}

export function isoDate(date: CalendarDate): string {
  return utcDate(utcMs(date));
}

/** Returns undefined for a text that is no date of the calendar. */
export function parseDate(text: string): CalendarDate | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  return isoDate(shifted(date, 0)) === text ? date : undefined;
}
