/** Figures by weekday and hour: averages of such hours, by the clocks of a zone, also on days when these are set. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { intervalsOf } from "../../src/query/calendar/interval.ts";
import { spanOf } from "../../src/web/lib/calendar/period.ts";
import {
  highestOf,
  hoursSpan,
  weekHours,
  weeksMax,
  firstCounted,
} from "../../src/web/lib/calendar/week-hours.ts";
import { seed } from "../support/seed.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const at = (text: string) => Date.parse(text);
const visitors = { name: "visitors", weight: "visits", fromMs: -Infinity, nowMs: Infinity } as const;

/** The hours of a period as the server has them, with these figures. */
function hoursOf(zone: string, start: string, end: string, figures: (ms: number) => object) {
  const period = { startMs: at(start), endMs: at(end) - 1 };
  return intervalsOf("hour", zone, period).map(({ date, startMs }) => ({ date, ...figures(startMs) }));
}

describe("averages", () => {
  test("are of the hours that the period has: five Mondays, and four of other days", () => {
    // 30 November 2026 is a Monday, as is the 2nd.
    const hours = hoursOf("UTC", "2026-11-02T00:00:00Z", "2026-12-01T00:00:00Z", (ms) => ({
      visitors: new Date(ms).getUTCHours() === 9 ? 10 : 0,
    }));
    const [monday, tuesday] = weekHours(hours, visitors, 1);
    expect(monday?.[9]).toEqual({ weekday: 1, hour: 9, times: 5, value: 10 });
    expect(tuesday?.[9]).toEqual({ weekday: 2, hour: 9, times: 4, value: 10 });
    expect(tuesday?.[8]).toEqual({ weekday: 2, hour: 8, times: 4, value: 0 });
  });

  test("begin with the day on which weeks begin", () => {
    const week = weekHours([], visitors, 7);
    expect(week.map(([first]) => first?.weekday)).toEqual([7, 1, 2, 3, 4, 5, 6]);
    expect(week.flat().every(({ times, value }) => times === 0 && value === undefined)).toBe(true);
  });

  test("have an hour twice where clocks are set back, and none where it is left out", () => {
    // Sunday 25 October 2026 has 25 hours in Berlin, and Sunday 29 March 23.
    const autumn = hoursOf("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", () => ({
      visitors: 3,
    }));
    const sunday = weekHours(autumn, visitors, 7)[0] ?? [];
    expect(sunday.map(({ times }) => times)).toEqual([1, 1, 2, ...Array.from({ length: 21 }, () => 1)]);
    expect(sunday.every(({ value }) => value === 3)).toBe(true);
    const spring = hoursOf("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", () => ({
      visitors: 3,
    }));
    const short = weekHours(spring, visitors, 7)[0] ?? [];
    expect(short[2]).toEqual({ weekday: 7, hour: 2, times: 0, value: undefined });
    expect(short.filter(({ times }) => times === 1)).toHaveLength(23);
  });

  test("leave out the hour that is not over, those to come, and those before the first that counts", () => {
    const hours = hoursOf("UTC", "2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z", () => ({ visitors: 2 }));
    const [monday] = weekHours(
      hours,
      { ...visitors, fromMs: at("2026-11-02T03:00:00Z"), nowMs: at("2026-11-02T06:30:00Z") },
      1,
    );
    expect(monday?.flatMap(({ hour, times }) => (times > 0 ? [hour] : []))).toEqual([3, 4, 5]);
  });

  test("of shares and times count by their visits, and an hour without one counts for nothing", () => {
    const [first, second, third] = ["2026-11-02", "2026-11-09", "2026-11-16"].map(
      (day) => `${day}T09:00:00.000Z`,
    ) as [string, string, string];
    const hours = [
      { date: first, bounce_percentage: 100, visits: 1 },
      { date: second, bounce_percentage: 20, visits: 3 },
      { date: third, visits: 0 },
    ];
    const [monday] = weekHours(hours, { ...visitors, name: "bounce_percentage" }, 1);
    expect(monday?.[9]).toEqual({ weekday: 1, hour: 9, times: 3, value: 40 });
    expect(monday?.[8]?.value).toBeUndefined();
  });

  test("times how often there was such an hour are the whole period, in any zone", () => {
    const zones = fc.constantFrom("UTC", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe");
    const starts = fc.integer({ min: at("2020-01-01T00:00:00Z"), max: at("2030-01-01T00:00:00Z") });
    fc.assert(
      fc.property(zones, starts, fc.integer({ min: 1, max: 60 }), (zone, ms, days) => {
        const startMs = Math.floor(ms / hourMs) * hourMs;
        const format = new Intl.DateTimeFormat("en", {
          timeZone: zone,
          weekday: "short",
          hour: "2-digit",
          hourCycle: "h23",
        });
        const hours = intervalsOf("hour", zone, { startMs, endMs: startMs + days * dayMs - 1 }).map(
          ({ date, startMs: own }) => ({ date, visitors: own / hourMs }),
        );
        const expected = new Map<string, number>();
        for (const { date } of hours) {
          const name = format.format(at(date));
          expected.set(name, (expected.get(name) ?? 0) + 1);
        }
        const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        for (const { weekday, hour, times } of weekHours(hours, visitors, 1).flat()) {
          const name = `${names[weekday - 1]}, ${String(hour).padStart(2, "0")}`;
          expect([name, times]).toEqual([name, expected.get(name) ?? 0]);
        }
      }),
      { seed: seed(), numRuns: 40 },
    );
  });
});

test("the first day with visits begins at its start, and is none where nothing came", () => {
  const hours = hoursOf("Europe/Berlin", "2026-11-01T23:00:00Z", "2026-11-06T23:00:00Z", (ms) => ({
    visitors: ms >= at("2026-11-04T12:00:00Z") ? 1 : 0,
  }));
  expect(new Date(firstCounted(hours)).toISOString()).toBe("2026-11-03T23:00:00.000Z");
  expect(firstCounted(hours.slice(0, 9))).toBeNaN();
  expect(firstCounted([])).toBeNaN();
});

test("the highest hour is one with a figure", () => {
  const hours = hoursOf("UTC", "2026-11-02T00:00:00Z", "2026-11-09T00:00:00Z", (ms) => ({
    visitors: ms === at("2026-11-05T17:00:00Z") ? 4 : 1,
  }));
  expect(highestOf(weekHours(hours, visitors, 1))).toMatchObject({ weekday: 4, hour: 17, value: 4 });
  expect(highestOf(weekHours([], visitors, 1))).toBeUndefined();
});

describe("the span", () => {
  const nowMs = at("2026-11-26T12:00:00Z");
  const spanFor = (name: "30d" | "12mo" | "this_year" | "all") =>
    hoursSpan(spanOf({ name }, "Europe/Berlin", nowMs), "Europe/Berlin", nowMs);

  test("is that of the period until the end of today, up to a year", () => {
    const endMs = at("2026-11-26T23:00:00Z") - 1;
    for (const name of ["30d", "12mo", "this_year"] as const) {
      const { startMs } = spanOf({ name }, "Europe/Berlin", nowMs);
      expect(spanFor(name)).toEqual({ startMs, endMs, isCut: false });
    }
  });

  test("is the last weeks of a longer one, with as many of each weekday", () => {
    const { startMs, endMs, isCut } = spanFor("all");
    expect(isCut).toBe(true);
    // The clocks of Berlin were the same a year ago.
    expect(endMs + 1 - (startMs ?? 0)).toBe(7 * weeksMax * dayMs);
    const old = hoursSpan(
      { startMs: at("2015-01-01T00:00:00Z"), endMs: at("2020-01-01T00:00:00Z") - 1 },
      "UTC",
      nowMs,
    );
    expect(new Date(old.startMs ?? 0).toISOString()).toBe("2019-01-02T00:00:00.000Z");
  });

  test("has no more hours than the server answers, whichever dates are chosen", () => {
    const far = hoursSpan(
      { startMs: at("2026-01-01T00:00:00Z"), endMs: at("2036-01-01T00:00:00Z") },
      "UTC",
      nowMs,
    );
    expect([far.isCut, new Date(far.endMs).toISOString()]).toEqual([false, "2026-11-26T23:59:59.999Z"]);
    const year = { startMs: at("2024-01-01T00:00:00Z"), endMs: at("2025-01-01T00:00:00Z") - 1 };
    expect(hoursSpan(year, "UTC", nowMs)).toEqual({ ...year, isCut: false });
    const more = hoursSpan({ ...year, endMs: year.endMs + dayMs }, "UTC", nowMs);
    expect([more.isCut, (more.endMs + 1 - (more.startMs ?? 0)) / hourMs]).toEqual([true, 24 * 7 * weeksMax]);
  });
});
