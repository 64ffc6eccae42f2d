/** Knows the UTC months that chunks are of. */

/** Returns a month as its files are named: 2026-03. */
export function monthNumber(monthMs: number): string {
  return new Date(monthMs).toISOString().slice(0, 7);
}

/** The month that was asked for last, which is mostly the one of the next row. */
const latest = { startMs: 0, endMs: 0 };

/** Returns the start of the UTC month of a time. */
export function monthStartMs(timeMs: number): number {
  if (timeMs >= latest.startMs && timeMs < latest.endMs) return latest.startMs;
  const time = new Date(timeMs);
  latest.startMs = Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
  latest.endMs = monthEndMs(latest.startMs);
  return latest.startMs;
}

/** Returns the end of the UTC month that starts at `monthMs`. */
export function monthEndMs(monthMs: number): number {
  const month = new Date(monthMs);
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
}
