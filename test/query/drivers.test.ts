/** The rules of drivers that few random periods show: weeks over a change of the clocks, and which value is named. */
import { describe, expect, test } from "bun:test";
import { listedDimensions } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Drivers } from "../../src/core/questions/answer.ts";
import type { DriversQuery, ListQuery, Period } from "../../src/core/questions/query.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { families } from "../../src/query/answers/drivers.ts";
import { weeksBefore } from "../../src/query/calendar/weeks-before.ts";
import { answerDrivers, answerList } from "../support/answers.ts";
import { noonMs } from "../support/records.ts";
import { reduceMonths } from "../support/reduced.ts";
import { addView, siteOf, type View } from "../support/site.ts";

const period = (start: string, end: string): Period => ({
  startMs: Date.parse(start),
  endMs: Date.parse(end) - 1,
});
const shown = ({ startMs, endMs }: Period) =>
  [startMs, endMs + 1].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(" ");

describe("the periods before", () => {
  test("begin and end at the same clock time, also where the clocks changed", () => {
    // Wednesday in Berlin; the clocks went back on 25 October.
    const wednesday = period("2026-11-10T23:00Z", "2026-11-11T23:00Z");
    expect(weeksBefore(wednesday, "Europe/Berlin").map(shown)).toEqual([
      "2026-11-03T23:00 2026-11-04T23:00",
      "2026-10-27T23:00 2026-10-28T23:00",
      "2026-10-20T22:00 2026-10-21T22:00",
      "2026-10-13T22:00 2026-10-14T22:00",
    ]);
  });

  test("of a week are the weeks before it, and those of 30 days begin five weeks apart", () => {
    const week = period("2026-11-02T00:00Z", "2026-11-09T00:00Z");
    expect(weeksBefore(week, "UTC").map(shown)[0]).toBe("2026-10-26T00:00 2026-11-02T00:00");
    const month = period("2026-11-01T00:00Z", "2026-12-01T00:00Z");
    expect(weeksBefore(month, "UTC").map(shown).slice(0, 2)).toEqual([
      "2026-09-27T00:00 2026-10-27T00:00",
      "2026-08-23T00:00 2026-09-22T00:00",
    ]);
  });
});

test("every dimension that has a list is in one family", () => {
  expect(
    families
      .flat()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(listedDimensions.map(({ name }) => name).toSorted());
});

/** Ten visitors the day before, and these today. */
function driversOf(today: readonly View[]): Drivers {
  const before = Array.from({ length: 10 }, () => ({ timeMs: noonMs - dayMs }));
  const site = siteOf(...before, ...today.map((view) => ({ timeMs: noonMs, ...view })));
  const query: DriversQuery = {
    list: "drivers",
    period: { startMs: noonMs - dayMs / 2, endMs: noonMs + dayMs / 2 },
    filters: [],
    metrics: ["visitors"],
    compare: { startMs: noonMs - 1.5 * dayMs, endMs: noonMs - dayMs / 2 - 1 },
    timezone: "UTC",
    nowMs: noonMs,
  };
  return answerDrivers(site, query);
}

test("no base is in months of sums, also where rows are older than these", () => {
  const dates = ["2025-10-08", "2025-10-15", "2025-10-22", "2025-10-29", "2025-11-05", "2025-11-12"];
  const views = (own: readonly string[]) => own.map((date) => ({ timeMs: Date.parse(`${date}T12:00Z`) }));
  const site = siteOf(...views(dates));
  site.seal(Date.UTC(2026, 6));
  reduceMonths(site, Date.UTC(2025, 10));
  for (const view of views(["2025-09-03", "2025-09-10", "2025-09-17"])) addView(site, view);
  const basesOf = (date: string) => {
    const startMs = Date.parse(date);
    const query: DriversQuery = {
      list: "drivers",
      period: { startMs, endMs: startMs + dayMs - 1 },
      filters: [],
      metrics: ["visitors"],
      compare: undefined,
      timezone: "UTC",
      nowMs: Date.UTC(2026, 6),
    };
    return answerDrivers(site, query).base_periods.map(({ start }) => start.slice(0, 10));
  };
  expect(basesOf("2025-11-12")).toEqual(["2025-11-05"]);
  expect(basesOf("2025-11-05")).toEqual([]);
  expect(basesOf("2025-09-24")).toEqual(["2025-09-17", "2025-09-10"]);
});

test("what they count of other periods is in no list of the same page", () => {
  const before = Array.from({ length: 100 }, () => ({ timeMs: noonMs - dayMs, path: "/before" }));
  const site = siteOf(...before, { timeMs: noonMs, path: "/now" }, { timeMs: noonMs, browser: "Opera" });
  const asked = {
    period: { startMs: noonMs - dayMs / 2, endMs: noonMs + dayMs / 2 },
    filters: [],
    compare: { startMs: noonMs - 1.5 * dayMs, endMs: noonMs - dayMs / 2 - 1 },
  };
  const page = { limit: 10, offset: 0, summary: false, grouped: true, locale: false };
  const drivers: DriversQuery = {
    ...asked,
    list: "drivers",
    metrics: ["visitors"],
    timezone: "UTC",
    nowMs: noonMs,
  };
  const first: ListQuery = { ...asked, ...page, list: "browsers" };
  const second: ListQuery = { ...asked, ...page, list: "pages" };
  const together = new QuestionPage([first, drivers, second], new QueryContext(site));
  const answers = [first, drivers, second].map((question) => together.answer(question));
  expect([answers[0], answers[2]]).toEqual([first, second].map((list) => answerList(site, list)));
});

const times = (count: number, view: View) => Array.from({ length: count }, () => view);
const named = ({ drivers }: Drivers) => drivers.map(({ dimension, value }) => `${dimension} ${value}`);

describe("the values that are named", () => {
  test("are the narrower ones of those that say the same: the campaign, and neither its source nor its channel", () => {
    const mail = { utm_campaign: "may", utm_source: "letter", utm_medium: "email" };
    expect(named(driversOf([...times(10, {}), ...times(40, mail)]))).toEqual(["utm_campaign may"]);
  });

  test("are several of one family where each made a part", () => {
    const sites = ["google.com", "bing.com"].flatMap((referrer) => times(20, { referrer }));
    expect(named(driversOf([...times(10, {}), ...sites]))).toEqual(["referrer Bing", "referrer Google"]);
  });

  test("are none where everything grew alike, though the whole stands out", () => {
    expect(driversOf(times(50, {}))).toMatchObject({ difference: 40, stands_out: true, drivers: [] });
  });

  test("are none where the whole is as usual, or has changed by chance", () => {
    const moved = [...times(2, {}), ...times(10, { referrer: "bing.com" })];
    expect(driversOf(moved)).toMatchObject({ difference: 2, stands_out: false, drivers: [] });
  });

  test("are what is missing where there is less", () => {
    const { difference, drivers } = driversOf([]);
    expect([difference, drivers]).toEqual([-10, []]);
  });

  test("leave out what is not kept apart", () => {
    expect(named(driversOf([...times(10, {}), ...times(40, { path: null })]))).toEqual([]);
  });
});
