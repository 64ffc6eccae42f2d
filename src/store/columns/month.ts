/** Knows the UTC months that chunks are of. */

/** Returns a month as its files are named: 2026-03. */
export function monthNumber(monthMs: number): string {
  return new Date(monthMs).toISOString().slice(0, 7);
}

/** Returns the end of the UTC month that starts at `monthMs`. */
export function monthEndMs(monthMs: number): number {
  const month = new Date(monthMs);
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
}
