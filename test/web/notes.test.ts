/** Notes by the intervals of a chart, the marks that stand for them, and their form in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayText, marksOf, notesByInterval, type Note } from "../../src/web/lib/texts/notes.ts";
import { send } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

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

describeTour("a note in a browser", () => {
  let page: DemoPage;
  beforeAll(async () => {
    page = await DemoPage.open({ days: 3, perDay: 20 });
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("that is saved keeps what another window has changed of it meanwhile", async () => {
    const { demo, tab } = page;
    const path = `/website/${demoHost}/notes`;
    const [today, before] = [0, 86_400_000].map((ms) => new Date(Date.now() - ms).toISOString().slice(0, 10));
    const { id } = await send<Note>(tab, "POST", path, { date: today, text: "Letter" });
    await tab.go(`${demo.url}dashboard/websites/${demoHost}?period=7d&timezone=UTC`);
    await tab.choose("button", /^Note\. .*: Letter$/);
    await tab.choose("button", /^Edit/);
    await tab.named("dialog", "Edit the note");
    await send(tab, "PATCH", `${path}/${id}`, { date: before });
    await tab.fill("textbox", "What happened", "Letter of November");
    await tab.press("Enter");
    await tab.named("button", /^Note\. .*: Letter of November$/);
    const notes = await tab.evaluate(`fetch(${JSON.stringify(path)}).then((answer) => answer.json())`);
    expect(notes).toEqual([{ id, date: before, text: "Letter of November" }]);
  });

  test("has a mark that is seen where the system chooses the colours", async () => {
    const { demo, tab } = page;
    const date = new Date().toISOString().slice(0, 10);
    await send(tab, "POST", `/website/${demoHost}/notes`, { date, text: "Sale" });
    await tab.go(`${demo.url}dashboard/websites/${demoHost}?period=7d&timezone=UTC`);
    await tab.named("button", /^Note/);
    await tab.call("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
    await tab.still();
    const [mark, ground] = await tab.evaluate<string[]>(
      `document.body.style.backgroundColor = "Canvas";
      [getComputedStyle(document.querySelector(".note-mark"), "::before"), getComputedStyle(document.body)].map((style) => style.backgroundColor)`,
    );
    expect(mark).not.toBe(ground);
    await tab.prefer("light");
  });
});
