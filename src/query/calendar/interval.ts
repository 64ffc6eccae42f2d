/**
 * Calendar intervals of a time zone. A day, week or month begins at the first instant of its local date, which is not
 * always midnight. A minute or hour also begins at each change of the clocks, so that the two hours from 2 to 3 of an
 * autumn night are two intervals.
 */
import { dayMs, hourMs, minuteMs } from "../../core/hit.ts";
import { intervalsMax, type IntervalName, type Period } from "../../core/questions/query.ts";
import { Refusal } from "../../core/refusal.ts";

export interface Interval {
  readonly startMs: number;
  /** The start in local time. */
  readonly date: string;
}

interface Calendar {
  /** Returns the latest local start that is not after a local time. */
  readonly floor: (localMs: number) => number;
  /** Returns the next local start after the given one. */
  readonly next: (floorMs: number) => number;
  /** No interval is longer. Where a zone moved over the date line, it may have had one day twice. */
  readonly longestMs: number;
  readonly splitsAtChanges: boolean;
}

/** 1970 began on a Thursday. */
const firstMondayMs = 4 * dayMs;

function even(lengthMs: number, phaseMs: number, longestMs: number, splitsAtChanges: boolean): Calendar {
  const floor = (localMs: number) => Math.floor((localMs - phaseMs) / lengthMs) * lengthMs + phaseMs;
  return { floor, next: (floorMs) => floorMs + lengthMs, longestMs, splitsAtChanges };
}

function monthStart(localMs: number, months: number): number {
  const date = new Date(localMs);
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}

const calendars: Readonly<Record<Exclude<IntervalName, "week">, Calendar>> = {
  minute: even(minuteMs, 0, minuteMs, true),
  hour: even(hourMs, 0, hourMs, true),
  day: even(dayMs, 0, 2 * dayMs, false),
  month: {
    floor: (ms) => monthStart(ms, 0),
    next: (ms) => monthStart(ms, 1),
    longestMs: 32 * dayMs,
    splitsAtChanges: false,
  },
};

/** `weekStart`: 1 is Monday, 7 is Sunday. */
function calendarOf(name: IntervalName, weekStart: number): Calendar {
  return name === "week"
    ? even(7 * dayMs, firstMondayMs + (weekStart - 1) * dayMs, 8 * dayMs, false)
    : calendars[name];
}

/**
 * Returns the intervals that a period touches, in their order. `weekStart`: the day with which weeks begin, 1 is Monday.
 * Throws Refusal 400 for more than 10,000.
 */
export function intervalsOf(
  name: IntervalName,
  zone: string,
  { startMs, endMs }: Period,
  weekStart = 1,
): Interval[] {
  const calendar = calendarOf(name, weekStart);
  const { longestMs } = calendar;
  if (endMs < startMs) return [];
  if ((endMs - startMs) / longestMs > intervalsMax) throw tooMany(name);
  const intervals: Interval[] = [];
  for (const interval of starts(calendar, zone, startMs - 2 * longestMs - 2 * dayMs)) {
    if (interval.startMs > endMs) break;
    if (interval.startMs <= startMs) intervals.length = 0;
    intervals.push(interval);
    if (intervals.length > intervalsMax) throw tooMany(name);
  }
  return intervals;
}

/** Yields the starts of all intervals after `fromMs`. */
function* starts(
  { floor, next, splitsAtChanges }: Calendar,
  zone: string,
  fromMs: number,
): Generator<Interval> {
  let current = -Infinity;
  let offsetBefore: number | undefined;
  for (const { fromMs: from, untilMs, offsetMs } of offsetPeriods(zone, fromMs)) {
    const atFrom = floor(from + offsetMs);
    const changed = offsetBefore !== undefined && offsetBefore !== offsetMs && splitsAtChanges;
    if (offsetBefore !== undefined && (atFrom > current || changed))
      yield { startMs: from, date: localDateTime(from, offsetMs) };
    current = splitsAtChanges ? atFrom : Math.max(current, atFrom);
    offsetBefore = offsetMs;
    for (let local = next(current); local - offsetMs < untilMs; local = next(local)) {
      yield { startMs: local - offsetMs, date: localDateTime(local - offsetMs, offsetMs) };
      current = local;
    }
  }
}

function tooMany(name: IntervalName): Refusal {
  return new Refusal(
    400,
    `interval: expected at most ${intervalsMax} intervals, got more: ask for a shorter period, or for longer intervals than ${name}s`,
  );
}

/** A period of time with a constant offset of local time from UTC. */
interface OffsetPeriod {
  readonly fromMs: number;
  /** Exclusive; Infinity for the last period. */
  readonly untilMs: number;
  /** Milliseconds by which local time is ahead of UTC. */
  readonly offsetMs: number;
}

/** Yields the periods from `fromMs` on, the last of which has no end. `zone`: an IANA name. */
function* offsetPeriods(zone: string, fromMs: number): Generator<OffsetPeriod> {
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
function localDateTime(ms: number, offsetMs: number): string {
  const local = new Date(ms + offsetMs).toISOString().slice(0, 19);
  const minutes = Math.round(Math.abs(offsetMs) / minuteMs);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${local}${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
