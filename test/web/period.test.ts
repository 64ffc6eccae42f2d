/** Periods in zones where days are not always of 24 hours. */
import type { CalendarDate } from "../../src/core/calendar/date.ts";
import { describe, expect, test } from "bun:test";
import { intervalNames, intervalsMax } from "../../src/core/questions/query.ts";
import {
  customPeriod,
  intervalLabels,
  intervalsFor,
  periodLabels,
  periodNames,
  periodText,
  spanOf,
  stepped,
  type PeriodChoice,
} from "../../src/web/lib/calendar/period.ts";
import { parseDate } from "../../src/web/lib/calendar/zone.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const dayMs = 86_400_000;
/** A Saturday. */
const now = Date.parse("2026-11-21T10:00:00Z");

function date(text: string): CalendarDate {
  const found = parseDate(text);
  if (found === undefined) throw new Error(`no date: ${text}`);
  return found;
}

function custom(from: string, to: string): PeriodChoice {
  return customPeriod(date(from), date(to));
}

function span(choice: PeriodChoice, zone: string, nowMs = now): (string | undefined)[] {
  const { startMs, endMs } = spanOf(choice, zone, nowMs);
  return [startMs, endMs].map((ms) => (ms === undefined ? undefined : new Date(ms).toISOString()));
}

describe("the span", () => {
  test("of each period ends with today, or with its month", () => {
    expect(span({ name: "today" }, "UTC")).toEqual(["2026-11-21T00:00:00.000Z", "2026-11-21T23:59:59.999Z"]);
    expect(span({ name: "7d" }, "UTC")).toEqual(["2026-11-15T00:00:00.000Z", "2026-11-21T23:59:59.999Z"]);
    expect(span({ name: "30d" }, "UTC")).toEqual(["2026-10-23T00:00:00.000Z", "2026-11-21T23:59:59.999Z"]);
    expect(span({ name: "12mo" }, "UTC")).toEqual(["2025-12-01T00:00:00.000Z", "2026-11-30T23:59:59.999Z"]);
    expect(span({ name: "all" }, "UTC")).toEqual([undefined, "2026-11-21T23:59:59.999Z"]);
  });
  test("is that of the day that it is in the zone", () => {
    expect(span({ name: "today" }, "Pacific/Auckland")).toEqual([
      "2026-11-20T11:00:00.000Z",
      "2026-11-21T10:59:59.999Z",
    ]);
    expect(span({ name: "today" }, "Pacific/Auckland", now + 2 * 3_600_000)).toEqual([
      "2026-11-21T11:00:00.000Z",
      "2026-11-22T10:59:59.999Z",
    ]);
  });
  test("of days on which the clocks are set has 23 and 25 hours", () => {
    expect(span(custom("2026-03-29", "2026-03-29"), "Europe/Berlin")).toEqual([
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T21:59:59.999Z",
    ]);
    expect(span(custom("2026-10-25", "2026-10-25"), "Europe/Berlin")).toEqual([
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T22:59:59.999Z",
    ]);
  });
  test("over such a day begins and ends at midnight", () => {
    const nowMs = Date.parse("2026-10-27T12:00:00Z");
    expect(span({ name: "7d" }, "Europe/Berlin", nowMs)).toEqual([
      "2026-10-20T22:00:00.000Z",
      "2026-10-27T22:59:59.999Z",
    ]);
    expect(span({ name: "12mo" }, "Europe/Berlin", nowMs)).toEqual([
      "2025-10-31T23:00:00.000Z",
      "2026-10-31T22:59:59.999Z",
    ]);
  });
});

test("a custom period goes from the earlier to the later date", () => {
  expect(custom("2026-05-02", "2026-05-01")).toEqual(custom("2026-05-01", "2026-05-02"));
});

/** The dates of each period as Temporal has them, in a naive way: day by day. */
function naiveDates(
  name: string,
  today: Temporal.PlainDate,
  weekStart: number,
): [Temporal.PlainDate, Temporal.PlainDate] {
  const ago = (days: number) => today.subtract({ days });
  const back = (
    date: Temporal.PlainDate,
    isFirst: (date: Temporal.PlainDate) => boolean,
  ): Temporal.PlainDate => (isFirst(date) ? date : back(date.subtract({ days: 1 }), isFirst));
  const monday = back(today, ({ dayOfWeek }) => dayOfWeek === weekStart);
  const month = back(today, ({ day }) => day === 1);
  const year = today.with({ month: 1, day: 1 });
  const days = /^(\d+)d$/.exec(name)?.[1];
  if (days !== undefined) return [ago(Number(days) - 1), today];
  const until = (
    first: Temporal.PlainDate,
    length: Temporal.DurationLike,
  ): [Temporal.PlainDate, Temporal.PlainDate] => [first, first.add(length).subtract({ days: 1 })];
  switch (name) {
    case "today":
      return [today, today];
    case "yesterday":
      return [ago(1), ago(1)];
    case "this_week":
      return until(monday, { weeks: 1 });
    case "last_week":
      return until(monday.subtract({ weeks: 1 }), { weeks: 1 });
    case "this_month":
      return until(month, { months: 1 });
    case "last_month":
      return until(month.subtract({ months: 1 }), { months: 1 });
    case "this_year":
      return until(year, { years: 1 });
    case "last_year":
      return until(year.subtract({ years: 1 }), { years: 1 });
    case "12mo":
      return until(month.subtract({ months: 11 }), { years: 1 });
    default:
      throw new Error(name);
  }
}

