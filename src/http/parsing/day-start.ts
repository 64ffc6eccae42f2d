/** Finds the start of the day in a time zone, by the zone's IANA name. */

/** A longer name is none. */
const zoneCharactersMax = 64;
/** Takes no offset such as `+02:00`, and no date with a zone in brackets, which Temporal takes for a zone too. */
const zoneName = /^[A-Za-z][\w+/-]*$/;

export function isTimeZone(name: string): boolean {
  return startIn(name, 0) !== undefined;
}

/**
 * Returns the first millisecond of the current day at `nowMs` in a zone. It is not always midnight, because some clock
 * changes skip that. An unknown zone counts as UTC.
 */
export function dayStart(zone: string, nowMs: number): number {
  return startIn(zone, nowMs) ?? startIn("UTC", nowMs)!;
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
