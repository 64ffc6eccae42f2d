/** Geometry of charts: ticks, places, paths, tooltips, keys. */
import { describe, expect, test } from "bun:test";
import type { Format } from "../../src/core/questions/metric.ts";
import {
  asBars,
  areaPath,
  barWidth,
  indexAfterKey,
  indexAt,
  linePath,
  pointsOf,
  textWidth,
  ticksOf,
  tipPlace,
  xOf,
  yOf,
  type Plot,
} from "../../src/web/lib/drawing/scale.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const plot: Plot = { left: 40, right: 240, top: 10, bottom: 110, count: 5, bars: false, max: 50 };

describe("ticks", () => {
  test.each([
    ["count", 0, [0, 1, 2]],
    ["count", 1, [0, 1, 2]],
    ["count", 4, [0, 1, 2, 3, 4]],
    ["count", 5, [0, 2, 4, 6]],
    ["count", 253, [0, 100, 200, 300]],
    ["count", 1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
    ["percentage", 0, [0, 1, 2]],
    ["percentage", 37.5, [0, 10, 20, 30, 40]],
    ["percentage", 40.01, [0, 25, 50]],
    ["percentage", 100, [0, 25, 50, 75, 100]],
    ["duration", 0, [0, second, 2 * second]],
    ["duration", 95 * second, [0, 30 * second, minute, 90 * second, 2 * minute]],
    ["duration", 9 * minute, [0, 5 * minute, 10 * minute]],
    ["duration", 24 * hour, [0, 6 * hour, 12 * hour, 18 * hour, 24 * hour]],
  ] as const)("of a %s up to %d", (unit, max, ticks) => {
    expect(ticksOf(max, unit)).toEqual([...ticks]);
  });

  test("cover whatever comes, in three to five equal steps that begin with 1, 2, 3, 5 or 6 of something", () => {
    const random = randomFrom(seed());
    const highest: Readonly<Record<Format, number>> = {
      count: 1e12,
      ratio: 1e9,
      percentage: 100,
      duration: 24 * hour,
      amount: 1e12,
    };
    for (let round = 0; round < 3_000; round++) {
      const unit = (["count", "percentage", "duration"] as const)[round % 3] as Format;
      // As many small ones as large ones.
      const max = highest[unit] ** random();
      const ticks = ticksOf(max, unit);
      const step = ticks[1] as number;
      expect(ticks.length, `${unit} ${max}`).toBeWithin(3, 6);
      expect(ticks.at(-1), `${unit} ${max}`).toBeGreaterThanOrEqual(max);
      expect(ticks.at(-2), `${unit} ${max}`).toBeLessThan(Math.max(max, 2 * step));
      expect(ticks).toEqual(ticks.map((_, at) => at * step));
      expect(roundIn(unit, step), `${unit} ${step}`).toBeTrue();
    }
  });
});

function roundIn(unit: Format, step: number): boolean {
  if (unit === "percentage") return 100 % step === 0;
  if (unit === "count") return /^[125]0*$/.test(String(step));
  const [of, limit] = step >= hour ? [hour, 24] : step >= minute ? [minute, 60] : [second, 60];
  return Number.isInteger(step / of) && limit % (step / of) === 0;
}

describe("places", () => {
  test("a line goes from edge to edge, and from the bottom for 0 to the top for the highest tick", () => {
    expect(pointsOf(plot, [0, 25, 50, 10, 20])).toEqual([
      { x: 40, y: 110 },
      { x: 90, y: 60 },
      { x: 140, y: 10 },
      { x: 190, y: 90 },
      { x: 240, y: 70 },
    ]);
  });

  test("values are bars if they are few, or if a line between many zeros would be a comb", () => {
    expect(asBars([5, 0, 0, 7, 0], 5)).toBe(true);
    expect(asBars([5, 1, 0, 7, undefined], 5)).toBe(false);
    expect(asBars([5, 6], 3)).toBe(true);
    expect(asBars([5, 6], 4)).toBe(false);
    expect(asBars(Array(1_440).fill(0), 1_440)).toBe(true);
  });

  test("a bar of many is still seen", () => {
    expect(barWidth({ ...plot, right: 1_180, count: 1_440, bars: true })).toBe(3);
    expect(barWidth({ ...plot, right: 1_040, count: 100, bars: true })).toBe(7.5);
  });

  test("bars stand in the middle of equal parts, and are never wider than their part", () => {
    const two = { ...plot, count: 2, bars: true };
    expect([xOf(two, 0), xOf(two, 1)]).toEqual([90, 190]);
    expect(barWidth(two)).toBe(50);
    expect(barWidth({ ...two, right: 2_000 })).toBe(72);
  });

  test("the nearest interval is found from every place, and is one of those that have begun", () => {
    expect([-50, 40, 64, 66, 140, 239, 500].map((x) => indexAt(plot, x, 5))).toEqual([0, 0, 0, 1, 2, 4, 4]);
    expect(indexAt(plot, 500, 2)).toBe(1);
    const two = { ...plot, count: 2, bars: true };
    expect([0, 139, 141, 240, 900].map((x) => indexAt(two, x, 2))).toEqual([0, 0, 1, 1, 1]);
  });

  test("what stands at a place is found there", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 500; round++) {
      const count = 1 + Math.floor(random() * 400);
      const left = random() * 80;
      const some = { ...plot, left, right: left + 100 + random() * 2_000, count, bars: count <= 3 };
      const index = Math.floor(random() * count);
      expect(indexAt(some, xOf(some, index), count), JSON.stringify(some)).toBe(index);
    }
  });
});

