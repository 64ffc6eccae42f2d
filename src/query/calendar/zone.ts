/** Time zones as periods of time with a constant offset of local time from UTC. */

export interface OffsetPeriod {
  readonly fromMs: number;
  /** Exclusive; Infinity for the last period. */
  readonly untilMs: number;
  /** Milliseconds by which local time is ahead of UTC. */
  readonly offsetMs: number;
}

/** Yields the periods from `fromMs` on, the last of which has no end. `zone`: an IANA name. */
export function* offsetPeriods(zone: string, fromMs: number): Generator<OffsetPeriod> {
  let at = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone);
  for (;;) {
    const change = at.getTimeZoneTransition("next");
    const untilMs = change?.epochMilliseconds ?? Infinity;
    yield { fromMs: at.epochMilliseconds, untilMs, offsetMs: at.offsetNanoseconds / 1e6 };
    if (change === null) return;
    at = change;
  }
}

/** Returns an instant as RFC 3339 in local time, to the second: `2026-03-29T00:00:00+01:00`. */
export function localDateTime(ms: number, offsetMs: number): string {
  const local = new Date(ms + offsetMs).toISOString().slice(0, 19);
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${local}${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
