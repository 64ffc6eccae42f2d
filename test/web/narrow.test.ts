/** A website's page in the window of a phone: whole, with figures of eight digits. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, send } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { someOf } from "../support/rounds.ts";

/** Makes the page read every count of an answer as one of eight digits. */
const manyVisitors = `(() => {
  const counts = new Set(["visitors", "visits", "pageviews", "events"]);
  const grown = (value, key) => {
    if (Array.isArray(value)) return value.map((item) => grown(item));
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, grown(item, name)]));
    return counts.has(key) && value > 0 ? 12_340_000 + value : value;
  };
  const json = Response.prototype.json;
  Response.prototype.json = function () {
    return json.call(this).then((answer) => grown(answer));
  };
})()`;

/** The texts of figures that are wider than their place. */
const tooWide = `[...document.querySelectorAll(".tile-figure, .list td, .list thead th")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.checkVisibility())
  .map((element) => element.innerText)`;

/** The names in the lists of the page of which a part is not seen. */
const cutNames = `[...document.querySelectorAll(".panel-rows .list .name")]
  .filter((name) => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1)
  .map((name) => name.innerText)`;

describeTour("a page with millions of visitors", () => {
  let page: DemoPage;
  let tab: Tab;
  let grown: { readonly identifier: string };

  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 30 });
    tab = page.tab;
    grown = await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: manyVisitors });
    await page.logIn();
  });
  afterAll(() => page?.close());

  test.each(someOf([320, 390, 480, 600, 1_280]))("fits a window of %d pixels", async (width) => {
    await tab.resize(width, 900);
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.named("link", width > 480 ? /^Visitors 12,34/ : /^Visitors 12\.3M/);
    await tab.still();
    expect(await overflowPixels(tab)).toBe(0);
    expect(await tab.evaluate<string[]>(tooWide)).toEqual([]);
    expect(await axeFindings(tab)).toEqual([]);
  });

  test("fits a phone in a language of longer words", async () => {
    await send(tab, "PATCH", "/user", { settings: { language: "de" } });
    await tab.resize(320, 900);
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.until(
      "document.documentElement.lang === 'de' && document.querySelectorAll('.panel-rows td').length > 20",
    );
    await tab.still();
    expect([await overflowPixels(tab), await tab.evaluate<string[]>(tooWide)]).toEqual([0, []]);
    expect(await tab.evaluate<string[]>(cutNames)).toEqual([]);
    await tab.evaluate("document.querySelector('[popovertarget=period-menu]').click()");
    await tab.until("document.querySelector('#period-menu:popover-open') !== null");
    await tab.still();
    const menu = "document.querySelector('#period-menu')";
    expect(await tab.evaluate<number>(`${menu}.scrollWidth - ${menu}.clientWidth`)).toBeLessThanOrEqual(0);
    // Beside each other the names of periods, their keys and what is compared keep to their columns.
    const beyond = `[...${menu}.querySelectorAll("li > a, li > a > kbd")]
      .filter((one) => one.getBoundingClientRect().right > one.closest("li").getBoundingClientRect().right + 1)
      .map((one) => one.innerText)`;
    for (const width of [840, 1_440]) {
      await tab.resize(width, 900);
      await tab.still();
      expect(await tab.evaluate<string[]>(beyond)).toEqual([]);
    }
    await tab.resize(320, 900);
    await tab.press("Escape");
    await send(tab, "PATCH", "/user", { settings: { language: "en" } });
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.until("document.documentElement.lang === 'en'");
  });

  test("shows suggestions whole, also to who turns the phone: it has no titles", async () => {
    await tab.resize(900, 320);
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.still();
    await tab.choose("button", "Switch to another website");
    await tab.still();
    await tab.type("ge");
    await tab.until("document.querySelector('.listbox .number') !== null");
    await tab.resize(320, 900);
    await tab.still();
    const beyond = "document.querySelector('.listbox').getBoundingClientRect().right - innerWidth";
    expect(await tab.evaluate<number>(beyond)).toBeLessThan(0);
    const cut = `[...document.querySelectorAll(".listbox .cut")]
      .filter((text) => text.scrollWidth > text.clientWidth + 1 || text.scrollHeight > text.clientHeight + 1)
      .map((text) => text.innerText)`;
    expect(await tab.evaluate<string[]>(cut)).toEqual([]);
    await tab.press("Escape");
  });

  test("shows names and figures whole beside three columns, in a language of longer words", async () => {
    await send(tab, "PATCH", "/user", { settings: { language: "de" } });
    const goal = { name: "Plan", event: { prop_name: "plan" } };
    await send(tab, "POST", `/website/${demoHost}/goals`, goal);
    await tab.resize(1_280, 900);
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?goal=1&tab.places=countries`);
    await tab.until("document.querySelectorAll('.panels [data-columns=\"3\"] td').length > 50");
    await tab.still();
    expect(await tab.evaluate<string[]>(cutNames)).toEqual([]);
    expect(await tab.evaluate<string[]>(tooWide)).toEqual([]);
    await send(tab, "PATCH", "/user", { settings: { language: "en" } });
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.until("document.documentElement.lang === 'en'");
  });

  test("has no light strip beside a dialog", async () => {
    await tab.choose("button", "Keyboard shortcuts");
    await tab.still();
    const shades = await tab.evaluate<string[]>(
      `["html", "body"].map((name) => getComputedStyle(document.querySelector(name)).backgroundColor)`,
    );
    // The shade of the backdrop over the page is made by hand for the room of the scrollbar.
    expect(new Set(shades).size).toBe(2);
    expect(await tab.evaluate<string>("getComputedStyle(document.documentElement).overflowY")).toBe("hidden");
    await tab.press("Escape");
  });

  test("has each change of a list of websites in one line", async () => {
    await tab.call("Page.removeScriptToEvaluateOnNewDocument", grown);
    const hostname = "a-website-with-a-name-of-many-words.example.com";
    await send(tab, "POST", "/websites", { hostname });
    await tab.resize(360, 900);
    await tab.go(page.demo.url);
    await tab.until("/^[-−+±]/.test(document.querySelector('.websites .change')?.innerText)");
    await tab.still();
    const lines = await tab.evaluate<number[]>(
      `[...document.querySelectorAll(".websites .change")].map((change) => {
        const text = document.createRange();
        text.selectNodeContents(change);
        return new Set([...text.getClientRects()].map(({ top }) => top)).size;
      })`,
    );
    expect(new Set(lines)).toEqual(new Set([1]));
    expect(await overflowPixels(tab)).toBe(0);
  });
});
