/** The grid of a month, its keys, and the first day of the week, against Temporal and Intl. */
import type { CalendarDate } from "../../src/core/calendar/date.ts";
import { describe, expect, test } from "bun:test";
import { dateAfterKey, shiftedMonths, weeksOf, within } from "../../src/web/lib/calendar/month-grid.ts";
import { weekLocale, weekStartIn, weekStartOf, type Weekday } from "../../src/web/lib/calendar/week.ts";
import { isoDate, parseDate } from "../../src/web/lib/calendar/zone.ts";

const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;
const date = (text: string) => parseDate(text) as CalendarDate;

describe("the weeks of a month", () => {
  test("have all its days, begin on the day that they should, and touch", () => {
    for (
      let month = Temporal.PlainDate.from("2023-12-01");
      month.year < 2029;
      month = month.add({ months: 1 })
    )
      for (const weekday of weekdays) {
        const weeks = weeksOf(month, weekday);
        const days = weeks.flat().map((day) => Temporal.PlainDate.from(isoDate(day)));
        expect(weeks.every((week) => week.length === 7)).toBe(true);
        expect(days[0]?.dayOfWeek).toBe(weekday);
        days.slice(1).forEach((day, at) => expect(days[at]?.add({ days: 1 }).equals(day)).toBe(true));
        expect(days.filter((day) => day.month === month.month).length).toBe(month.daysInMonth);
        for (const week of weeks) expect(week.some((day) => day.month === month.month)).toBe(true);
      }
  });
});

describe("a key", () => {
  const after = (key: string, from: string, shiftKey = false, weekStart: Weekday = 1) => {
    const found = dateAfterKey({ key, shiftKey }, date(from), weekStart);
    return found && isoDate(found);
  };
  test("leads to the day or week beside, and over the ends of months", () => {
    expect(after("ArrowLeft", "2026-03-01")).toBe("2026-02-28");
    expect(after("ArrowRight", "2026-12-31")).toBe("2027-01-01");
    expect(after("ArrowUp", "2026-03-05")).toBe("2026-02-26");
    expect(after("ArrowDown", "2026-02-26")).toBe("2026-03-05");
  });
  test("leads the other way where the next day stands on the left", () => {
    const leftOf = dateAfterKey({ key: "ArrowLeft", shiftKey: false }, date("2026-03-01"), 1, true);
    const rightOf = dateAfterKey({ key: "ArrowRight", shiftKey: false }, date("2026-03-01"), 1, true);
    expect([leftOf, rightOf].map((found) => found && isoDate(found))).toEqual(["2026-03-02", "2026-02-28"]);
  });
  test("leads to the first and last day of the week, which begins where the viewer's does", () => {
    expect([after("Home", "2026-11-21"), after("End", "2026-11-21")]).toEqual(["2026-11-16", "2026-11-22"]);
    expect([after("Home", "2026-11-21", false, 7), after("End", "2026-11-21", false, 7)]).toEqual([
      "2026-11-15",
      "2026-11-21",
    ]);
  });
  test("leads to the same day of another month or year, or its last one", () => {
    expect(after("PageUp", "2026-03-31")).toBe("2026-02-28");
    expect(after("PageDown", "2026-01-31")).toBe("2026-02-28");
    expect(after("PageUp", "2028-02-29", true)).toBe("2027-02-28");
    expect(after("PageDown", "2026-11-21", true)).toBe("2027-11-21");
  });
  test("that is another leads nowhere", () => {
    for (const key of ["a", "Enter", " ", "Tab", "Escape"]) expect(after(key, "2026-01-01")).toBeUndefined();
  });
});

test("months are shifted as Temporal does", () => {
  for (let day = Temporal.PlainDate.from("2027-12-25"); day.year < 2029; day = day.add({ days: 1 }))
    for (const months of [-13, -12, -1, 1, 2, 12])
      expect(isoDate(shiftedMonths(day, months))).toBe(day.add({ months }).toString());
});

test("a date stays between two", () => {
  const [first, last] = [date("2026-01-01"), date("2026-12-31")];
  expect(within(date("2025-05-05"), first, last)).toEqual(first);
  expect(within(date("2027-05-05"), first, last)).toEqual(last);
  expect(within(date("2026-05-05"), first, last)).toEqual(date("2026-05-05"));
});

describe("weeks begin", () => {
  test("as the locale has it", () => {
    expect(["en-US", "en-GB", "de", "ar-EG", "fa-IR", "dv-MV", "pt-BR"].map(weekStartOf)).toEqual([
      7, 1, 1, 6, 6, 5, 7,
    ]);
  });
  test("as the language of the page has it, and for English without a region as the browser has it", () => {
    const startOf = (...locales: [string, string, string]) => weekStartOf(weekLocale(...locales));
    expect(startOf("de", "de", "en-US")).toBe(1);
    expect(startOf("de", "de-AT", "en-US")).toBe(1);
    expect(startOf("en", "en", "de-DE")).toBe(1);
    expect(startOf("en", "en", "en-US")).toBe(7);
    expect(startOf("en", "en-GB", "de-DE")).toBe(1);
  });
  test("in every region as Intl says it, where a browser does not say it", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
    const regions = letters.flatMap((a) => letters.map((b) => a + b)).filter((region) => names.of(region));
    expect(regions.length).toBeGreaterThan(200);
    for (const region of regions)
      expect([region, weekStartIn(region)]).toEqual([region, weekStartOf(`und-${region}`)]);
  });
});
