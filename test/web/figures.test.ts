/** A website's figures in a real browser: the chart by mouse and keyboard, metrics, periods, lists, the map. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { definitionOf } from "../../src/core/definition.ts";
import type { Tab } from "../support/chromium.ts";
import { send, shownText, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit, type Demo } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let demo: Demo;
let tab: Tab;

const search = () => tab.evaluate<string>("decodeURIComponent(location.search)");
const shows = (text: string) => tab.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

async function open(query = ""): Promise<void> {
  await tab.go(encodeURI(`${demo.url}dashboard/websites/${demoHost}${query}`));
  await tab.named("application", /^Visitors/);
  await tab.still();
}

/** The middle of an element, in pixels of the window. */
function middleOf(selector: string): Promise<{ x: number; y: number }> {
  return tab.evaluate(
    `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
  );
}

describeTour("a website's figures", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 20, perDay: 60 });
    ({ demo, tab } = page);
    await page.logIn();
  });
  afterAll(() => page?.close());
  beforeEach(() => open());

  test("are picked for the chart, one at a time", async () => {
    await tab.choose("link", /^Page views/);
    await tab.named("application", /^Page views/);
    expect(await search()).toBe("?metric=pageviews");
    await tab.choose("link", /^Time per visit/);
    await tab.named("application", /^Time per visit/);
    expect(await search()).toBe("?metric=time_per_visit");
  });

  test("stand on one line, however many lines are above and below one of them", async () => {
    await open("?period=7d");
    await tab.until("document.querySelectorAll('.tile .change').length === 6");
    const bottoms = () =>
      tab.evaluate<number[]>(
        "[...document.querySelectorAll('.tile-figure')].map((figure) => figure.getBoundingClientRect().bottom)",
      );
    const before = await bottoms();
    await tab.evaluate(`{
      const long = " and more words than there is room for on one line";
      document.querySelector(".tile .change").append(long);
      document.querySelectorAll(".tile .tile-label")[1].append(long);
    }`);
    const [first = 0, ...others] = await bottoms();
    expect([first > (before[0] ?? 0), others]).toEqual([true, others.map(() => first)]);
  });

  test("say nothing of visits where they are not told apart, and are – where nobody knows one", async () => {
    const figures = () =>
      tab.evaluate<string[]>("[...document.querySelectorAll('.tile')].map(tile => tile.innerText)");
    await tab.choose("link", /^Visits /);
    await tab.named("application", /^Visits by day/);
    expect((await figures()).map((text) => text.split("\n")[0])).toEqual([
      "Visitors",
      "Visits",
      "Views per visit",
      "Page views",
      "Bounce rate",
      "Time per visit",
    ]);
    await send(tab, "PATCH", "/websites/shop.example.com", { visits: false });
    await tab.go(`${demo.url}dashboard/websites/shop.example.com?metric=visits`);
    await tab.named("application", /^Visitors by day/);
    await tab.still();
    expect(await shownText(tab)).not.toMatch(/visits/i);
    expect(await tab.names("combobox")).toEqual([]);
    await tab.choose("button", "What “Bounce rate” means");
    await tab.until("!!document.querySelector(':popover-open > p:not(.loading)')");
    expect(await tab.evaluate<string>("document.querySelector(':popover-open > p').innerText")).toBe(
      definitionOf("bounce_of_views"),
    );
    await tab.press("Escape");
    await tab.go(`${demo.url}dashboard/websites/shop.example.com?path[eq]=/nowhere`);
    await tab.named("application", /^Visitors by day/);
    expect(await figures()).toEqual(["Visitors\n0", "Page views\n0", "Bounce rate\n–", "Time on page\n–"]);
    await tab.go(`${demo.url}dashboard/websites/shop.example.com?metric=duration`);
    await tab.named("application", /^Time on page by day/);
  });

  test("are read from the chart by the keyboard, and a day is opened by Enter", async () => {
    await tab.evaluate("document.querySelector('[role=application]').focus()");
    await tab.press("End", "ArrowLeft");
    const spoken = () => tab.evaluate<string>("document.querySelector('.chart [aria-live]').textContent");
    const yesterday = await spoken();
    expect(yesterday).toMatch(/\d/);
    await tab.press("ArrowLeft");
    expect(await spoken()).not.toBe(yesterday);
    await tab.press("Enter");
    await tab.until("location.search.includes('period=custom')");
    await tab.named("application", /^Visitors/);
    const { from, to } = await tab.evaluate<Record<"from" | "to", string>>(
      "Object.fromEntries(new URLSearchParams(location.search))",
    );
    expect(from).toBe(to);
  });

  test("are read from the chart by the mouse", async () => {
    const { x, y } = await middleOf("[role=application]");
    await tab.call("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    await tab.until("document.querySelector('.chart-tip')?.innerText.includes('Bounce rate')");
    await tab.call("Input.dispatchMouseEvent", { type: "mouseMoved", x: 5, y: 5 });
    await tab.until("!document.querySelector('.chart-tip')");
  });

  test("are a table for who wants one, with a row a day", async () => {
    await tab.choose("button", "Show as table");
    await tab.until("document.querySelectorAll('.chart tbody tr').length === 30");
    expect(await tab.names("columnheader")).toEqual(expect.arrayContaining(["Visitors", "Page views"]));
    await tab.choose("button", "Show as chart");
    await tab.named("application", /^Visitors/);
  });

  test("stand beside those of the same weekdays before, unless somebody wants no comparison", async () => {
    await open("?period=7d");
    await tab.until("document.querySelectorAll('.tile .change').length === 6");
    await tab.press("p");
    await tab.until("document.querySelectorAll('.change').length === 0");
    expect(await search()).toContain("compare=none");
  });

  test("are in the time zone that one chooses", async () => {
    await tab.choose("button", /Last 30 days/);
    await tab.fill("combobox", /zone/i, "tokyo");
    await tab.named("option", /Tokyo/);
    await tab.press("ArrowDown", "Enter");
    await tab.until("decodeURIComponent(location.search).includes('timezone=Asia/Tokyo')");
    await tab.named("application", /^Visitors/);
  });

  test("step through periods, but not into the future", async () => {
    await open("?period=7d");
    await tab.press("[");
    await tab.until("/from=|last_week/.test(location.search)");
    await tab.press("]");
    await tab.until("location.search === '?period=7d'");
    await tab.press("]");
    await tab.still();
    expect(await search()).toBe("?period=7d");
  });

  test("have lists that are paged, searched and shown in full", async () => {
    const first = await tab.evaluate<string>("document.querySelector('.panel a.name').textContent");
    await tab.choose("button", "Next pages");
    await tab.until(`document.querySelector('.panel a.name').textContent !== ${JSON.stringify(first)}`);
    await tab.choose("button", "Previous pages");
    await tab.until(`document.querySelector('.panel a.name').textContent === ${JSON.stringify(first)}`);
    await tab.fill("searchbox", "Search pages", "docs");
    await tab.until("[...document.querySelectorAll('.panel')][0].querySelectorAll('tbody tr').length === 4");
    await tab.fill("searchbox", "Search pages", "nowhere");
    await shows("No pages with “nowhere”.");
    await tab.choose("link", "Referrers");
    await tab.still();
    const heads = () =>
      tab.evaluate<string[]>(
        "[...document.querySelectorAll('.panel')[1].querySelectorAll('th')].map(th => th.innerText)",
      );
    expect(await heads()).toContain("% of visitors");
    // The share would be that of what was found.
    await tab.fill("searchbox", "Search referrers", "redd");
    await tab.until("[...document.querySelectorAll('.panel')][1].querySelectorAll('tbody tr').length === 1");
    expect((await heads()).slice(0, 2)).toEqual(["Referrers", "Visitors"]);
    expect(await heads()).not.toContain("% of visitors");
    await tab.choose("button", "All referrers");
    await tab.named("dialog", /^Referrers/);
    await tab.until("document.querySelectorAll('dialog tbody tr').length === 9");
    const figures = ["Visits", "Bounce rate", "Time per visit"];
    expect(await tab.names("columnheader")).toEqual(expect.arrayContaining([...figures, "% of visitors"]));
    await tab.choose("button", "Sort by % of visitors");
    await tab.fill("searchbox", "Search all referrers", "redd");
    await tab.until("document.querySelectorAll('dialog tbody tr').length === 1");
    expect(await tab.names("columnheader")).toEqual(expect.arrayContaining(figures));
    expect(await tab.names("columnheader")).not.toContain("% of visitors");
    expect(await tab.evaluate("document.querySelectorAll('dialog [aria-sort]').length")).toBe(0);
    await tab.evaluate(
      "[...document.querySelectorAll('dialog a')].find(a => a.textContent === 'Reddit').click()",
    );
    await tab.until("!document.querySelector('dialog[open]')");
    expect(await search()).toContain("referrer[eq]=Reddit");
  });

  test("have the pages that visits began and ended with, and a click shows the visits that began there", async () => {
    const names = () =>
      tab.evaluate<string[]>("[...document.querySelectorAll('.panel')][0].innerText.split(/[\\n\\t]+/)");
    await tab.choose("link", "Exit pages");
    await tab.until("location.search.includes('tab.pages=exits')");
    await tab.named("columnheader", "Exit pages");
    await tab.choose("link", "Entry pages");
    await tab.until("location.search.includes('tab.pages=entries')");
    await tab.named("columnheader", "Entry pages");
    expect(await names()).toEqual(expect.arrayContaining(["Visits", "% of visits", "/pricing"]));
    await tab.choose("button", "All entry pages");
    await tab.named("dialog", /^Entry pages/);
    await tab.fill("searchbox", "Search all entry pages", "pric");
    await tab.until("document.querySelectorAll('dialog tbody tr').length === 1");
    const visits = await tab.evaluate<string>("document.querySelector('dialog tbody td').innerText");
    await tab.evaluate("document.querySelector('dialog tbody a').click()");
    await tab.until("!document.querySelector('dialog[open]')");
    expect(await search()).toContain("entry[eq]=/pricing");
    await tab.named("link", "Remove the filter: Entry page is /pricing");
    await tab.named("link", new RegExp(`^Visits ${visits}`));
    await tab.choose("link", "Pages");
    await tab.still();
    expect((await names()).length).toBeGreaterThan(10);
  });

  test("are filtered from the map by the keyboard", async () => {
    await tab.until("!!document.querySelector('[aria-label^=\"Germany\"]')");
    await tab.evaluate("document.querySelector('[aria-label^=\"Germany\"]').focus()");
    await tab.press("Enter");
    await tab.until("decodeURIComponent(location.search).includes('country[eq]=Germany')");
    await tab.named("link", "Remove the filter: Country is Germany");
  });

  test("show the values of a property once it is asked for, and filter by one", async () => {
    await tab.choose("link", "plan");
    await tab.named("heading", "Values of plan");
    await tab.choose("link", "pro");
    await tab.until("decodeURIComponent(location.search).includes('prop_value[eq]=pro')");
    await tab.choose("link", "Clear filters");
    await tab.named("heading", "Properties");
    expect(await search()).toBe("");
  });

  test("are filtered by what is in a list, and the filter is changed", async () => {
    await open("?browser[in]=Chrome,Safari");
    await tab.choose("button", /^Browser is one of/);
    await tab.named("dialog", "Change the filter");
    await tab.choose("button", "Remove Safari");
    await tab.choose("button", "Save");
    await tab.until("decodeURIComponent(location.search) === '?browser[in]=Chrome'");
    await tab.still();
    expect(await shownText(tab)).toContain("Chrome");
    expect(await tab.names("link")).not.toContain("Safari");
  });

  test("keep what strangers wrote from turning its neighbours round", async () => {
    const hostname = "new.example.org";
    const paths = ["/%E2%80%AEexe.gpj", "/a%0Ab", "/👨‍👩‍👧", "/شركة"];
    for (const [at, path] of paths.entries())
      await sendHit(demo, { b: `stranger-${at}`, u: `https://${hostname}${path}`, p: true, q: false });
    await sendHit(demo, { b: "stranger-0", d: { "\u202eRTL": "\u2066one", שם: "ערך" } });
    await tab.go(`${demo.url}dashboard/websites/${hostname}`);
    for (const name of ["/%E2%80%AEexe.gpj", "/a%0Ab", "/👨‍👩‍👧", "\\u{202e}RTL"]) await tab.named("link", name);
    const direction = (name: string) =>
      tab.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll("a.name")].find(a => a.textContent === ${JSON.stringify(name)})).direction`,
      );
    expect([await direction("/a%0Ab"), await direction("/شركة"), await direction("שם")]).toEqual([
      "ltr",
      "rtl",
      "rtl",
    ]);
    await tab.choose("link", "שם");
    await tab.named("heading", "Values of \u2068שם\u2069");
    await tab.named("link", "Remove the filter: Property is \u2068שם\u2069");
    await tab.choose("link", "ערך");
    await tab.until("decodeURIComponent(location.search).includes('prop_value[eq]=ערך')");
    await tab.choose("link", "Clear filters");
    await tab.choose("link", "\\u{202e}RTL");
    await tab.named("heading", "Values of \\u{202e}RTL");
    expect(await search()).toBe("?prop_name[eq]=\u202eRTL");
    await tab.choose("button", /^Property is/);
    await tab.fill("combobox", "Value", "r");
    await tab.named("option", /^\\u\{202e\}RTL/);
    await tab.press("Escape", "Escape");
    expect(await shownText(tab)).not.toMatch(/[\u202e\u2066]/);
  });

  test("were shown without an error", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
