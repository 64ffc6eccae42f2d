/** Calendars as they were: what clocks did on these days is in the time zone database. */
import { describe, expect, test } from "bun:test";
import type { IntervalName } from "../../src/core/questions/query.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { intervalsOf } from "../../src/query/calendar/interval.ts";

function dates(name: IntervalName, zone: string, start: string, end: string): string[] {
  const period = { startMs: Date.parse(start), endMs: Date.parse(end) };
  return intervalsOf(name, zone, period).map(({ date, startMs }) => {
    expect(Date.parse(date)).toBe(startMs);
    return date;
  });
}

/** Lengths in hours of the intervals between the first and the last. */
function hours(name: IntervalName, zone: string, start: string, end: string): number[] {
  const starts = dates(name, zone, start, end).map((date) => Date.parse(date));
  return starts.slice(1).map((startMs, at) => (startMs - (starts[at] as number)) / 3_600_000);
}

describe("days", () => {
  test("that a period touches, whole", () => {
    expect(dates("day", "UTC", "2026-03-14T23:59:59.999Z", "2026-03-16T00:00:00Z")).toEqual([
      "2026-03-14T00:00:00+00:00",
      "2026-03-15T00:00:00+00:00",
      "2026-03-16T00:00:00+00:00",
    ]);
    expect(dates("day", "UTC", "2026-03-15T00:00:00Z", "2026-03-15T23:59:59.999Z")).toEqual([
      "2026-03-15T00:00:00+00:00",
    ]);
  });
  test("of 23 and 25 hours", () => {
    expect(hours("day", "Europe/Berlin", "2026-03-28T00:00:00Z", "2026-03-31T00:00:00Z")).toEqual([
      24, 23, 24,
    ]);
    expect(hours("day", "Europe/Berlin", "2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z")).toEqual([
      24, 25, 24,
    ]);
    expect(dates("day", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-30T12:00:00Z")).toEqual([
      "2026-03-29T00:00:00+01:00",
      "2026-03-30T00:00:00+02:00",
    ]);
  });
  test("without a midnight begin when their first hour does", () => {
    expect(dates("day", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-05T12:00:00Z")).toEqual([
      "2018-11-03T00:00:00-03:00",
      "2018-11-04T01:00:00-02:00",
      "2018-11-05T00:00:00-02:00",
    ]);
    expect(dates("day", "Africa/Cairo", "2024-04-26T12:00:00Z", "2024-04-26T12:00:00Z")).toEqual([
      "2024-04-26T01:00:00+03:00",
    ]);
    expect(dates("day", "Asia/Beirut", "2022-03-27T12:00:00Z", "2022-03-27T12:00:00Z")).toEqual([
      "2022-03-27T01:00:00+03:00",
    ]);
  });
  test("with two midnights begin at the first", () => {
    expect(dates("day", "America/Havana", "2024-11-03T12:00:00Z", "2024-11-04T12:00:00Z")).toEqual([
      "2024-11-03T00:00:00-04:00",
      "2024-11-04T00:00:00-05:00",
    ]);
    expect(dates("day", "America/St_Johns", "2010-11-06T12:00:00Z", "2010-11-07T12:00:00Z")).toEqual([
      "2010-11-06T00:00:00-02:30",
      "2010-11-07T00:00:00-02:30",
    ]);
  });
  test("that a zone left out are left out", () => {
    expect(dates("day", "Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-31T12:00:00Z")).toEqual([
      "2011-12-29T00:00:00-10:00",
      "2011-12-31T00:00:00+14:00",
      "2012-01-01T00:00:00+14:00",
    ]);
  });
  test("of offsets that are no whole hours", () => {
    expect(dates("day", "Asia/Kathmandu", "2026-03-15T18:14:59Z", "2026-03-15T18:15:00Z")).toEqual([
      "2026-03-15T00:00:00+05:45",
      "2026-03-16T00:00:00+05:45",
    ]);
  });
  test("of a zone whose clocks change at any time of the weeks before", () => {
    // Wherever a search for the change begins, it is found: once it was missed when it began just there.
    for (let hour = 0; hour < 24 * 30; hour++) {
      const startMs = Date.parse("2026-03-01T00:00:00Z") + hour * 3_600_000;
      const days = intervalsOf("day", "Europe/Berlin", {
        startMs,
        endMs: Date.parse("2026-04-02T00:00:00Z"),
      });
      expect(days.at(-1)?.date).toBe("2026-04-02T00:00:00+02:00");
    }
  });
});

