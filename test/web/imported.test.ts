/** Months that were imported as sums, in the dashboard: in a real browser, in the language of the page. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { sourceNames } from "../../src/record/month-kinds.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, shownText } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { zipOf } from "../support/made-zip.ts";

const website = `/dashboard/websites/${demoHost}`;
/** The website has page views of its own for some days; the sums are of the third month before. */
const now = new Date();
const firstMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3);
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** The first day with sums is the second of the month. */
const sumsMs = firstMs + dayMs;
const lastMs = firstMs + 27 * dayMs;
const [first, last] = [dateOf(firstMs), dateOf(lastMs)];
const sumsDate = dateOf(sumsMs);
const untilMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2);
const sums = `?period=custom&from=${first}&to=${last}`;
const own = "?period=7d";
const dateText = (language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(untilMs);

const datesText = (language: string, fromMs: number, toMs: number) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).formatRange(fromMs, toMs);

let page: DemoPage;
let tab: Tab;

/** The pixels above the chart, once its figures are there. */
async function chartTop(query: string, width: number): Promise<number> {
  await tab.resize(width, 900);
  await tab.go(page.demo.url.slice(0, -1) + website + query);
  await tab.until("document.querySelector('.chart-figure svg')");
  await tab.still();
  return tab.evaluate<number>(
    "document.querySelector('.chart-figure').getBoundingClientRect().top + scrollY",
  );
}

