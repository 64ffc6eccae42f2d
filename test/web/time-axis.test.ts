/** Labels under a chart: where they stand, what they say, and that there is room for them. */
import { describe, expect, test } from "bun:test";
import { intervalNames, type IntervalName } from "../../src/core/questions/query.ts";
import { textWidth } from "../../src/web/lib/drawing/scale.ts";
import { timeLabels, type Axis } from "../../src/web/lib/drawing/time-axis.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";
import { datesFrom } from "../support/interval-dates.ts";

const fontPx = 12;

interface Asked {
  readonly interval: IntervalName;
  readonly first: string;
  readonly count: number;
  readonly zone?: string;
  readonly width?: number;
  readonly locale?: string;
}

function axisOf({ interval, first, count, zone = "UTC", width = 1_000, locale = "en-GB" }: Asked): Axis {
  const dates = datesFrom(zone, first, interval, count);
  const xOf = (index: number) => 40 + (index / Math.max(1, count - 1)) * (width - 46);
  return { dates, interval, zone, xOf, width, fontPx, locale };
}

function texts(asked: Asked): string[] {
  return timeLabels(axisOf(asked)).map(({ text }) => text);
}

describe("labels say", () => {
  test("hours of a day", () => {
    const day = { interval: "hour", first: "2026-11-03", count: 24 } as const;
    expect(texts({ ...day, width: 500 })).toEqual([
      "00:00",
      "03:00",
      "06:00",
      "09:00",
      "12:00",
      "15:00",
      "18:00",
      "21:00",
    ]);
    expect(texts({ ...day, width: 500, locale: "en-US" })).toEqual([
      "12 AM",
      "3 AM",
      "6 AM",
      "9 AM",
      "12 PM",
      "3 PM",
      "6 PM",
      "9 PM",
    ]);
  });

  test("the day where it begins among hours of several", () => {
    expect(texts({ interval: "hour", first: "2026-11-03", count: 48, width: 600 })).toEqual([
      "3 Nov",
      "06:00",
      "12:00",
      "18:00",
      "4 Nov",
      "06:00",
      "12:00",
      "18:00",
    ]);
  });

  test("only days where hours are too many", () => {
    expect(texts({ interval: "hour", first: "2026-11-03", count: 96, width: 300 })).toEqual([
      "3 Nov",
      "4 Nov",
      "5 Nov",
      "6 Nov",
    ]);
  });

  test("minutes of an hour", () => {
    expect(texts({ interval: "minute", first: "2026-11-03", count: 60, width: 400 })).toEqual([
      "00:00",
      "00:15",
      "00:30",
      "00:45",
    ]);
  });

  test("days, with the year where there are two", () => {
    expect(texts({ interval: "day", first: "2026-11-03", count: 4 })).toEqual([
      "3 Nov",
      "4 Nov",
      "5 Nov",
      "6 Nov",
    ]);
    expect(texts({ interval: "week", first: "2025-12-22", count: 3 })).toEqual([
      "22 Dec 2025",
      "29 Dec 2025",
      "5 Jan 2026",
    ]);
  });

  test("months from the first of a year or a quarter", () => {
    const months = { interval: "month", first: "2025-11-01", count: 12 } as const;
    expect(texts({ ...months, width: 2_000 })).toHaveLength(12);
    // The edge leaves no room for the last.
    expect(texts(months).slice(-2)).toEqual(["Aug 2026", "Sept 2026"]);
    expect(texts({ ...months, width: 440 })).toEqual(["Jan 2026", "Apr 2026", "Jul 2026", "Oct 2026"]);
  });

  test("one date where there is no room for two, and none where there is none for one", () => {
    const days = { interval: "day", first: "2026-11-03", count: 30 } as const;
    expect(texts({ ...days, width: 70 })).toEqual(["3 Nov"]);
    expect(texts({ ...days, width: 20 })).toEqual([]);
    expect(texts({ ...days, count: 0 })).toEqual([]);
  });

  test("the local time of the zone, also where clocks change", () => {
    const berlin = { interval: "hour", zone: "Europe/Berlin", width: 4_000 } as const;
    const spring = texts({ ...berlin, first: "2026-03-29", count: 5 });
    expect(spring).toEqual(["00:00", "01:00", "03:00", "04:00", "05:00"]);
    // The hour that comes twice is told once.
    const autumn = texts({ ...berlin, first: "2026-10-25", count: 5 });
    expect(autumn).toEqual(["00:00", "01:00", "02:00", "03:00"]);
  });

  test("a day that has no midnight", () => {
    const two = {
      interval: "hour",
      first: "2026-09-05",
      count: 47,
      zone: "America/Santiago",
      width: 220,
    } as const;
    expect(texts(two)).toEqual(["5 Sept", "6 Sept"]);
  });
});

test("labels never overlap, never leave the chart, and rise from left to right", () => {
  const random = randomFrom(seed());
  const zones = ["UTC", "Europe/Berlin", "America/Santiago", "Asia/Kathmandu", "Australia/Lord_Howe"];
  const locales = ["en-US", "en-GB", "de", "ja", "ar", "fi"];
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  for (let round = 0; round < 300; round++) {
    const asked = {
      interval: one(intervalNames),
      first: `20${20 + Math.floor(random() * 9)}-${one(["01", "03", "10", "12"])}-0${1 + Math.floor(random() * 9)}`,
      count: Math.floor(1 + 300 ** random()),
      zone: one(zones),
      width: 250 + random() * 2_000,
      locale: one(locales),
    };
    const labels = timeLabels(axisOf(asked));
    const told = JSON.stringify({ ...asked, labels });
    expect(labels.length, told).toBeGreaterThan(0);
    let free = 0;
    for (const { text, x } of labels) {
      const half = textWidth(text, fontPx) / 2;
      expect(x - half, told).toBeGreaterThanOrEqual(free - 0.001);
      expect(x + half, told).toBeLessThanOrEqual(asked.width + 0.001);
      free = x + half + fontPx;
    }
  }
});
