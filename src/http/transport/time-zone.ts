/** Time zones by their IANA name, and when the day began there. */
import { Lru } from "../../lib/lru.ts";

const quarterMs = 900_000;
const zonesMax = 600;
const formats = new Lru<string, Intl.DateTimeFormat | null>(zonesMax);
const starts = new Lru<string, { readonly quarter: number; readonly startMs: number }>(zonesMax);

export function isTimeZone(name: string): boolean {
  return formatOf(name) !== null;
}

/**
 * The first millisecond of the day that it is at `nowMs` in a zone: not always midnight, which some clock
 * changes leave out. An unknown zone is UTC.
 */
export function dayStart(zone: string, nowMs: number): number {
  // Every offset is a multiple of a quarter of an hour, so a day begins and ends with one.
  const quarter = Math.floor(nowMs / quarterMs);
  const known = starts.get(zone);
  if (known?.quarter === quarter) return known.startMs;
  const format = formatOf(zone) ?? (formatOf("UTC") as Intl.DateTimeFormat);
  const today = format.format(nowMs);
  // Within 26 hours, the longest day, exactly one change of the date is the beginning of today.
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

/** Writes the date in a zone, null for an unknown one. An offset such as `+02:00` has no name. */
function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = /^[A-Za-z]/.test(zone) && zone.length <= 64 ? dateFormat(zone) : null;
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
