/** Calendar intervals by the runtime's own calendar, one after the other. */
import type { IntervalName, Period } from "../../src/core/questions/query.ts";

export interface ModelInterval extends Period {
  readonly date: string;
}

type Zoned = Temporal.ZonedDateTime;

/** The intervals of a zone that a period touches, whole. Empty for an endless period. */
export function modelIntervals(
  name: IntervalName,
  timezone: string,
  period: Period,
  weekStart = 1,
): ModelInterval[] {
  if (!Number.isFinite(period.startMs) || period.startMs > period.endMs) return [];
  const intervals: ModelInterval[] = [];
  let start = startOf(name, zoned(period.startMs, timezone), weekStart);
  while (start.epochMilliseconds <= period.endMs) {
    const next = nextStart(name, start);
    const startMs = start.epochMilliseconds;
    const endMs = next.epochMilliseconds - 1;
    const date = start.toString({ timeZoneName: "never", smallestUnit: "second" });
    intervals.push({ startMs, endMs, date });
    start = next;
  }
  return intervals;
}

function zoned(ms: number, timezone: string): Zoned {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
}

function startOf(name: IntervalName, at: Zoned, weekStart: number): Zoned {
  if (name === "minute" || name === "hour") {
    const intoMs = at.second * 1_000 + at.millisecond + (name === "hour" ? at.minute * 60_000 : 0);
    const changed = at.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
    const floorMs = at.epochMilliseconds - intoMs;
    return zoned(Math.max(floorMs, changed?.epochMilliseconds ?? -Infinity), at.timeZoneId);
  }
  const date = at.toPlainDate();
  const back = name === "day" ? 0 : name === "week" ? (date.dayOfWeek - weekStart + 7) % 7 : date.day - 1;
  return date.subtract({ days: back }).toZonedDateTime(at.timeZoneId);
}

function nextStart(name: IntervalName, start: Zoned): Zoned {
  if (name === "minute" || name === "hour") {
    const unitMs = name === "hour" ? 3_600_000 : 60_000;
    const intoMs = start.second * 1_000 + (name === "hour" ? start.minute * 60_000 : 0);
    const changeMs = start.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity;
    return zoned(Math.min(start.epochMilliseconds + unitMs - intoMs, changeMs), start.timeZoneId);
  }
  const length = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[name];
  return start.toPlainDate().add(length).toZonedDateTime(start.timeZoneId);
}