describe("paths", () => {
  test("a line and the area under it", () => {
    const points = pointsOf({ ...plot, count: 3 }, [0, 12.3456, 50]);
    expect(linePath(points)).toBe("M40 110L140 85.3L240 10");
    expect(areaPath(points, plot.bottom)).toBe("M40 110L140 85.3L240 10V110H40Z");
  });

  test("of nothing there is none", () => {
    expect(linePath([])).toBe("");
    expect(areaPath([], 100)).toBe("");
  });

  test("are numbers within the plot, whatever is drawn", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 300; round++) {
      const count = 1 + Math.floor(random() * 60);
      const values = Array.from({ length: count }, () => (random() < 0.3 ? 0 : Math.round(1e6 ** random())));
      const max = ticksOf(Math.max(...values), "count").at(-1) as number;
      const some = { ...plot, count, bars: count <= 3, max };
      const path = areaPath(pointsOf(some, values), some.bottom);
      expect(path).toMatch(/^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+)*V110H[\d.]+Z$/);
      for (const { x, y } of pointsOf(some, values)) {
        expect(x).toBeWithin(some.left, some.right + 0.001);
        expect(y).toBeWithin(some.top, some.bottom + 0.001);
      }
    }
  });

  test("zeros lie on the bottom", () => {
    expect(yOf({ ...plot, max: ticksOf(0, "count").at(-1) as number }, 0)).toBe(plot.bottom);
    expect(yOf(plot, -120)).toBe(plot.bottom);
  });
});

describe("a tooltip", () => {
  const tip = { width: 100, height: 80, above: 300 };

  test("stands right of its place, or left of it where the chart ends", () => {
    expect(tipPlace(50, tip, 600)).toEqual({ side: "beside", left: 62 });
    expect(tipPlace(560, tip, 600)).toEqual({ side: "beside", left: 448 });
  });

  test("stands over a narrow chart, or under it where the window ends", () => {
    expect(tipPlace(100, tip, 200)).toEqual({ side: "above", left: 50 });
    expect(tipPlace(0, tip, 200)).toEqual({ side: "above", left: 0 });
    expect(tipPlace(200, { ...tip, above: 79 }, 200)).toEqual({ side: "below", left: 100 });
  });

  test("never leaves the chart sideways, and never covers its place", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 2_000; round++) {
      const width = 120 + random() * 1_500;
      const x = random() * width;
      const some = { width: 80 + random() * (Math.min(width, 300) - 80), height: 100, above: random() * 300 };
      const { side, left } = tipPlace(x, some, width);
      const told = JSON.stringify({ width, x, some, side, left });
      expect(left, told).toBeGreaterThanOrEqual(0);
      expect(left + some.width, told).toBeLessThanOrEqual(width + 0.001);
      if (side === "beside") expect(x < left || x > left + some.width, told).toBeTrue();
    }
  });
});

describe("keys", () => {
  test.each([
    ["ArrowRight", 3, 4],
    ["ArrowLeft", 3, 2],
    ["ArrowRight", 29, 29],
    ["ArrowLeft", 0, 0],
    ["PageDown", 3, 6],
    ["PageUp", 5, 2],
    ["PageUp", 1, 0],
    ["Home", 17, 0],
    ["End", 17, 29],
    ["ArrowRight", undefined, 0],
    ["PageDown", undefined, 0],
    ["Home", undefined, 0],
    ["ArrowLeft", undefined, 29],
    ["PageUp", undefined, 29],
    ["End", undefined, 29],
  ] as const)("%s from %p of 30 points leads to %p", (key, from, to) => {
    expect(indexAfterKey(key, from, 30)).toBe(to);
  });

  test("others do not move, and nothing moves where there is nothing", () => {
    for (const key of ["Enter", "Escape", "ArrowUp", "a", "constructor"])
      expect(indexAfterKey(key, 3, 30)).toBeUndefined();
    expect(indexAfterKey("End", undefined, 0)).toBeUndefined();
  });
});

test("wide letters take more room than narrow ones, and larger ones than small ones", () => {
  expect(textWidth("11月3日", 12)).toBeGreaterThan(textWidth("11-3-", 12));
  expect(textWidth("100%", 20)).toBeCloseTo(2 * textWidth("100%", 10));
  expect(textWidth("", 12)).toBe(0);
});
