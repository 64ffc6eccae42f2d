/** The periods that a period is compared with by default: the same weekdays and clock times of earlier weeks. */
import { dayMs } from "../../core/hit.ts";
import type { Period } from "../../core/questions/query.ts";

/** The number of earlier periods, as far as they are recorded. */
const periodsBefore = 4;
const weekMs = 7 * dayMs;

/** Returns the same time of the zone's clock some weeks before. */
export function msBefore(zone: string, ms: number, weeks: number): number {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).subtract({ weeks })
    .epochMilliseconds;
}

/**
 * Returns four periods before a period that has a start and an end, each as long as it, and as many whole weeks of the
 * zone's calendar before the next one as they need not to overlap.
 */
export function weeksBefore({ startMs, endMs }: Period, zone: string): Period[] {
  const before = (ms: number, weeks: number) => msBefore(zone, ms, weeks);
  // A week in which the clocks change is an hour longer or shorter.
  let weeks = Math.max(1, Math.floor((endMs - startMs) / weekMs));
  while (before(endMs, weeks) >= startMs) weeks++;
  return Array.from({ length: periodsBefore }, (_, at) => ({
    startMs: before(startMs, weeks * (at + 1)),
    endMs: before(endMs, weeks * (at + 1)),
  }));
}