describe("at a random instant in a random zone", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Africa/Cairo",
  ];

  test("every named period has the dates that Temporal has, whatever day weeks begin on", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 300; round++) {
      const zone = zones[round % zones.length] as string;
      const nowMs = Date.parse("2005-01-01T00:00:00Z") + Math.floor(random() * 25 * 365 * dayMs);
      const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate();
      const weekStart = ([1, 5, 6, 7] as const)[Math.floor(random() * 4)] ?? 1;
      for (const name of periodNames) {
        if (name === "24h" || name === "all" || name === "custom") continue;
        const [first, last] = naiveDates(name, today, weekStart);
        const at = (date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;
        expect({ zone, nowMs, name, ...spanOf({ name }, zone, nowMs, weekStart) }).toEqual({
          zone,
          nowMs,
          name,
          startMs: at(first),
          endMs: at(last.add({ days: 1 })) - 1,
        });
      }
    }
  });

  test("the last 24 hours end with the hour that the clocks show", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 300; round++) {
      const zone = zones[round % zones.length] as string;
      const nowMs = Math.floor(random() * 60 * 365 * dayMs);
      const { startMs, endMs } = spanOf({ name: "24h" }, zone, nowMs);
      expect(endMs + 1 - (startMs ?? 0)).toBe(dayMs);
      expect(endMs).toBeGreaterThanOrEqual(nowMs);
      expect(endMs - nowMs).toBeLessThan(3_600_000);
      const end = Temporal.Instant.fromEpochMilliseconds(endMs + 1).toZonedDateTimeISO(zone);
      expect(end.minute).toBe(0);
    }
  });
});

