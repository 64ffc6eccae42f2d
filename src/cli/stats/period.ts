/** The periods of `footfall stats`: by name, or from a day to a day, of a time zone. */
import type { CalendarDate, Dates } from "../../core/calendar/date.ts";
import {
  earlierDates,
  sameTimeOf,
  shiftBefore,
  unitOf,
  type CalendarUnit,
  type LocalNow,
} from "../../core/calendar/period-before.ts";
import type { Period } from "../../core/questions/query.ts";
import { badInput } from "../../core/refusal.ts";

export interface AskedPeriod {
  /** The first and the last moment, as RFC 3339 date-times; without them all time is asked for. */
  readonly start?: string;
  readonly end?: string;
  /** The ends of the period that it is compared with. */
  readonly compareStart?: string;
  readonly compareEnd?: string;
  /** The period in words. */
  readonly words: string;
  /** The period that it is compared with, in words; without one for all time. */
  readonly compareWords?: string;
}

type Days = (today: Temporal.PlainDate) => readonly [from: Temporal.PlainDate, to: Temporal.PlainDate];

const lastDays =
  (days: number): Days =>
  (today) => [today.subtract({ days: days - 1 }), today];
const wholeMonths =
  (ago: number, months = 1): Days =>
  (today) => {
    const from = today.with({ day: 1 }).subtract({ months: ago });
    return [from, from.add({ months }).subtract({ days: 1 })];
  };
const wholeYears =
  (ago: number): Days =>
  (today) => {
    const from = today.with({ month: 1, day: 1 }).subtract({ years: ago });
    return [from, from.add({ years: 1 }).subtract({ days: 1 })];
  };
const wholeWeeks =
  (ago: number): Days =>
  (today) => {
    const from = today.subtract({ days: today.dayOfWeek - 1, weeks: ago });
    return [from, from.add({ days: 6 })];
  };

/** The names are those of the dashboard's addresses, and of Plausible's. Weeks begin on Monday. */
const named: Readonly<Record<string, Days>> = {
  today: (today) => [today, today],
  yesterday: (today) => [today.subtract({ days: 1 }), today.subtract({ days: 1 })],
  "7d": lastDays(7),
  "28d": lastDays(28),
  "30d": lastDays(30),
  "90d": lastDays(90),
  this_week: wholeWeeks(0),
  last_week: wholeWeeks(1),
  this_month: wholeMonths(0),
  last_month: wholeMonths(1),
  this_year: wholeYears(0),
  last_year: wholeYears(1),
  "6mo": wholeMonths(5, 6),
  "12mo": wholeMonths(11, 12),
};

/** 30 days may be those of a month, and are compared as days all the same. */
function unitOfName(name: string): CalendarUnit {
  return /month|year|mo$/.test(name) ? "months" : "days";
}

export const usualPeriod = "30d";
export const periodsText = `${Object.keys(named).join(", ")}, all, a day like 2026-01-31, a month like 2026-01, or two days like 2026-01-01..2026-01-31`;

/** Throws Refusal 400 for a period that is none. `zone`: a time zone's IANA name that was checked. */
export function askedPeriod(text: string, zone: string, nowMs: number): AskedPeriod {
  if (text === "all") return { words: "all time" };
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const isNamed = Object.hasOwn(named, text);
  const [from, to] = isNamed ? named[text]!(now.toPlainDate()) : datesIn(text);
  const dates = { from, to };
  const shift = shiftBefore(dates, isNamed ? unitOfName(text) : unitOf(dates));
  const otherDates = earlierDates(dates, shift);
  const [own, other] = [spanOf(dates, zone), spanOf(otherDates, zone)];
  // A period that goes on is compared with as much of the other one.
  const goesOn = own.startMs <= nowMs && nowMs <= own.endMs;
  const compared = goesOn ? sameTimeOf(other, shift, localNow(now)) : other;
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    start: at(own.startMs),
    end: at(own.endMs),
    compareStart: at(compared.startMs),
    compareEnd: at(compared.endMs),
    words: wordsOf(dates),
    compareWords: compared.endMs < other.endMs ? partOf(compared, zone) : wordsOf(otherDates),
  };
}

function spanOf({ from, to }: Dates, zone: string): Period {
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;
  return { startMs: startOf(plain(from)), endMs: startOf(plain(to).add({ days: 1 })) - 1 };
}

function plain({ year, month, day }: CalendarDate): Temporal.PlainDate {
  return Temporal.PlainDate.from({ year, month, day });
}

function wordsOf({ from, to }: Dates): string {
  const [first, last] = [plain(from), plain(to)];
  return first.equals(last) ? `${first}` : `${first} to ${last}`;
}

/** Returns the words for a period that ends within a day. */
function partOf({ startMs, endMs }: Period, zone: string): string {
  const [from, until] = [startMs, endMs + 1].map((ms) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime(),
  ) as [Temporal.PlainDateTime, Temporal.PlainDateTime];
  const [first, last] = [from.toPlainDate(), until.toPlainDate()];
  const clock = until.toPlainTime().toString({ smallestUnit: "minute" });
  return first.equals(last) ? `${first} until ${clock}` : `${first} until ${last} ${clock}`;
}

function localNow(now: Temporal.ZonedDateTime): LocalNow {
  const sinceMidnight = now.toPlainTime().since(Temporal.PlainTime.from("00:00"));
  return {
    today: now.toPlainDate(),
    clockMs: sinceMidnight.total("milliseconds"),
    instantAt: (date, clockMs) => {
      const local = plain(date).toPlainDateTime().add({ milliseconds: clockMs });
      const earlier = local.toZonedDateTime(now.timeZoneId, { disambiguation: "earlier" });
      const isLeftOut = !earlier.toPlainDateTime().equals(local);
      return (isLeftOut ? earlier.getTimeZoneTransition("next")! : earlier).epochMilliseconds;
    },
  };
}

function datesIn(text: string): readonly [Temporal.PlainDate, Temporal.PlainDate] {
  const [first = "", last = first, ...more] = text.split("..");
  try {
    if (more.length > 0) throw badInput("--period", text, periodsText);
    const [from, to] = [dateOf(first, 1), dateOf(last, 31)];
    if (Temporal.PlainDate.compare(from, to) <= 0) return [from, to];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw badInput("--period", text, periodsText);
}

/** Returns a day, or the first or last day of a month. Throws RangeError. */
function dateOf(text: string, dayOfMonth: number): Temporal.PlainDate {
  const isMonth = /^\d{4}-\d\d$/.test(text);
  if (!isMonth && !/^\d{4}-\d\d-\d\d$/.test(text)) throw new RangeError(text);
  return isMonth
    ? Temporal.PlainYearMonth.from(text).toPlainDate({ day: dayOfMonth })
    : Temporal.PlainDate.from(text);
}
