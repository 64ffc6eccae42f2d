/** A chart in words. The language of figures is that of the machine, so they are compared by the formatters. */
import { describe, expect, test } from "bun:test";
import type { NamedInterval } from "../../src/core/questions/answer.ts";
import { count, percent } from "../../src/web/lib/texts/format.ts";
import { figureNamed, figuresOf, type Figure, type FigureName } from "../../src/web/lib/texts/metric.ts";
import { namesOf } from "../../src/web/lib/calendar/intervals.ts";
import {
  chartSummary,
  pointText,
  spoken,
  tickText,
  type Told,
} from "../../src/web/website/chart/chart-text.ts";

function day(date: number, visitors: number, more: Partial<NamedInterval> = {}): NamedInterval {
  const start = `2026-11-0${date}T00:00:00+00:00`;
  return { date: start, visitors, pageviews: 0, bounce_percentage: 0, time_median: 0, ...more };
}

function told(begun: readonly NamedInterval[], more: Partial<Told> = {}): Told {
  const nameOf = namesOf("day", "UTC", undefined, "en-GB");
  const names = { nameOf, nameBefore: nameOf, isPart: () => false, isAlike: () => true };
  const figures = figuresOf({ visits: false });
  const course = { begun, running: false };
  const notes = new Map();
  return {
    course,
    figure: figureOf("visitors"),
    figures,
    total: 0,
    interval: "day",
    ...names,
    notes,
    ...more,
  };
}

function figureOf(name: FigureName): Figure {
  return figureNamed({ visits: false }, name) as Figure;
}

describe("a tick", () => {
  test.each([
    ["count", 0, "0"],
    ["count", 5_000, count(5_000)],
    ["percentage", 0, percent(0)],
    ["percentage", 75, percent(75)],
    ["duration", 0, "0s"],
    ["duration", 30_000, "30s"],
    ["duration", 60_000, "1m"],
    ["duration", 90_000, "1m 30s"],
    ["duration", 600_000, "10m"],
    ["duration", 3_600_000, "1h"],
  ] as const)("of a %s: %d is %s", (unit, value, text) => {
    expect(tickText(unit, value)).toBe(text);
  });
});

describe("the summary", () => {
  const days = [day(1, 7), day(2, 1_200), day(3, 3)];

  test("of what is counted has the total, the highest and the lowest", () => {
    expect(chartSummary(told(days, { total: 1_209 }))).toBe(
      `Visitors by day, Sun, 1 Nov 2026 to Tue, 3 Nov 2026: ${count(1_209)} in all, ` +
        `highest ${count(1_200)} (Mon, 2 Nov 2026), lowest 3 (Tue, 3 Nov 2026).`,
    );
  });

  test("does not call a part the lowest, unless there is nothing else", () => {
    const isPart = (date: string) => date.startsWith("2026-11-03");
    expect(chartSummary(told(days, { isPart }))).toContain("lowest 7 (Sun, 1 Nov 2026)");
    expect(chartSummary(told(days, { isPart: () => true }))).toContain("lowest 3 (Tue, 3 Nov 2026)");
  });

  test("of shares and of medians has no total", () => {
    const rows = [
      day(1, 0, { bounce_percentage: 40, time_median: 65_000 }),
      day(2, 0, { time_median: 5_000 }),
    ];
    expect(chartSummary(told(rows, { figure: figureOf("bounce_percentage") }))).toBe(
      "Bounce rate by day, Sun, 1 Nov 2026 to Mon, 2 Nov 2026: " +
        `highest ${percent(40)} (Sun, 1 Nov 2026), lowest ${percent(0)} (Mon, 2 Nov 2026).`,
    );
    expect(chartSummary(told(rows, { figure: figureOf("time_median") }))).toContain(
      "highest 1m 05s (Sun, 1 Nov 2026)",
    );
  });

  test("leaves out intervals without a figure, which are no zeros", () => {
    const without = (date: number): NamedInterval => {
      const { bounce_percentage: left, ...rest } = day(date, 0);
      return rest;
    };
    const rows = [without(1), day(2, 0, { bounce_percentage: 40 }), without(3)];
    const bounces = (begun: readonly NamedInterval[]) =>
      chartSummary(told(begun, { figure: figureOf("bounce_percentage") }));
    expect(bounces(rows)).toEndWith(
      `highest ${percent(40)} (Mon, 2 Nov 2026), lowest ${percent(40)} (Mon, 2 Nov 2026).`,
    );
    expect(bounces([without(1)])).toEndWith("Sun, 1 Nov 2026: no figure.");
    const point = pointText(told(rows, { figure: figureOf("bounce_percentage") }), 0, rows[1]);
    expect(point?.figures[2]?.text).toBe("–");
    expect(point?.before).toMatchObject({ text: percent(40), change: undefined });
  });

  test("of zeros, of one day and of nothing", () => {
    expect(chartSummary(told([day(1, 0), day(2, 0)]))).toBe(
      "Visitors by day, Sun, 1 Nov 2026 to Mon, 2 Nov 2026: 0 in all, always 0.",
    );
    const one = { begun: [day(1, 5)], running: true };
    expect(chartSummary(told([], { course: one, total: 5 }))).toBe(
      "Visitors by day, Sun, 1 Nov 2026: 5 in all, always 5.",
    );
    expect(chartSummary(told([]))).toBe("Visitors by day: nothing has been counted yet.");
  });
});

