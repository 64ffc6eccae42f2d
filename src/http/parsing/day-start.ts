/** Finds the start of the day in a time zone, by the zone's IANA name. */
import { Lru } from "../../lib/collections/lru.ts";
import { ownText } from "../../lib/texts/own-text.ts";

const quarterMs = 900_000;
const zonesMax = 600;
/** A longer name is none, and is not remembered: 600 of 16 KiB would take memory from others. */
const zoneCharactersMax = 64;
/** Takes no offset such as `+02:00`, and no date with a zone in brackets, which Temporal takes for a zone too. */
const zoneName = /^[A-Za-z][\w+/-]*$/;
/** It holds numbers alone: a formatter of dates, of which each takes 40 KB, would be one for each way to write a name. */
const starts = new Lru<string, { readonly quarter: number; readonly startMs: number }>(zonesMax);

export function isTimeZone(name: string): boolean {
  return startIn(name, 0) !== undefined;
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
  const startMs = startIn(zone, nowMs) ?? dayStart("UTC", nowMs);
  // It is a part of the URL that named it.
  starts.set(ownText(zone), { quarter, startMs });
  return startMs;
}

/** Returns the start of the day at `ms` in a zone; undefined for an unknown one. */
function startIn(zone: string, ms: number): number | undefined {
  if (zone.length > zoneCharactersMax || !zoneName.test(zone)) return undefined;
  try {
    return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).startOfDay().epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
