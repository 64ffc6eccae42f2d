/** The table of metrics, and the rows that it makes. */
import { describe, expect, test } from "bun:test";
import { dimensions } from "../../src/core/questions/dimension.ts";
import {
  rowFigures,
  fieldOf,
  metricOf,
  metrics,
  percent,
  rowKindOf,
  rowMetrics,
  type Measures,
  type MetricName,
  type RowKind,
} from "../../src/core/questions/metric.ts";

const names = Object.keys(metrics) as MetricName[];
const kinds = Object.keys(rowMetrics) as RowKind[];
/** Each of another size, so that none can stand for another. */
const measures: Measures = {
  visitors: 30,
  pageviews: 70,
  known: 50,
  uniqueKnown: 20,
  bounced: 13,
  totalMs: 2_500,
  allVisitors: 120,
  allPageviews: 350,
  allTotalMs: 9_999,
  lowerQuartileMs: 100,
  medianMs: 200,
  upperQuartileMs: 300,
  events: 7,
  allEvents: 9,
  visits: 40,
  timedVisits: 25,
  outsideViews: 17,
  outsideMs: 333,
  conversions: 3,
  amount: 77.5,
  amounts: 1,
  allVisits: 90,
};

describe("a metric", () => {
  test("looks at what it needs, and at all of it", () => {
    for (const name of names) {
      const { needs, of } = metricOf(name);
      const looked = new Set<string>();
      of(
        new Proxy(measures, {
          get: (target, key) => {
            looked.add(String(key));
            return Reflect.get(target, key) as unknown;
          },
        }),
      );
      expect([name, ...looked]).toEqual([name, ...needs]);
    }
  });

  test("is 0 where there is nothing", () => {
    const nothing = Object.fromEntries(Object.keys(measures).map((key) => [key, 0])) as unknown as Measures;
    for (const name of names) expect([name, metricOf(name).of(nothing)]).toEqual([name, 0]);
  });

  test("is an integer, or has two decimals, or is what came, and no percentage is over 100", () => {
    for (const name of names) {
      const { format, of } = metricOf(name);
      const figure = of(measures);
      const scale = format === "percentage" || format === "ratio" ? 100 : 1;
      if (format === "amount") expect([name, figure]).toEqual([name, 77.5]);
      else expect([name, figure]).toEqual([name, Math.round(figure * scale) / scale]);
      if (format === "percentage") expect(figure).toBeLessThanOrEqual(100);
    }
  });
});

describe("a row", () => {
  test("has the fields of the interface in their order", () => {
    const figures = (kind: RowKind, brief = false) => Object.entries(rowFigures(kind, measures, brief));
    const list = { visitors: 30, visitors_percentage: 25, bounce_percentage: 65, duration: 2_500 };
    expect(figures("list")).toEqual(Object.entries(list));
    expect(figures("list", true)).toEqual(Object.entries(list).slice(0, 2));
    expect(figures("pages")).toEqual([
      ...Object.entries(list).slice(0, 2),
      ["pageviews", 70],
      ["pageviews_percentage", 20],
      ...Object.entries(list).slice(2),
    ]);
    expect(figures("time")).toEqual([
      ["duration", 200],
      ["duration_percentage", 25],
      ["visitors", 30],
      ["duration_lower_quartile", 100],
      ["duration_upper_quartile", 300],
    ]);
    expect(figures("properties")).toEqual([
      ["events", 7],
      ["events_percentage", 77.78],
    ]);
    expect(figures("summary")).toEqual([
      ["visitors", 30],
      ["pageviews", 70],
      ["bounce_percentage", 65],
      ["duration", 200],
    ]);
  });

  test("has each field once, and what it always has is among all", () => {
    for (const kind of kinds) {
      const all: readonly MetricName[] = rowMetrics[kind].all;
      expect(new Set(all.map(fieldOf)).size).toBe(all.length);
      expect(all.filter((name) => (rowMetrics[kind].always as readonly string[]).includes(name))).toEqual([
        ...rowMetrics[kind].always,
      ]);
    }
  });

  test("of a dimension is of the common kind but for pages", () => {
    for (const { list } of dimensions) expect(rowKindOf(list)).toBe(list === "pages" ? "pages" : "list");
    expect(rowKindOf("time")).toBe("time");
  });
});

test("a percentage has two decimals, halves up, from 0 to 100", () => {
  const table = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 5, 0],
    [1, 3, 33.33],
    [2, 3, 66.67],
    [1, 800, 0.13],
    [201, 20_000, 1.01],
    [1, 1_000_000, 0],
    [7, 5, 100],
  ] as const;
  for (const [part, whole, expected] of table) expect(percent(part, whole)).toBe(expected);
});
