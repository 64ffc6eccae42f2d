/** The period that another is compared with, against Temporal, in zones where days are not always of 24 hours. */
import type { CalendarDate } from "../../src/core/calendar/date.ts";
import { beginsWithin } from "../../src/core/questions/recorded-from.ts";
import { describe, expect, test } from "bun:test";
import {
  comparedSpans,
  comparisonOf,
  hasYearAgo,
  isByWeeks,
  type Comparison,
} from "../../src/web/lib/calendar/comparison.ts";
import { periodNames, spanOf, type PeriodChoice } from "../../src/web/lib/calendar/period.ts";
import { incomparableText, isIncomparable } from "../../src/web/lib/question/incomparable.ts";
import { parseDate } from "../../src/web/lib/calendar/zone.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const dayMs = 86_400_000;
/** A Saturday. */
const now = "2026-11-21T15:20:40Z";

function custom(from: string, to: string): PeriodChoice & Comparison {
  return { name: "custom", from: parseDate(from) as CalendarDate, to: parseDate(to) as CalendarDate };
}

function compared(choice: PeriodChoice, comparison: Comparison, zone = "UTC", at = now) {
  const spans = comparedSpans({ choice, comparison, zone, nowMs: Date.parse(at), weekStart: 1 });
  const text = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z").replace(":59.999Z", ":59Z");
  return (
    spans && {
      whole: [text(spans.whole.startMs), text(spans.whole.endMs)],
      sameTime: text(spans.sameTime.endMs),
    }
  );
}

const previous: Comparison = { name: "previous" };
const year: Comparison = { name: "year" };

describe("the period before", () => {
  test("is shifted by whole weeks, so that weekdays match", () => {
    expect(compared({ name: "30d" }, previous)).toEqual({
      whole: ["2026-09-18T00:00:00Z", "2026-10-17T23:59:59Z"],
      sameTime: "2026-10-17T15:19:59Z",
    });
    expect(compared({ name: "7d" }, previous)?.whole).toEqual([
      "2026-11-08T00:00:00Z",
      "2026-11-14T23:59:59Z",
    ]);
    expect(compared({ name: "90d" }, previous)?.whole[0]).toBe("2026-05-25T00:00:00Z");
    expect(compared({ name: "this_week" }, previous)).toEqual({
      whole: ["2026-11-09T00:00:00Z", "2026-11-15T23:59:59Z"],
      sameTime: "2026-11-14T15:19:59Z",
    });
  });
  test("is said to be so just where it is", () => {
    const today = parseDate(now.slice(0, 10)) as CalendarDate;
    const whole = (choice: PeriodChoice, comparison: Comparison) => compared(choice, comparison)?.whole[0];
    for (const name of periodNames) {
      if (name === "custom") continue;
      for (const comparison of [previous, year, { name: "none" } as const]) {
        const start = spanOf({ name }, "UTC", Date.parse(now), 1).startMs;
        const days = (start! - Date.parse(whole({ name }, comparison) ?? "")) / dayMs;
        // Months may be whole weeks apart by chance.
        const isByMonths = /month|year|quarter/.test(name);
        expect([name, isByWeeks({ name }, comparison, today)]).toEqual([name, days % 7 === 0 && !isByMonths]);
      }
    }
    expect(isByWeeks({ name: "today" }, custom("2026-01-01", "2026-01-02"), today)).toBe(false);
    expect(isByWeeks(custom("2026-10-01", "2026-10-31"), previous, today)).toBe(false);
    expect(isByWeeks(custom("2026-10-01", "2026-10-30"), previous, today)).toBe(true);
  });

  test("of today goes until the same time of the clock, a week ago", () => {
    expect(compared({ name: "today" }, previous)).toEqual({
      whole: ["2026-11-14T00:00:00Z", "2026-11-14T23:59:59Z"],
      sameTime: "2026-11-14T15:19:59Z",
    });
  });
  test("of a day on which the clocks were set does so too", () => {
    expect(compared({ name: "today" }, previous, "Europe/Berlin", "2026-10-25T14:00:00Z")).toEqual({
      whole: ["2026-10-17T22:00:00Z", "2026-10-18T21:59:59Z"],
      sameTime: "2026-10-18T12:59:59Z",
    });
  });
  test("of a period in the past is whole", () => {
    const { whole, sameTime } = compared({ name: "yesterday" }, previous) ?? { whole: [] };
    expect(whole).toEqual(["2026-11-13T00:00:00Z", "2026-11-13T23:59:59Z"]);
    expect(sameTime).toBe(whole[1]);
  });
  test("of whole months is whole months", () => {
    expect(compared({ name: "this_month" }, previous)).toEqual({
      whole: ["2026-10-01T00:00:00Z", "2026-10-31T23:59:59Z"],
      sameTime: "2026-10-21T15:19:59Z",
    });
    expect(compared({ name: "last_year" }, previous)?.whole).toEqual([
      "2024-01-01T00:00:00Z",
      "2024-12-31T23:59:59Z",
    ]);
    expect(compared({ name: "12mo" }, previous)).toEqual({
      whole: ["2024-12-01T00:00:00Z", "2025-11-30T23:59:59Z"],
      sameTime: "2025-11-21T15:19:59Z",
    });
    expect(compared(custom("2026-01-01", "2026-03-31"), previous)?.whole).toEqual([
      "2025-10-01T00:00:00Z",
      "2025-12-31T23:59:59Z",
    ]);
  });
  test("of a month that has days which the other lacks is all of that one", () => {
    expect(compared({ name: "this_month" }, previous, "UTC", "2026-03-30T08:00:00Z")?.sameTime).toBe(
      "2026-02-28T23:59:59Z",
    );
  });
  test("of 24 hours has the same hours of the clock, a week ago", () => {
    expect(compared({ name: "24h" }, previous, "Europe/Berlin", "2026-10-25T14:10:00Z")).toEqual({
      whole: ["2026-10-17T15:00:00Z", "2026-10-18T13:59:59Z"],
      sameTime: "2026-10-18T13:09:59Z",
    });
  });
  test("has a minute at least, and none beyond its end", () => {
    expect(compared({ name: "today" }, previous, "UTC", "2026-11-21T00:00:10Z")?.sameTime).toBe(
      "2026-11-14T00:00:59Z",
    );
  });
});

