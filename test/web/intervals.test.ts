/** Intervals in time: their ends, which have begun, their names. */
import { describe, expect, test } from "bun:test";
import { intervalNames } from "../../src/core/questions/query.ts";
import { dayMs } from "../../src/core/hit.ts";
import { courseOf, endOf, isPartOf, namesOf, partDays } from "../../src/web/lib/calendar/intervals.ts";
import type { Span } from "../../src/web/lib/calendar/period.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";
import { datesFrom, written } from "../support/interval-dates.ts";

describe("the end of an interval", () => {
  test.each([
    ["minute", "2026-11-03T14:05:00+01:00", "2026-11-03T14:06:00+01:00"],
    ["hour", "2026-11-03T14:00:00+01:00", "2026-11-03T15:00:00+01:00"],
    ["day", "2026-11-03T00:00:00+01:00", "2026-11-04T00:00:00+01:00"],
    ["week", "2026-12-28T00:00:00+01:00", "2027-01-04T00:00:00+01:00"],
    ["month", "2026-02-01T00:00:00+01:00", "2026-03-01T00:00:00+01:00"],
    ["month", "2026-12-01T00:00:00+01:00", "2027-01-01T00:00:00+01:00"],
    // Days of 23 and of 25 hours, and a month between two offsets.
    ["day", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"],
    ["day", "2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"],
    ["month", "2026-03-01T00:00:00+01:00", "2026-04-01T00:00:00+02:00"],
  ] as const)("a %s from %s", (interval, date, end) => {
    expect(written("Europe/Berlin", endOf(date, interval, "Europe/Berlin"))).toBe(end);
  });

  test("of a day before one without midnight is where clocks were set", () => {
    const zone = "America/Santiago";
    expect(written(zone, endOf("2026-09-05T00:00:00-04:00", "day", zone))).toBe("2026-09-06T01:00:00-03:00");
  });
});

describe("the course", () => {
  const zone = "Europe/Berlin";
  const days = datesFrom(zone, "2026-11-01", "day", 5).map((date) => ({ date }));
  const at = (time: string) => courseOf(days, "day", zone, Date.parse(time));

  test("ends with the interval that is running", () => {
    expect(at("2026-11-03T12:00:00+01:00")).toEqual({ begun: days.slice(0, 3), running: true });
  });

  test("an interval runs from its first instant until the next one begins", () => {
    expect(at("2026-11-03T00:00:00.000+01:00")).toEqual({ begun: days.slice(0, 3), running: true });
    expect(at("2026-11-02T23:59:59.999+01:00")).toEqual({ begun: days.slice(0, 2), running: true });
    expect(at("2026-11-05T23:59:59.999+01:00")).toEqual({ begun: days, running: true });
    expect(at("2026-11-06T00:00:00.000+01:00")).toEqual({ begun: days, running: false });
  });

  test("is empty before the period, and without intervals", () => {
    expect(at("2026-10-31T12:00:00+01:00")).toEqual({ begun: [], running: false });
    expect(courseOf([], "day", zone, 0)).toEqual({ begun: [], running: false });
  });

  test("of a period that is over runs no more, though its last week goes on", () => {
    const weeks = [{ date: "2026-11-23T00:00:00+01:00" }, { date: "2026-11-30T00:00:00+01:00" }];
    const endMs = Date.parse("2026-12-01T23:59:59.999+01:00");
    const runs = (nowMs: number) => courseOf(weeks, "week", zone, nowMs, endMs).running;
    expect([runs(endMs), runs(endMs + 1)]).toEqual([true, false]);
  });

  test("at any instant within a period all before it are over", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 200; round++) {
      const interval = intervalNames[round % intervalNames.length] ?? "day";
      const count = 2 + Math.floor(random() * 30);
      const rows = datesFrom(zone, "2026-03-25", interval, count).map((date) => ({ date }));
      const index = Math.floor(random() * count);
      const start = Date.parse(rows[index]?.date ?? "");
      const end = endOf(rows[index]?.date ?? "", interval, zone);
      const nowMs = start + Math.floor(random() * (end - start));
      const told = `${interval} ${index} of ${count} at ${nowMs}`;
      expect(courseOf(rows, interval, zone, nowMs), told).toEqual({
        begun: rows.slice(0, index + 1),
        running: true,
      });
    }
  });
});

