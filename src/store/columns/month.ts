/** Knows the UTC months that chunks are of. */

/** Returns the end of the UTC month that starts at `monthMs`. */
export function monthEndMs(monthMs: number): number {
  const month = new Date(monthMs);
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
}
