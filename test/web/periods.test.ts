/** Periods, comparisons and the switcher in a real browser: by keyboard, by mouse and by touch. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindingsInThemes, overflowPixels, send, troubles } from "../support/dashboard.ts";
import { demoHost, type Demo } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let demo: Demo;
let tab: Tab;

const search = () => tab.evaluate<string>("decodeURIComponent(location.search)");
const focused = () => tab.evaluate<string>("document.activeElement.getAttribute('data-date') ?? ''");
const grid = "document.querySelector('.period-menu:popover-open [role=grid]')";
const searched = (text: string) =>
  tab.until(`decodeURIComponent(location.search).includes(${JSON.stringify(text)})`);

async function open(query = ""): Promise<void> {
  await tab.go(encodeURI(`${demo.url}dashboard/websites/${demoHost}${query}`));
  await tab.named("application", /^Visitors/);
  await tab.still();
}

/** Lets axe look in both themes, and at what a phone has room for. */
async function findNothing(): Promise<void> {
  expect(await axeFindingsInThemes(tab)).toEqual([]);
}

/** The middle of the day in the open calendar. */
async function dayAt(date: string): Promise<{ x: number; y: number }> {
  const selector = `[data-date="${date}"]`;
  await tab.evaluate(`${grid}.querySelector('${selector}').scrollIntoView({ block: "center" })`);
  return tab.evaluate(
    `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(${grid}.querySelector('${selector}').getBoundingClientRect())`,
  );
}