describe("hours and minutes", () => {
  test("are two where clocks go back, and none where they go forward", () => {
    expect(dates("hour", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z")).toEqual([
      "2026-10-25T02:00:00+02:00",
      "2026-10-25T02:00:00+01:00",
      "2026-10-25T03:00:00+01:00",
    ]);
    expect(dates("hour", "Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z")).toEqual([
      "2026-03-29T01:00:00+01:00",
      "2026-03-29T03:00:00+02:00",
    ]);
  });
  test("are cut where clocks change by half an hour", () => {
    expect(dates("hour", "Australia/Lord_Howe", "2024-04-06T14:00:00Z", "2024-04-06T16:00:00Z")).toEqual([
      "2024-04-07T01:00:00+11:00",
      "2024-04-07T01:30:00+10:30",
      "2024-04-07T02:00:00+10:30",
    ]);
    expect(dates("hour", "Australia/Lord_Howe", "2024-10-05T15:00:00Z", "2024-10-05T16:00:00Z")).toEqual([
      "2024-10-06T01:00:00+10:30",
      "2024-10-06T02:30:00+11:00",
      "2024-10-06T03:00:00+11:00",
    ]);
  });
  test("follow local time where it is a quarter of an hour off", () => {
    expect(dates("hour", "Asia/Kathmandu", "2026-03-15T12:00:00Z", "2026-03-15T12:15:00Z")).toEqual([
      "2026-03-15T17:00:00+05:45",
      "2026-03-15T18:00:00+05:45",
    ]);
  });
  test("minutes", () => {
    expect(dates("minute", "Europe/Berlin", "2026-10-25T00:59:30Z", "2026-10-25T01:00:00Z")).toEqual([
      "2026-10-25T02:59:00+02:00",
      "2026-10-25T02:00:00+01:00",
    ]);
  });
});

describe("weeks and months", () => {
  test("weeks begin on Monday", () => {
    expect(dates("week", "Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z")).toEqual([
      "2026-03-23T00:00:00+01:00",
      "2026-03-30T00:00:00+02:00",
    ]);
    expect(dates("week", "UTC", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z")).toEqual([
      "1969-12-29T00:00:00+00:00",
    ]);
  });
  test("months", () => {
    expect(dates("month", "America/New_York", "2024-02-29T12:00:00Z", "2024-04-01T03:59:59Z")).toEqual([
      "2024-02-01T00:00:00-05:00",
      "2024-03-01T00:00:00-05:00",
    ]);
    expect(dates("month", "UTC", "2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z")).toEqual([
      "2025-12-01T00:00:00+00:00",
      "2026-01-01T00:00:00+00:00",
    ]);
  });
});

describe("the limit", () => {
  const minuteMs = 60_000;

  test("10,000 intervals are answered, one more is refused", () => {
    const startMs = Date.parse("2026-03-15T00:00:00Z");
    expect(intervalsOf("minute", "UTC", { startMs, endMs: startMs + 10_000 * minuteMs - 1 })).toHaveLength(
      10_000,
    );
    expect(() => intervalsOf("minute", "UTC", { startMs, endMs: startMs + 10_000 * minuteMs })).toThrow(
      Refusal,
    );
    // As many as this lie within a span of 10,000 minutes that begins in the middle of one.
    const cut = { startMs: startMs + 30_000, endMs: startMs + 30_000 + 10_000 * minuteMs - 1 };
    expect(() => intervalsOf("minute", "UTC", cut)).toThrow(Refusal);
  });

  test("a 400 that says what to do, at once for a period of any length", () => {
    const period = { startMs: Date.parse("0001-01-01T00:00:00Z"), endMs: Date.parse("9999-12-31T23:59:59Z") };
    for (const name of ["minute", "hour", "day", "week", "month"] as const) {
      let refusal: unknown;
      try {
        intervalsOf(name, "America/New_York", period);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toBeInstanceOf(Refusal);
      expect(refusal).toMatchObject({
        code: 400,
        message: expect.stringMatching(/^interval: expected at most 10000/),
      });
    }
  });

  test("an empty period has no intervals", () => {
    expect(intervalsOf("day", "UTC", { startMs: 1, endMs: 0 })).toEqual([]);
    expect(intervalsOf("day", "UTC", { startMs: Infinity, endMs: 0 })).toEqual([]);
  });
});
