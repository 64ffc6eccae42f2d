/** Removing what should not have been counted: its path and its words, and from the statistics to the end in a browser. */
import { removalFilterNames } from "../../src/core/questions/dimension.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { purgePath } from "../../src/web/lib/question/paths.ts";
import { questionOf } from "../../src/web/lib/question/question.ts";
import { removalText } from "../../src/web/lib/set-up/removal.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindingsInThemes, overflowPixels, shownText, troubles } from "../support/dashboard.ts";
import { DemoPage } from "../support/demo-page.ts";
import { demoHost, sendHit, type Demo } from "../support/demo.ts";
import { describeTour } from "../support/long-test.ts";

test("a removal ends at the moment of its count, and earlier if its period does", () => {
  const nowMs = Date.parse("2026-11-22T12:00:00Z");
  const search = "timezone=UTC&path[contains]=wp-&period=";
  const pathOf = (period: string, dryRun: boolean) =>
    purgePath(
      questionOf("example.com", new URLSearchParams(search + period), { view: "install" }),
      dryRun,
      nowMs,
    );
  expect(pathOf("today", true)).toBe(
    "/website/example.com/purge?start=2026-11-22T00:00:00.000Z&end=2026-11-22T12:00:00.000Z&path[contains]=wp-&dry_run=true",
  );
  expect(pathOf("custom&from=2026-11-01&to=2026-11-02", false)).toBe(
    "/website/example.com/purge?start=2026-11-01T00:00:00.000Z&end=2026-11-02T23:59:59.999Z&path[contains]=wp-&dry_run=false",
  );
  expect(pathOf("all", true)).not.toContain("start=");
  const ofVisits = questionOf("example.com", new URLSearchParams("period=all"), {
    view: "install",
    visits: true,
  });
  expect(purgePath(ofVisits, true, nowMs)).toEndWith("&by=visit&dry_run=true");
});

test("counts are said in sentences", () => {
  const counts = { pageviews: 1_234, visitors: 1, events: 2 };
  expect(removalText({ ...counts, removed: false })).toBe(
    "Would be removed: 1,234 page views, 2 events, 1 visitor.",
  );
  expect(removalText({ pageviews: 1, visitors: 0, events: 0, removed: true })).toBe(
    "Removed: 1 page view, 0 events, 0 visitors.",
  );
  const none = { pageviews: 0, visitors: 0, events: 0 };
  expect(removalText({ ...none, removed: false })).toStartWith("Nothing was counted");
  expect(removalText({ ...none, removed: true })).toStartWith("There was nothing left");
});