describeTour("periods", () => {
  const texts = (selector: string) =>
    tab.evaluate<string[]>(`[...document.querySelectorAll('${selector}')].map(found => found.innerText)`);

  beforeAll(async () => {
    page = await DemoPage.open({ days: 75, perDay: 20 });
    ({ demo, tab } = page);
    await page.logIn();
    await send(tab, "POST", "/websites", { hostname: "shop.example" });
  });
  afterAll(() => page?.close());
  beforeEach(async () => {
    await tab.resize(1_200, 900);
    await open();
  });

  test("are in one menu, each a link, and what is shown is marked", async () => {
    await tab.choose("button", /Last 30 days/);
    for (const name of ["Yesterday", "Last 24 hours", "This week", "Last year", "Last 90 days"])
      await tab.named("link", new RegExp(`^${name}`));
    await findNothing();
    await tab.choose("link", /^Last week/);
    await searched("period=last_week");
    await tab.named("button", /Last week/);
  });

  test("that begin and end within weeks have them named by the days that count, and drawn as parts", async () => {
    const [from, to] = [15, 1].map((days) => new Date(Date.now() - days * 86_400_000)) as [Date, Date];
    const dates = [from, to].map((date) => date.toISOString().slice(0, 10)).join("..");
    await open(`?period=${dates}&interval=week&timezone=UTC`);
    // Fifteen days are parts of three weeks whatever day it is, and three are drawn as bars.
    const parts = await tab.evaluate<boolean[]>(
      "[...document.querySelectorAll('.chart-bar')].map(({ classList }) => classList.contains('chart-running'))",
    );
    expect([parts[0] || parts.at(-1), parts.slice(1, -1)]).toEqual([
      true,
      parts.slice(1, -1).map(() => false),
    ]);
    await tab.choose("button", "Show as table");
    await tab.until("document.querySelectorAll('.chart tbody th').length > 2");
    const names = await texts(".chart tbody th");
    const written = (date: Date, more: Intl.DateTimeFormatOptions) =>
      date.toLocaleDateString("en-US", { day: "numeric", timeZone: "UTC", ...more });
    expect(names[0]).toStartWith(written(from, { month: "short" }));
    expect(names.at(-1)).toEndWith(`${written(to, {})}, ${to.getUTCFullYear()}`);
  });

  test("are compared by default, until the same time; a figure has its change, and so has a row", async () => {
    expect((await texts(".tile .change")).length).toBeGreaterThan(4);
    expect((await texts(".list td .change")).every((text) => /^[+−±]/.test(text))).toBe(true);
    expect((await texts(".list td .change")).length).toBeGreaterThan(10);
    expect((await texts(".chart-legend"))[0]).toMatch(/\d/);
    await tab.press("p");
    await searched("compare=none");
    await tab.still();
    expect(await texts(".change")).toEqual([]);
  });

  test("of which figures begin in the midst of the one before have no changes, and the page says so", async () => {
    const first = Temporal.Now.plainDateISO("UTC").subtract({ days: 85 }).toString();
    await open(`?period=7d&compare=custom&compare_from=${first}&compare_to=2099-01-01`);
    expect(await texts(".tile .change")).toEqual([]);
    expect((await texts(".chart-head .hint"))[0]).toBe("");
    await open(`?period=90d&compare=custom&compare_from=${first}&compare_to=2099-01-01`);
    expect((await texts(".tile .change, .list td .change")).map((text) => text.trim()).join("")).toBe("");
    const sentence = /No changes are shown: figures begin on [^,]+, \d{4}, within the period compared with\./;
    expect((await texts(".chart-head .hint"))[0]).toMatch(sentence);
    await findNothing();
    await tab.resize(320, 900);
    await tab.still();
    expect(await overflowPixels(tab)).toBe(0);
  });

  test("before which nothing was recorded have no line of zeros beside theirs, and no tips about it", async () => {
    const day = (ago: number) => Temporal.Now.plainDateISO("UTC").subtract({ days: ago }).toString();
    const custom = (from: number, to: number) =>
      `compare=custom&compare_from=${day(from)}&compare_to=${day(to)}`;
    const lines = `document.querySelectorAll('.chart-figure .chart-before:not([d=""])').length`;
    await open(`?period=7d&${custom(40, 34)}`);
    expect([await tab.evaluate<number>(lines), await texts(".chart-legend")]).toEqual([
      1,
      [expect.any(String)],
    ]);
    // The first is 75 days ago. The other period may be longer: of that the chart has as many days as of its own.
    for (const none of [custom(90, 84), custom(90, 60), custom(90, 76)]) {
      await open(`?period=7d&${none}`);
      expect([none, await texts(".chart-legend")]).toEqual([none, []]);
      expect(await tab.evaluate<number>(lines)).toBe(0);
      await tab.choose("button", "Show as table");
      expect(await texts(".chart thead th")).not.toContain("Visitors before");
    }
    await open(`?period=30d&${custom(90, 60)}`);
    expect(await texts(".chart-legend")).toHaveLength(1);
  });

  test("are compared with a year ago, or with dates of one's choice", async () => {
    await tab.choose("button", /Last 30 days/);
    await tab.choose("button", /^A year ago/);
    await searched("compare=year");
    await tab.choose("button", /^Other dates/);
    const calendar = "document.querySelectorAll('.period-menu [role=grid]')[1]";
    await tab.until(`!!${calendar}`);
    await findNothing();
    const pick = (at: number) =>
      tab.evaluate(`${calendar}.querySelectorAll('tbody tr')[1].children[${at}].click()`);
    await pick(1);
    await pick(4);
    await searched("compare=custom&compare_from=");
    await tab.still();
    await tab.named("button", /^Other dates .*\d/);
  });

  test("are compared with no year ago where they are longer than a year", async () => {
    await open("?period=custom&from=2024-05-01&to=2025-10-31&compare=year");
    await tab.choose("button", /^May 1, 2024/);
    const choices = () =>
      texts(".compare-choices button").then((names) => names.map((name) => name.split("\n")[0]));
    await tab.until("!!document.querySelector('.compare-choices')");
    expect(await choices()).toEqual(["Period before", "Other dates", "Nothing"]);
    expect((await texts(".compare-choices [aria-pressed=true]"))[0]).toStartWith("Period before");
    await tab.press("Escape");
  });

  test("are stepped through by the arrows", async () => {
    await open("?period=this_month&browser[eq]=Chrome");
    await tab.choose("link", "Previous period");
    await searched("period=last_month&browser[eq]=Chrome");
    await tab.choose("link", "Next period");
    await searched("period=this_month");
    expect(await tab.evaluate("document.querySelector('[aria-label=\"Next period\"]').ariaDisabled")).toBe(
      "true",
    );
    const forward = "document.activeElement.getAttribute('aria-label')";
    expect(await tab.evaluate<string>(forward)).toBe("Next period");
    await tab.press("[");
    await searched("period=last_month");
    await tab.still();
    expect(await tab.evaluate<string>(forward)).toBe("Next period");
  });

  test("are picked in the calendar by keys", async () => {
    await tab.press("c");
    await tab.until(`!!${grid} && ${grid}.contains(document.activeElement)`);
    const today = await focused();
    const at = (days: number) => Temporal.PlainDate.from(today).add({ days }).toString();
    await tab.press("ArrowRight");
    expect(await focused()).toBe(today);
    await tab.press("ArrowLeft", "ArrowUp", "ArrowUp");
    expect(await focused()).toBe(at(-15));
    await tab.press("Enter", "ArrowDown", "ArrowRight");
    expect(await focused()).toBe(at(-7));
    await findNothing();
    // Escape gives up the first day, and only then the menu.
    await tab.press("Escape", "Enter", "ArrowLeft", "ArrowLeft", "Enter");
    await searched(`period=custom&from=${at(-9)}&to=${at(-7)}`);
    await tab.until("!document.querySelector('.period-menu:popover-open')");
  });

  test("are years away by a click each in the calendar, from the first that there can be to today", async () => {
    await open("");
    await tab.press("c");
    await tab.until(`!!${grid} && ${grid}.contains(document.activeElement)`);
    const shown = () =>
      tab
        .evaluate<string>(`${grid}.querySelector("[tabindex='0']").dataset.date`)
        .then((day) => day.slice(0, 7));
    const month = (await shown()).slice(4);
    const year = Number((await shown()).slice(0, 4));
    await tab.choose("button", "Previous year");
    await tab.choose("button", "Previous year");
    expect(await shown()).toBe(`${year - 2}${month}`);
    await tab.choose("button", "Previous month");
    for (const _ of "123") await tab.choose("button", "Next year");
    expect(await shown()).toBe(`${year}${month}`);
    const isOff = `document.querySelector("[aria-label='Next year']").ariaDisabled`;
    expect(await tab.evaluate<string>(isOff)).toBe("true");
    await findNothing();
    await tab.press("Escape");
  });

  test("are picked in the calendar by touch, on a phone", async () => {
    await tab.resize(320, 640);
    await tab.choose("button", /Last 30 days/);
    await tab.choose("button", "Previous month");
    await tab.still();
    expect(await overflowPixels(tab)).toBe(0);
    await findNothing();
    const days = await tab.evaluate<string[]>(
      `[...${grid}.querySelectorAll('[data-beside=false]')].map(day => day.dataset.date)`,
    );
    for (const date of [days[2] ?? "", days[9] ?? ""]) {
      const point = await dayAt(date);
      await tab.call("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
      await tab.call("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    }
    await searched(`period=custom&from=${days[2]}&to=${days[9]}`);
  });

  test("stay with filters and tabs when one switches to another website by keys", async () => {
    await open("?period=7d&tab.pages=time&browser[eq]=Chrome");
    await tab.press("k");
    await tab.named("dialog", "Go to");
    await tab.named("option", /shop\.example/);
    await findNothing();
    for (const key of "shop") await tab.press(key);
    await tab.named("option", /shop\.example/);
    await tab.press("Enter");
    await tab.until("location.pathname.endsWith('/shop.example')");
    expect(await search()).toBe("?period=7d&tab.pages=time&browser[eq]=Chrome");
  });

  test("and the switcher filters and opens pages, too", async () => {
    await tab.press("/");
    await tab.named("dialog", "Go to");
    for (const key of "pricing") await tab.press(key);
    await tab.named("option", /Page is .*pricing/);
    await tab.press("ArrowDown", "Enter");
    await searched("path[eq]=/pricing");
    await tab.choose("button", "Switch to another website");
    await tab.named("dialog", "Go to");
    await tab.named("option", /Settings/);
    // Without its list the dialog is of no use.
    await tab.press("Escape");
    await tab.until("!document.querySelector('dialog[open]')");
    await tab.choose("button", "Switch to another website");
    await tab.named("dialog", "Go to");
    for (const key of "settings") await tab.press(key);
    await tab.named("option", /Settings/);
    await tab.press("Enter");
    await tab.until("location.pathname === '/dashboard/settings'");
  });

  test("never meet an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