describe("one interval", () => {
  const rows = [
    day(1, 10, { pageviews: 20, bounce_percentage: 50, time_median: 65_000 }),
    day(2, 4, { pageviews: 6, bounce_percentage: 25, time_median: 1_000 }),
  ];
  const earlier = { ...day(1, 8, { bounce_percentage: 53 }), date: "2026-10-04T00:00:00+00:00" };

  test("has all metrics, and tells which one the chart shows", () => {
    expect(pointText(told(rows, { figure: figureOf("pageviews") }), 0, undefined)).toEqual({
      name: "Sun, 1 Nov 2026",
      figures: [
        { label: "Visitors", text: "10", current: false },
        { label: "Page views", text: "20", current: true },
        { label: "Bounce rate", text: percent(50), current: false },
        { label: "Time on page", text: "1m 05s", current: false },
      ],
      before: undefined,
      notes: [],
    });
  });

  test("has the one before with its date and the change", () => {
    const before = (name: FigureName, of = earlier) =>
      pointText(told(rows, { figure: figureOf(name) }), 0, of)?.before;
    expect(before("visitors")).toEqual({ name: "Sun, 4 Oct 2026", text: "8", change: "+25%" });
    expect(before("bounce_percentage")).toEqual({
      name: "Sun, 4 Oct 2026",
      text: percent(53),
      change: "−3 points",
    });
    expect(before("visitors", { ...earlier, visitors: 0 })?.change).toBeUndefined();
  });

  test("that is not over says so, and is not measured against a whole one", () => {
    const running = told(rows, { course: { begun: rows, running: true } });
    expect(pointText(running, 1, earlier)).toMatchObject({
      name: "Mon, 2 Nov 2026, so far",
      before: { text: "8", change: undefined },
    });
    expect(pointText(running, 0, earlier)).toMatchObject({
      name: "Sun, 1 Nov 2026",
      before: { change: "+25%" },
    });
  });

  test("that is not as long as that before has no change", () => {
    const dates: string[][] = [];
    const isAlike = (...both: string[]) => dates.push(both) > 1;
    const change = () => pointText(told(rows, { isAlike }), 0, earlier)?.before?.change;
    expect([change(), change()]).toEqual([undefined, "+25%"]);
    expect(dates[0]).toEqual([rows[0]!.date, earlier.date]);
  });

  test("that has not begun has no text", () => {
    expect(pointText(told(rows), 2, earlier)).toBeUndefined();
  });

  test("is spoken with the metric of the chart first", () => {
    const text = (name: FigureName, of?: NamedInterval) => {
      const point = pointText(told(rows, { figure: figureOf(name) }), 0, of);
      return point && spoken(point);
    };
    expect(text("bounce_percentage", earlier)).toBe(
      `Sun, 1 Nov 2026: Bounce rate ${percent(50)}, Visitors 10, Page views 20, Time on page 1m 05s. ` +
        `Before, Sun, 4 Oct 2026: ${percent(53)}, change −3 points.`,
    );
    expect(text("visitors", { ...earlier, visitors: 0 })).toEndWith("Before, Sun, 4 Oct 2026: 0.");
    expect(text("visitors")).toEndWith("Time on page 1m 05s.");
  });
});