describeTour("in a browser", () => {
  const website = `dashboard/websites/${demoHost}`;
  const filters = "path[eq]=/pricing&browser[eq]=Firefox";
  let page: DemoPage;
  let demo: Demo;
  let tab: Tab;

  /** The page views of a filter at all times, as the API has them. */
  async function pageviews(filter: string): Promise<number> {
    const path = JSON.stringify(`/website/${demoHost}/summary?${filter}`);
    return tab.evaluate(`fetch(${path}).then((a) => a.json()).then((s) => s.current.pageviews)`);
  }

  const heading = "Remove what should not have been counted";
  const focused = () => tab.until(`document.activeElement?.textContent === ${JSON.stringify(heading)}`);
  const status = () =>
    tab.evaluate<string>(
      `document.activeElement.closest("section").querySelector(".form [role=status]").textContent`,
    );

  beforeAll(async () => {
    page = await DemoPage.open({ days: 20, perDay: 60 });
    ({ demo, tab } = page);
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("without a filter nothing is counted, nor with one that is not known", async () => {
    await tab.go(`${demo.url}${website}/install`);
    await tab.named("button", "Count what would go");
    expect(await shownText(tab)).toContain("Add a filter, or choose dates.");
    await tab.go(encodeURI(`${demo.url}${website}/install?path[is]=/pricing&browser[eq]=Firefox`));
    await tab.until("document.body.innerText.includes('filters that are not known')");
    expect(await tab.names("button")).not.toContain("Count what would go");
  });

  test("offers no filter that a removal refuses", async () => {
    await tab.go(`${demo.url}${website}/install`);
    await tab.choose("button", "Add filter");
    await tab.until("document.querySelector('.filter-editor select') !== null");
    const offered = await tab.evaluate<string[]>(
      "[...document.querySelector('.filter-editor select').options].map(({ value }) => value)",
    );
    expect(offered).toEqual([...removalFilterNames]);
    for (const [filter, leadsThere] of [
      ["browser[eq]=Firefox", true],
      ["browser[eq]=Firefox&channel[eq]=Direct", false],
    ] as const) {
      await tab.go(encodeURI(`${demo.url}${website}?period=all&${filter}`));
      await tab.named("link", /^Remove the filter: /);
      expect((await tab.names("link")).includes("Remove from the statistics…")).toBe(leadsThere);
    }
  });

  test("from the statistics with their filters, by keyboard, to figures without them", async () => {
    const [going, firefox, all] = [
      await pageviews(filters),
      await pageviews("browser[eq]=Firefox"),
      await pageviews(""),
    ];
    expect(going).toBeGreaterThan(1);
    await tab.go(encodeURI(`${demo.url}${website}?period=all&${filters}`));
    // It only leads there: the red button is where something goes.
    await tab.named("link", "Remove from the statistics…");
    const colours = await tab.evaluate<string[]>(
      "['a[href*=install]', 'button[aria-haspopup=dialog]:not(.plain)'].map((one) => getComputedStyle(document.querySelector('.filter-bar ' + one)).color)",
    );
    expect(new Set(colours).size).toBe(1);
    await tab.choose("link", "Remove from the statistics…");
    await focused();
    const at = await tab.evaluate<string>("decodeURIComponent(location.pathname + location.search)");
    expect(at).toBe(`/${website}/install?period=all&${filters}`);

    // The period and its steps, each filter with its end, and the three buttons after them.
    const counts = () =>
      tab.evaluate<boolean>(`document.activeElement.textContent === "Count what would go"`);
    for (let tabs = 0; tabs < 15 && !(await counts()); tabs++) await tab.press("Tab");
    await tab.press("Enter");
    await tab.until(`document.activeElement.closest("section").textContent.includes("Would be removed")`);
    expect(await status()).toStartWith(`Would be removed: ${going} page views, `);
    expect(await pageviews(filters)).toBe(going);

    await tab.press("Tab", "Enter");
    await tab.until("document.querySelector('dialog[open]')");
    for (const words of [`Remove ${going} page views?`, "All time; Page is /pricing; Browser is Firefox"])
      expect((await shownText(tab)).replace(/[\u2068\u2069]/g, "")).toContain(words);
    await tab.type("example.co");
    await tab.press("Enter");
    expect(await pageviews(filters)).toBe(going);
    await tab.type("m");
    await tab.press("Enter");
    await tab.until("!document.querySelector('dialog[open]')");
    await focused();
    expect(await status()).toContain("Removed: ");
    expect(await pageviews(filters)).toBe(0);
    expect(await pageviews("browser[eq]=Firefox")).toBe(firefox - going);
    expect(await pageviews("")).toBe(all - going);
  });

  test("counts what the statistics show under a filter by source: all page views of the visits", async () => {
    const bySource = "referrer[eq]=ring.example";
    const from = { address: "203.0.113.77" };
    const [first, next] = [`https://${demoHost}/in`, `https://${demoHost}/next`];
    await sendHit(demo, { b: "ring1", u: first, p: true, r: "https://ring.example/" }, from);
    await sendHit(demo, { b: "ring2", u: next, p: false, r: first }, from);
    expect(await pageviews(`${bySource}&by=visit`)).toBe(2);
    await tab.go(encodeURI(`${demo.url}${website}?period=all&${bySource}`));
    await tab.choose("link", "Remove from the statistics…");
    await tab.choose("button", "Count what would go");
    await tab.named("button", "Remove 2 page views…");
  });

  test("where there are events only, the buttons name them", async () => {
    const bought = { u: `https://${demoHost}/bought`, d: { order: "paid" } };
    await sendHit(demo, bought, { address: "203.0.113.9" });
    await tab.go(encodeURI(`${demo.url}${website}/install?period=all&path[eq]=/bought`));
    await tab.choose("button", "Count what would go");
    await tab.choose("button", "Remove 1 event…");
    await tab.until("document.querySelector('dialog[open]')");
    expect(await tab.names("heading")).toContain("Remove 1 event?");
    await tab.type(demoHost);
    await tab.choose("button", "Remove");
    await tab.until("!document.querySelector('dialog[open]')");
    await focused();
    expect(await status()).toStartWith("Removed: 0 page views, 1 event, ");
  });

  test("a filter that is changed there takes the counts away", async () => {
    await tab.go(encodeURI(`${demo.url}${website}/install?period=all&browser[eq]=Firefox`));
    await tab.choose("button", "Count what would go");
    await tab.named("button", /^Remove \d+ page views…$/);
    await tab.choose("link", /^Remove the filter: /);
    await tab.until("document.body.innerText.includes('Add a filter, or choose dates.')");
    expect((await tab.names("button")).filter((name) => /page views…$/.test(name))).toEqual([]);
    expect(await tab.evaluate("location.pathname")).toBe(`/${website}/install`);
  });

  test("gives axe nothing to find in either theme, and fits 320 pixels", async () => {
    await tab.go(encodeURI(`${demo.url}${website}/install?period=all&device[eq]=Mobile`));
    await tab.choose("button", "Count what would go");
    await tab.named("button", /^Remove \d+ page views…$/);
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    await tab.resize(320, 800);
    await tab.still();
    expect(await overflowPixels(tab)).toBe(0);
    await tab.choose("button", /^Remove \d+ page views…$/);
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    await tab.press("Escape");
    await tab.resize(1_200, 900);
  });

  test("never met an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