describe("a step", () => {
  const step = (choice: PeriodChoice, direction: -1 | 1, zone = "UTC") =>
    stepped(choice, zone, now, direction);

  test("back has the same number of days", () => {
    expect(step({ name: "today" }, -1)).toEqual({ name: "yesterday" });
    expect(step({ name: "yesterday" }, -1)).toEqual(custom("2026-11-19", "2026-11-19"));
    expect(step({ name: "7d" }, -1)).toEqual(custom("2026-11-08", "2026-11-14"));
    expect(step({ name: "30d" }, -1)).toEqual(custom("2026-09-23", "2026-10-22"));
    expect(step(custom("2026-02-27", "2026-03-01"), -1)).toEqual(custom("2026-02-24", "2026-02-26"));
  });
  test("of whole months goes by months", () => {
    expect(step({ name: "12mo" }, -1)).toEqual(custom("2024-12-01", "2025-11-30"));
    expect(step(custom("2026-03-01", "2026-03-31"), -1)).toEqual(custom("2026-02-01", "2026-02-28"));
    expect(step(custom("2026-02-01", "2026-02-28"), 1)).toEqual(custom("2026-03-01", "2026-03-31"));
    expect(step(custom("2026-01-01", "2026-03-31"), -1)).toEqual(custom("2025-10-01", "2025-12-31"));
    expect(step(custom("2024-01-01", "2024-12-31"), -1)).toEqual(custom("2023-01-01", "2023-12-31"));
  });
  test("forward comes back to the period that has a name", () => {
    for (const name of ["today", "7d", "30d", "12mo"] as const) {
      const before = step({ name }, -1);
      expect(before && step(before, 1)).toEqual({ name });
    }
  });
  test("leads from this week, month and year to the last, and back", () => {
    for (const unit of ["week", "month", "year"]) {
      const [last, current] = [{ name: `last_${unit}` }, { name: `this_${unit}` }] as PeriodChoice[];
      expect(step(current as PeriodChoice, -1)).toEqual(last);
      expect(step(last as PeriodChoice, 1)).toEqual(current);
      expect(step(step(last as PeriodChoice, -1) as PeriodChoice, 1)).toEqual(last);
      expect(step(current as PeriodChoice, 1)).toBeUndefined();
    }
  });
  test("from 30 days goes by 30 days, even where they are a month", () => {
    const nowMs = Date.parse("2026-11-30T10:00:00Z");
    const before = stepped({ name: "30d" }, "UTC", nowMs, -1);
    expect(before).toEqual(custom("2026-10-02", "2026-10-31"));
    expect(before && stepped(before, "UTC", nowMs, 1)).toEqual({ name: "30d" });
  });
  test("from 24 hours goes by 24 hours", () => {
    const before = step({ name: "24h" }, -1) as PeriodChoice;
    expect(span(before, "UTC")).toEqual(["2026-11-19T11:00:00.000Z", "2026-11-20T10:59:59.999Z"]);
    expect(step(before, 1)).toEqual({ name: "24h" });
    expect(step({ name: "24h" }, 1)).toBeUndefined();
  });
  test("does not lead into the future, nor out of all time", () => {
    for (const name of ["today", "7d", "30d", "12mo", "all"] as const)
      expect(step({ name }, 1)).toBeUndefined();
    expect(step({ name: "all" }, -1)).toBeUndefined();
    expect(step(custom("2026-11-20", "2026-11-20"), 1)).toEqual({ name: "today" });
    expect(step(custom("2026-11-14", "2026-11-17"), 1)).toEqual(custom("2026-11-18", "2026-11-21"));
    expect(step(custom("2026-11-15", "2026-11-18"), 1)).toEqual(custom("2026-11-19", "2026-11-22"));
    expect(step(custom("2026-11-18", "2026-11-21"), 1)).toBeUndefined();
  });
  test("knows what day it is in the zone", () => {
    const nowMs = Date.parse("2026-11-21T23:30:00Z");
    const yesterday = custom("2026-11-21", "2026-11-21");
    expect(stepped(yesterday, "Europe/Berlin", nowMs, 1)).toEqual({ name: "today" });
    expect(stepped(yesterday, "UTC", nowMs, 1)).toBeUndefined();
  });
  test("and one back is where it began, and they touch", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 500; round++) {
      const first = Temporal.PlainDate.from("2000-01-02").add({ days: Math.floor(random() * 9_000) });
      // From the first of a month, the days before could be whole months, which have lengths of their own.
      if (first.day === 1) continue;
      const choice = customPeriod(first, first.add({ days: Math.floor(random() * 400) }));
      checkSteps(choice);
    }
  });
  test("of random whole months, too", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 200; round++) {
      const first = Temporal.PlainDate.from("2000-01-01").add({ months: Math.floor(random() * 290) });
      const end = first.add({ months: 1 + Math.floor(random() * 24) });
      checkSteps(customPeriod(first, end.subtract({ days: 1 })));
    }
  });

  function checkSteps(choice: PeriodChoice): void {
    const before = step(choice, -1);
    if (before === undefined) throw new Error("no period before");
    const [earlier, later] = [before, choice].map((period) => spanOf(period, "Europe/Berlin", now));
    expect((earlier?.endMs ?? 0) + 1).toBe(later?.startMs as number);
    const back = step(before, 1);
    expect(back && span(back, "UTC")).toEqual(span(choice, "UTC"));
  }
});

describe("intervals", () => {
  const of = (days: number) => intervalsFor({ startMs: 0, endMs: days * dayMs - 1 });

  const pointsADay = { minute: 1_440, hour: 24, day: 1, week: 1 / 7, month: 1 / 31 };

  test("that are suggested make a chart of 6 to 62 points where the period allows it", () => {
    for (let days = 1; days <= 365 * 5; days++) {
      const points = days * pointsADay[of(days)[0] ?? "minute"];
      expect(points).toBeLessThanOrEqual(62);
      expect(points).toBeGreaterThanOrEqual(Math.min(days, 6));
    }
  });
  test("that can be chosen make no more points than the server gives", () => {
    for (let days = 1; days <= 365 * 25; days += days < 400 ? 1 : 30)
      for (const interval of of(days))
        expect({ days, interval, tooMany: days * pointsADay[interval] > intervalsMax }).toEqual({
          days,
          interval,
          tooMany: false,
        });
  });
  test("of a day of 25 hours are those of a day", () => {
    expect(of(25 / 24)).toEqual(of(1));
  });
  test("of all time are the longest", () => {
    expect(intervalsFor({ startMs: undefined, endMs: now })[0]).toBe("month");
  });
});

describe("in words", () => {
  test("periods have their names, and dates are written", () => {
    expect(periodText({ name: "7d" }, "UTC")).toBe("Last 7 days");
    expect(periodText(custom("2026-11-03", "2026-11-03"), "UTC", "en-GB")).toBe("3 Nov 2026");
    // Spaces around the dash are thin ones.
    const range = (from: string, to: string) =>
      periodText(custom(from, to), "UTC", "en-GB")
        .replace(/\s*–\s*/u, " – ")
        .replace("-", " – ");
    expect(range("2025-12-30", "2026-01-02")).toBe("30 Dec 2025 – 2 Jan 2026");
  });
  test("everything has a label", () => {
    expect(Object.keys(periodLabels)).toEqual([...periodNames]);
    expect(Object.keys(intervalLabels).sort()).toEqual([...intervalNames].sort());
  });
});
