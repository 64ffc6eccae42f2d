/** A website's page over months that gave up their rows: which figures are not exact, and from when on goals are. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { monthEndMs } from "../../src/store/chunks/month.ts";
import type { Site } from "../../src/store/state/site.ts";
import { closeText, columnOf, noFigure } from "../../src/web/lib/texts/metric.ts";
import type { Tab } from "../support/chromium.ts";
import { send } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { reduceMonths } from "../support/reduced.ts";

test("a ~ marks medians and figures by visit of totals and of pages by time, visits of other lists, and nothing exact", () => {
  const marked = (list: string) =>
    (["pageviews", "visits", "time_per_visit", "time_median", "duration_lower_quartile"] as const).filter(
      (name) => closeText(columnOf(name), list, "12") === "~12",
    );
  expect(marked("summary")).toEqual(["time_per_visit", "time_median", "duration_lower_quartile"]);
  expect(marked("time")).toEqual(["time_per_visit", "time_median", "duration_lower_quartile"]);
  expect(marked("mediums")).toEqual(["visits", "time_per_visit"]);
  expect(closeText(columnOf("visits"), "mediums", noFigure)).toBe(noFigure);
});

describeTour("a page with months without rows", () => {
  let page: DemoPage;
  let tab: Tab;
  let rowsFrom = "";
  /** The first day of the last month without rows. */
  let monthMs = 0;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 70, perDay: 60 });
    tab = page.tab;
    const { engine } = page.demo;
    const site = engine.site(1) as Site;
    const now = new Date(engine.nowMs());
    const beforeMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    for (const chunk of site.chunks.values()) if (chunk.monthMs < beforeMs && !chunk.sealed) chunk.seal();
    reduceMonths(site, beforeMs);
    monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1);
    rowsFrom = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(beforeMs);
    await page.logIn();
  });
  afterAll(() => page?.close());

  const open = () => tab.go(`${page.demo.url}dashboard/websites/${demoHost}?period=all`);
  const marked = () =>
    tab.evaluate<string[]>(
      `[...document.querySelectorAll(".tile-figure, .list td")].map(({ innerText }) => innerText).filter((text) => text.startsWith("~"))`,
    );

  test("says from when on goals are, and marks no figure of visits: they are exact", async () => {
    await open();
    const hint = `Earlier months have sums only: goals, funnels and journeys are from ${rowsFrom} on.`;
    await tab.until(`document.body.innerText.includes(${JSON.stringify(hint)})`);
    await tab.still();
    expect(await marked()).toEqual([]);
  });

  test("says of which month a list by months is, and nothing where it is of the days that were asked", async () => {
    const date = (day: number) => new Date(monthMs + (day - 1) * dayMs).toISOString().slice(0, 10);
    const lastMs = monthEndMs(monthMs) - 1;
    const last = new Date(lastMs).getUTCDate();
    const hint = "[...document.querySelectorAll('.panels .hint')].map(({ innerText }) => innerText)";
    const show = async (from: number, to: number) => {
      const query = `?period=custom&from=${date(from)}&to=${date(to)}&timezone=UTC&tab.pages=time`;
      await tab.go(`${page.demo.url}dashboard/websites/${demoHost}${query}`);
      await tab.until("document.querySelector('.panels .list td')");
      await tab.still();
    };
    await show(1, 20);
    const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
    const text = `Earlier months have sums only: this list is of ${dates.formatRange(monthMs, lastMs)}.`;
    expect(await tab.evaluate<string[]>(hint)).toEqual([text]);
    await tab.choose("button", "All time on page");
    await tab.until(`document.querySelector("dialog")?.innerText.includes(${JSON.stringify(text)})`);
    await show(1, last);
    expect(await tab.evaluate<string[]>(hint)).toEqual([]);
  });

  test("marks the median of the totals, where no visits are shown", async () => {
    await send(tab, "PATCH", `/websites/${demoHost}`, { visits: false });
    await open();
    await tab.until(`document.body.innerText.includes("~ Times of earlier months are close, not exact.")`);
    await tab.still();
    expect(await marked()).toEqual([expect.stringMatching(/^~\d/)]);
  });
});
