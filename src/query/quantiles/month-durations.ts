/** The durations of a part of a month without rows: its digests by month, day or hour, the largest that fit. */
import type { ReducedFacts } from "../../facts/months/reduced-facts.ts";
import { firstAtLeast } from "../../lib/search.ts";
import type { DigestQuantiles } from "./digest-quantiles.ts";

const quartersPerHour = 4;
const hoursPerDay = 24;

/**
 * `from`, `to`: quarters of an hour since 1970. An hour of which they are a part is taken as a whole, so that there are
 * durations where a time is known; the answer is not exact then.
 */
export function addDurations(
  to: DigestQuantiles,
  facts: ReducedFacts,
  part: { readonly whole: boolean; readonly first: boolean; readonly from: number; readonly to: number },
): void {
  if (part.whole) {
    const month = facts.durations("month");
    return to.add(month, 0, month.keys.length);
  }
  const firstHour = Math.floor(part.from / quartersPerHour);
  const endHour = Math.ceil(part.to / quartersPerHour);
  // Before the first row of the month there is nothing.
  const isWithin = !part.first && part.from % quartersPerHour !== 0;
  if (isWithin || part.to % quartersPerHour !== 0) to.isExact = false;
  const addHours = (from: number, end: number) => {
    if (from >= end) return;
    const hours = facts.durations("hour");
    to.add(hours, firstAtLeast(hours.keys, from), firstAtLeast(hours.keys, end));
  };
  const [firstDay, endDay] = [Math.ceil(firstHour / hoursPerDay), Math.floor(endHour / hoursPerDay)];
  if (firstDay >= endDay) return addHours(firstHour, endHour);
  const days = facts.durations("day");
  addHours(firstHour, firstDay * hoursPerDay);
  to.add(days, firstAtLeast(days.keys, firstDay), firstAtLeast(days.keys, endDay));
  addHours(endDay * hoursPerDay, endHour);
}