describe("the period a year ago", () => {
  test("is 52 weeks away, or twelve months", () => {
    expect(compared({ name: "7d" }, year)?.whole).toEqual(["2025-11-16T00:00:00Z", "2025-11-22T23:59:59Z"]);
    expect(compared({ name: "this_month" }, year)?.whole).toEqual([
      "2025-11-01T00:00:00Z",
      "2025-11-30T23:59:59Z",
    ]);
    expect(compared({ name: "24h" }, year)?.sameTime).toBe("2025-11-22T15:19:59Z");
  });

  test("is the period before where that is longer than a year", () => {
    const today = parseDate(now.slice(0, 10)) as CalendarDate;
    const is = (choice: PeriodChoice) => hasYearAgo(choice, today, 1);
    expect(periodNames.filter((name) => name !== "custom" && !is({ name }))).toEqual([]);
    expect(is(custom("2024-01-01", "2024-12-31"))).toBe(true);
    for (const longer of [custom("2024-05-01", "2025-10-31"), custom("2024-05-02", "2025-10-30")]) {
      expect(is(longer)).toBe(false);
      expect(compared(longer, year)).toEqual(compared(longer, previous));
    }
  });
});

test("a period of one's choice begins where one says, and goes as far as the other has gone", () => {
  expect(compared({ name: "7d" }, custom("2026-06-01", "2026-06-30"))).toEqual({
    whole: ["2026-06-01T00:00:00Z", "2026-06-30T23:59:59Z"],
    sameTime: "2026-06-07T15:19:59Z",
  });
  expect(compared({ name: "30d" }, custom("2026-06-01", "2026-06-02"))?.sameTime).toBe(
    "2026-06-02T23:59:59Z",
  );
  expect(compared({ name: "24h" }, custom("2026-06-01", "2026-06-30"))).toEqual({
    whole: ["2026-06-01T16:00:00Z", "2026-06-02T15:59:59Z"],
    sameTime: "2026-06-02T15:19:59Z",
  });
});

test("all time has nothing to compare with, and nothing is compared where nobody wants it", () => {
  expect(compared({ name: "all" }, previous)).toBeUndefined();
  expect(compared({ name: "7d" }, { name: "none" })).toBeUndefined();
});

test("an address without a comparison has the usual one", () => {
  expect(comparisonOf(new URLSearchParams(""))).toEqual(previous);
  expect(
    comparisonOf(new URLSearchParams("compare=custom&compare_from=2026-06-30&compare_to=2026-06-01")),
  ).toEqual(custom("2026-06-01", "2026-06-30"));
});

/** The instant at which clocks of the zone show a time of a date, as Temporal has it. */
function naiveInstant(date: Temporal.PlainDate, time: Temporal.PlainTime, zone: string): number {
  return date.toPlainDateTime(time).toZonedDateTime(zone, { disambiguation: "earlier" }).epochMilliseconds;
}

