/** A website's page over months that gave up their rows: which figures are not exact, and from when on goals are. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Site } from "../../src/store/state/site.ts";
import { closeText, columnOf, noFigure } from "../../src/web/lib/texts/metric.ts";
import type { Tab } from "../support/chromium.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { reduceMonths } from "../support/reduced.ts";
import { testTimeoutMs } from "../support/timeout.ts";

setDefaultTimeout(testTimeoutMs);

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

  beforeAll(async () => {
    page = await DemoPage.open({ days: 70, perDay: 60 });
    tab = page.tab;
    const { engine } = page.demo;
    const site = engine.site(1) as Site;
    const now = new Date(engine.nowMs());
    const beforeMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    for (const chunk of site.chunks.values()) if (chunk.monthMs < beforeMs && !chunk.sealed) chunk.seal();
    reduceMonths(site, beforeMs);
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

  test("marks the median of the totals, where no visits are shown", async () => {
    const init = `{ method: "PATCH", headers: { "content-type": "application/json" }, body: '{"visits":false}' }`;
    await tab.evaluate(`fetch("/websites/${demoHost}", ${init}).then((answer) => answer.json())`);
    await open();
    await tab.until(`document.body.innerText.includes("~ Times of earlier months are close, not exact.")`);
    await tab.still();
    expect(await marked()).toEqual([expect.stringMatching(/^~\d/)]);
  });
});