describeTour("a website with imported sums", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 4, perDay: 10 });
    ({ tab } = page);
    await page.logIn();
    const head = `date,${sourceNames.join(",")},pageviews,visitors,visits,visit_duration,bounces`;
    const zip = zipOf({
      "imported_visitors.csv": `date,visitors,pageviews,bounces,visits,visit_duration\n${sumsDate},10,30,4,12,600\n`,
      "imported_pages.csv": `date,page,visits,visitors,pageviews,total_time_on_page\n${sumsDate},/,12,10,30,500\n`,
      "imported_sources.csv": `${head}\n${sumsDate},,,,,,,30,10,12,600,4\n`,
    });
    const status = await tab.evaluate(
      `fetch("/website/${demoHost}/import?dry_run=false", {
        method: "POST", body: new Uint8Array(${JSON.stringify([...zip])}),
      }).then((answer) => answer.status)`,
    );
    expect(status).toBe(200);
  });
  afterAll(() => page?.close());

  test.each([1_200, 390])("says so where nothing moves for it, %p pixels wide", async (width) => {
    const without = await chartTop(own, width);
    expect(await shownText(tab)).not.toContain("imported");
    expect(await chartTop(sums, width)).toBe(without);
    expect(await shownText(tab)).toContain(`Imported as sums of days: ${datesText("en", sumsMs, lastMs)}.`);
    expect(await overflowPixels(tab)).toBe(0);
    expect(await axeFindings(tab)).toEqual([]);
  });

  test("says from when to when they are in the period that is shown, or that only the other one has some", async () => {
    const shown = async (query: string) => {
      await chartTop(query, 1_200);
      return shownText(tab);
    };
    // All time begins with the first day that has sums, and goes on after the last one.
    const all = datesText("en", sumsMs, untilMs - dayMs);
    expect(await shown("?period=all")).toContain(`Imported as sums of days: ${all}.`);
    const [from, to] = [firstMs + 10 * dayMs, firstMs + 12 * dayMs];
    const days = `?period=custom&from=${dateOf(from)}&to=${dateOf(to)}`;
    expect(await shown(days)).toContain(`Imported as sums of days: ${datesText("en", from, to)}.`);
    const compared = `&compare=custom&compare_from=${first}&compare_to=${last}`;
    const text = await shown(own + compared);
    expect(text).toContain("The period that this one is compared with was imported as sums of days.");
    expect(text).not.toContain("Imported as sums of days:");
  });

  test("says that sums have no languages, and not that all are unknown", async () => {
    await chartTop(`${sums}&tab.places=languages`, 1_200);
    await tab.until(
      "document.body.innerText.includes('The imported sums of this period have no languages.')",
    );
    await chartTop(`${own}&tab.places=languages`, 1_200);
    expect(await shownText(tab)).not.toContain("have no languages");
  });

  test("has no weekdays and hours of sums of days, and those of the page views after them", async () => {
    await tab.go(`${page.demo.url.slice(0, -1)}${website}${sums}&tab.chart=weekday`);
    await tab.until(
      "document.body.innerText.includes('No hour of this period is over and has page views of its own.')",
    );
    await tab.go(`${page.demo.url.slice(0, -1)}${website}?period=12mo&tab.chart=weekday`);
    await tab.until("document.querySelector('.week-hours-said')");
    await tab.still();
    const text = await shownText(tab);
    const [, from = ""] = /Hours in the time of .+?, (.+?) – /.exec(text) ?? [];
    // The website has had page views of its own for four days.
    const daysAgo =
      (Date.now() - Date.parse(`${from}${from.includes(",") ? "" : `, ${now.getUTCFullYear()}`}`)) / dayMs;
    expect(Math.round(daysAgo)).toBeLessThanOrEqual(5);
    expect(await tab.names("alert")).toEqual([]);
  });

  test("says why weekdays lack the days of sums, where the period has some", async () => {
    for (const [query, isSaid] of [
      ["?period=12mo", true],
      [own, false],
    ] as const) {
      await tab.go(`${page.demo.url.slice(0, -1)}${website}${query}&tab.chart=weekday`);
      await tab.until("document.querySelector('.week-hours-said')");
      await tab.still();
      const isThere = (await shownText(tab)).includes("Earlier days have sums only, without hours.");
      expect([query, isThere]).toEqual([query, isSaid]);
    }
  });

  test("says once that filters select nothing from sums, and leads back", async () => {
    await tab.go(`${page.demo.url.slice(0, -1)}${website}${sums}&browser[eq]=Chrome`);
    await tab.named("heading", "This period cannot be filtered.");
    await tab.still();
    expect(await shownText(tab)).toContain(`The months before ${dateText("en")} have sums only`);
    expect(await tab.names("alert")).toEqual([]);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.choose("link", "Remove the filters");
    await tab.until("document.querySelector('.chart-figure svg')");
    expect(await tab.evaluate("location.search.includes('Chrome')")).toBe(false);
    expect(await shownText(tab)).toContain("Imported as sums of days");
  });

  test("says nothing of a day with what the server said of another one", async () => {
    const said = () => tab.evaluate<string>("document.querySelector('.drivers').innerText");
    const day = dateOf(untilMs);
    await chartTop(`?period=custom&from=${day}&to=${day}`, 1_200);
    await tab.still();
    expect(await said()).not.toBe("");
    await tab.choose("link", "Previous period");
    await tab.until(`!location.search.includes("from=${day}")`);
    await tab.still();
    expect(await said()).toBe("");
  });

  test("draws a period beside another only where all its days have page views", async () => {
    const [from, to] = [dateOf(untilMs + 10 * dayMs), dateOf(untilMs + 16 * dayMs)];
    const drawn = () => tab.evaluate<boolean>("document.querySelector('.chart-legend') !== null");
    await chartTop(`?period=custom&from=${from}&to=${to}&browser[eq]=Chrome`, 1_200);
    expect(await drawn()).toBe(true);
    // The other period has some days with sums, and a week later no others.
    for (const days of [3, -4]) {
      await tab.choose("link", "Previous period");
      await tab.until(`location.search.includes("from=${dateOf(untilMs + days * dayMs)}")`);
      await tab.still();
      expect([days, await drawn()]).toEqual([days, false]);
      expect(await tab.evaluate("document.querySelector('.chart-figure svg') !== null")).toBe(true);
    }
  });

  test("writes dates as the language has them, also in sentences of the server", async () => {
    await tab.go(`${page.demo.url}dashboard/settings`);
    await tab.named("button", "Save language");
    await tab.evaluate("document.querySelector('#language').value = 'de'");
    await tab.choose("button", "Save language");
    await tab.until("document.documentElement.lang === 'de'");
    await chartTop(sums, 1_200);
    expect(await shownText(tab)).toContain(`Als Tagessummen importiert: ${datesText("de", sumsMs, lastMs)}.`);
    await chartTop(`?period=custom&from=${first}&to=${dateOf(now.getTime())}`, 1_200);
    expect(await shownText(tab)).toContain(`Ziele, Trichter und Wege gelten ab ${dateText("de")}.`);
    await tab.go(`${page.demo.url.slice(0, -1)}${website}${sums}&browser[eq]=Chrome`);
    await tab.until(`document.body.innerText.includes("Die Monate vor ${dateText("de")} bestehen")`);
    expect(await shownText(tab)).not.toMatch(/\d{4}-\d\d-\d\d/);
  });
});