describe("at a random instant in a random zone", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"];

  test("periods of days are compared with as many, on the same weekdays, until the same time of the clock", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 600; round++) {
      const zone = zones[round % zones.length] as string;
      const nowMs = Date.parse("2010-01-01T00:00:00Z") + Math.floor(random() * 15 * 365 * dayMs);
      const local = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
      const name = (["today", "7d", "28d", "30d", "90d"] as const)[round % 5] ?? "today";
      const days = name === "today" ? 1 : parseInt(name);
      const shift = random() < 0.5 ? 7 * Math.ceil(days / 7) : 364;
      const comparison = shift === 364 ? year : previous;
      const spans = comparedSpans({ choice: { name }, comparison, zone, nowMs });
      const last = local.toPlainDate().subtract({ days: shift });
      const minute = local.toPlainTime().round({ smallestUnit: "minute", roundingMode: "floor" });
      const first = last.subtract({ days: days - 1 });
      const startMs = first.toZonedDateTime(zone).epochMilliseconds;
      // An hour that is left out or comes twice is not the same to Temporal: there, an hour is near enough.
      const sameMs = Math.max(naiveInstant(last, minute, zone), days === 1 ? startMs + 60_000 : 0);
      expect({ zone, nowMs, name, startMs: spans?.whole.startMs, dayOfWeek: first.dayOfWeek }).toEqual({
        zone,
        nowMs,
        name,
        startMs,
        dayOfWeek: local.toPlainDate().subtract({ days: days - 1 }).dayOfWeek,
      });
      const differsMs = Math.abs((spans?.sameTime.endMs ?? 0) + 1 - sameMs);
      expect({ zone, nowMs, name, late: differsMs > 3_600_000 }).toEqual({ zone, nowMs, name, late: false });
      if (last.toZonedDateTime(zone).hoursInDay === 24) expect(differsMs).toBe(0);
    }
  });

  test("no comparison reaches beyond its own period, nor begins after it ends", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 1_000; round++) {
      const zone = zones[round % zones.length] as string;
      const nowMs = Math.floor(random() * 60 * 365 * dayMs);
      const name = periodNames[Math.floor(random() * periodNames.length)] ?? "today";
      if (name === "all" || name === "custom") continue;
      for (const comparison of [previous, year, custom("2001-02-03", "2001-04-05")]) {
        const spans = comparedSpans({ choice: { name }, comparison, zone, nowMs });
        const { startMs = 0, endMs = 0 } = spans?.sameTime ?? {};
        expect(startMs).toBe(spans?.whole.startMs as number);
        expect(endMs).toBeGreaterThan(startMs);
        expect(endMs).toBeLessThanOrEqual(spans?.whole.endMs as number);
        if (comparison.name !== "custom")
          expect(spans?.whole.endMs).toBeLessThan(spanOf({ name }, zone, nowMs).startMs as number);
      }
    }
  });
});

test("figures begin within a period if they lack a part of it, and with seven days or more a day of it", () => {
  const within = (days: number, lateHours: number) =>
    beginsWithin({ startMs: 0, endMs: days * dayMs - 1 }, new Date(lateHours * 3_600_000).toISOString());
  expect([within(1, 0), within(1, 1), within(6, 1), within(1, 24)]).toEqual([false, true, true, false]);
  expect([within(7, 1), within(7, 24), within(7, 25), within(7, 24 * 7)]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test("the dashboard says when figures begin in place of changes, in the time zone of the question", () => {
  const question = { period: { name: "30d" }, compare: previous, zone: "Europe/Berlin" } as const;
  const nowMs = Date.parse(now);
  const said = (recorded_from: string, more: object = {}) => {
    const asked = { ...question, ...more };
    expect(incomparableText(asked, { recorded_from }, nowMs) !== undefined).toBe(
      isIncomparable(asked, { recorded_from }, nowMs),
    );
    return incomparableText(asked, { recorded_from }, nowMs);
  };
  expect(said("2026-10-09T23:30:00.000Z")).toBe(
    "No changes are shown: figures begin on Oct 10, 2026, within the period compared with.",
  );
  // The 30 days before begin on 18 September.
  expect(said("2026-09-18T20:00:00.000Z")).toBeUndefined();
  expect(said("2026-09-19T20:00:00.000Z")).toBeString();
  expect(said("2026-11-03T23:30:00.000Z")).toBeUndefined();
  expect(said("2026-10-09T23:30:00.000Z", { compare: { name: "none" } })).toBeUndefined();
  expect(incomparableText(question, {}, nowMs)).toBeUndefined();
  expect(isIncomparable(question, undefined, nowMs)).toBe(false);
});
