/** Finds the start of the day in a time zone, by the zone's IANA name. */
import { Lru } from "../../lib/collections/lru.ts";

const quarterMs = 900_000;
const zonesMax = 600;
/** A longer name is none, and is not remembered: 600 of 16 KiB would take memory from others. */
const zoneCharactersMax = 64;
const formats = new Lru<string, Intl.DateTimeFormat | null>(zonesMax);
const starts = new Lru<string, { readonly quarter: number; readonly startMs: number }>(zonesMax);

export function isTimeZone(name: string): boolean {
  return formatOf(name) !== null;
}

/**
 * Returns the first millisecond of the current day at `nowMs` in a zone. It is not always midnight, because some clock
 * changes skip that. An unknown zone counts as UTC.
 */
export function dayStart(zone: string, nowMs: number): number {
  // Every offset is a multiple of a quarter of an hour, so a day begins and ends with a quarter.
  if (zone.length > zoneCharactersMax) return dayStart("UTC", nowMs);
  const quarter = Math.floor(nowMs / quarterMs);
  const known = starts.get(zone);
  if (known?.quarter === quarter) return known.startMs;
  const format = formatOf(zone) ?? (formatOf("UTC") as Intl.DateTimeFormat);
  const today = format.format(nowMs);
  // Within 26 hours, the longest day, exactly one change of the date is the start of today.
  let [before, after] = [quarter - 26 * 4, quarter];
  while (after - before > 1) {
    const middle = (before + after) >> 1;
    if (format.format(middle * quarterMs) === today) after = middle;
    else before = middle;
  }
  const startMs = after * quarterMs;
  starts.set(zone, { quarter, startMs });
  return startMs;
}

/**
 * Returns a formatter of dates in a zone; null for an unknown one. An offset such as `+02:00` is not accepted as a
 * zone.
 */
function formatOf(zone: string): Intl.DateTimeFormat | null {
  if (zone.length > zoneCharactersMax) return null;
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = /^[A-Za-z]/.test(zone) ? dateFormat(zone) : null;
  formats.set(zone, format);
  return format;
}

function dateFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone, year: "numeric", month: "numeric", day: "numeric" });
  } catch {
    return null;
  }
}
