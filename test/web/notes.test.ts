/** Notes by the intervals of a chart, and the marks that stand for them. */
import { describe, expect, test } from "bun:test";
import { dayText, marksOf, notesByInterval, type Note } from "../../src/web/lib/texts/notes.ts";

let ids = 0;
const note = (date: string): Note => ({ id: ++ids, date, text: `on ${date}` });
const datesOf = (found: ReadonlyMap<number, readonly Note[]>) =>
  [...found].map(([index, notes]) => [index, ...notes.map(({ date }) => date)]);

describe("notes", () => {
  const days = ["24", "25", "26"].map((day) => ({ date: `2026-10-${day}T00:00:00+02:00` }));
  // The clocks change in the night before the 25th ends.
  const berlin = [...days.slice(0, 2), { date: "2026-10-26T00:00:00+01:00" }];

  test("stand on their days, in the order of the days, and those of other days are left out", () => {
    const notes = ["2026-10-26", "2026-10-25", "2026-10-23", "2026-10-27", "2026-10-25"].map(note);
    expect(datesOf(notesByInterval(notes, berlin, "day", "Europe/Berlin"))).toEqual([
      [1, "2026-10-25", "2026-10-25"],
      [2, "2026-10-26"],
    ]);
  });

  test("stand in the week, the month or the hour in which their day begins", () => {
    const weeks = [{ date: "2026-11-02T00:00:00+00:00" }, { date: "2026-11-09T00:00:00+00:00" }];
    const notes = ["2026-11-01", "2026-11-08", "2026-11-09", "2026-11-15", "2026-11-16"].map(note);
    expect(datesOf(notesByInterval(notes, weeks, "week", "UTC"))).toEqual([
      [0, "2026-11-08"],
      [1, "2026-11-09", "2026-11-15"],
    ]);
    const hours = ["00", "01", "23"].map((hour) => ({ date: `2026-11-08T${hour}:00:00+00:00` }));
    expect(datesOf(notesByInterval(notes, hours, "hour", "UTC"))).toEqual([[0, "2026-11-08"]]);
    const months = [{ date: "2026-11-01T00:00:00+00:00" }];
    expect(notesByInterval(notes, months, "month", "UTC").get(0)).toHaveLength(5);
  });

  test("are none without intervals", () => {
    expect(notesByInterval([note("2026-11-08")], [], "day", "UTC").size).toBe(0);
  });
});

describe("marks", () => {
  test("that would touch are one", () => {
    const byInterval = new Map([0, 1, 2, 5].map((index) => [index, [note("2026-11-08")]]));
    const marks = marksOf(byInterval, (index) => index * 10, 24);
    expect(marks.map(({ x, index, notes }) => [x, index, notes.length])).toEqual([
      [0, 0, 3],
      [50, 5, 1],
    ]);
  });
});

test("a day in words is that day in every zone", () => {
  expect(dayText("2026-11-03", "en-GB")).toBe("Tue, 3 Nov 2026");
});