describe("names", () => {
  test.each([
    ["minute", "2026-11-03T14:05:00+01:00", "Tue, 3 Nov 2026, 14:05"],
    ["hour", "2026-11-03T14:00:00+01:00", "Tue, 3 Nov 2026, 14:00–15:00"],
    ["day", "2026-11-03T00:00:00+01:00", "Tue, 3 Nov 2026"],
    ["week", "2026-11-02T00:00:00+01:00", "2–8 Nov 2026"],
    ["week", "2026-12-28T00:00:00+01:00", "28 Dec 2026–3 Jan 2027"],
    ["month", "2026-11-01T00:00:00+01:00", "November 2026"],
  ] as const)("a %s from %s", (interval, date, name) => {
    const given = namesOf(interval, "Europe/Berlin", undefined, "en-GB")(date);
    // Which spaces stand around a dash depends on the version of the language data.
    expect(given.replace(/\s*–\s*/, "–")).toBe(name);
  });

  test.each([
    ["2026-10-25T00:00:00+01:00", "Sun, 25 Oct 2026, 00:00–01:00"],
    ["2026-10-25T01:00:00+01:00", "Sun, 25 Oct 2026, 01:00 BST"],
    ["2026-10-25T01:00:00+00:00", "Sun, 25 Oct 2026, 01:00–02:00 GMT"],
    ["2026-10-25T02:00:00+00:00", "Sun, 25 Oct 2026, 02:00–03:00"],
  ])("the hour from %s, of which there are two where clocks are set back, says which it is", (date, name) => {
    const given = namesOf("hour", "Europe/London", undefined, "en-GB")(date);
    expect(given.replace(/\s*–\s*/, "–")).toBe(name);
  });

  test.each([
    ["week", "2026-11-02T00:00:00+01:00", "7–8 Nov 2026", 2],
    ["week", "2026-11-23T00:00:00+01:00", "23 Nov 2026", 1],
    ["week", "2026-11-09T00:00:00+01:00", "9–15 Nov 2026", 0],
    ["week", "2026-10-05T00:00:00+02:00", "5–11 Oct 2026", 0],
    ["month", "2026-11-01T00:00:00+01:00", "7–23 Nov 2026", 17],
  ] as const)(
    "a %s from %s, of which the period may have a part, are its days there",
    (interval, date, name, days) => {
      const zone = "Europe/Berlin";
      const period = {
        startMs: Date.parse("2026-11-07T00:00:00+01:00"),
        endMs: Date.parse("2026-11-23T23:59:59.999+01:00"),
      };
      expect(namesOf(interval, zone, period, "en-GB")(date).replace(/\s*–\s*/, "–")).toBe(name);
      expect(isPartOf(period, date, interval, zone)).toBe(days > 0);
      expect(partDays(period, date, interval, zone)).toBe(days);
    },
  );

  test("are those of the zone, not of the computer", () => {
    expect(namesOf("day", "Pacific/Auckland", undefined, "en-GB")("2026-11-03T00:00:00+13:00")).toBe(
      "Tue, 3 Nov 2026",
    );
    expect(namesOf("day", "America/Los_Angeles", undefined, "en-GB")("2026-11-03T00:00:00-08:00")).toBe(
      "Tue, 3 Nov 2026",
    );
  });
});

describe("a part of an interval", () => {
  const startMs = Date.UTC(2022, 0, 1, 12);
  const days = Array.from({ length: 1_500 }, (_, at) => new Date(startMs + (at - 750) * dayMs).toISOString());

  test("is where a span begins or ends within it", () => {
    const whole: Span = { startMs: startMs + 90_000, endMs: startMs + 365 * dayMs + 90_000 };
    for (const interval of intervalNames) {
      const parts = days.filter((date) => isPartOf(whole, date, interval, "Europe/Berlin"));
      const isIn = (ms: number) => (date: string) =>
        Date.parse(date) < ms && ms < endOf(date, interval, "Europe/Berlin");
      expect(parts).toEqual(days.filter((date) => isIn(startMs + 90_000)(date) || isIn(whole.endMs)(date)));
    }
  });

  test("is found without the ends of all intervals of a long course", () => {
    const span: Span = { startMs, endMs: startMs + 365 * dayMs };
    const begunMs = cpuMs();
    days.forEach((date) => endOf(date, "day", "Asia/Kolkata"));
    const endsMs = cpuMs();
    days.forEach((date) => isPartOf(span, date, "day", "Asia/Kathmandu"));
    expect(cpuMs() - endsMs).toBeLessThan((endsMs - begunMs) / 3);
  });
});
