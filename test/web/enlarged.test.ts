/** The dashboard on a phone whose letters were set to one and a half times and twice their usual size. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, send, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

const width = 360;
const website = `dashboard/websites/${demoHost}`;
const pages = ["dashboard", website, `${website}?goal=1&step=page:/&step=goal:1`, `${website}/install`];
const paths = [...pages, `${website}/live`, "dashboard/settings", "dashboard/definitions"];
/** A hundred pixels have room for six or more letters of the largest. */
const nameMin = 100;

/** The names in tables that have less room than `nameMin`. */
const narrowNames = `[...document.querySelectorAll("tbody th")]
  .filter((name) => name.checkVisibility() && name.getBoundingClientRect().width < ${nameMin})
  .map((name) => name.innerText)`;

/** The figures, heads and names that are wider than their place, and cards and menus out of which something stands. */
const tooWide = `[...document.querySelectorAll(".tile-figure, .panel-rows :is(td, thead th, .name), .websites :is(td, th), .card, .entries, .menu")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.className + ": " + one.innerText.slice(0, 40))`;

/** Whether tables have their usual form: their cells beside each other. */
const usualTables = `[...document.querySelectorAll("table")].filter((table) => table.checkVisibility())
  .every((table) => getComputedStyle(table.querySelector("tbody tr")).display === "table-row")`;

describeTour("a page with large letters", () => {
  let page: DemoPage;
  let tab: Tab;

  /** Opens a page in letters of so many pixels, as somebody sets them in the browser: 16 is usual. */
  async function open(path: string, letters: number): Promise<void> {
    await tab.call("Page.setFontSizes", { fontSizes: { standard: letters } });
    await tab.go("about:blank");
    await tab.go(page.demo.url + path);
    await tab.still();
    // The page itself has its letters a sixteenth smaller.
    const root = await tab.evaluate<string>("getComputedStyle(document.documentElement).fontSize");
    expect(root).toBe(`${(letters * 15) / 16}px`);
  }

  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 30 });
    tab = page.tab;
    await page.logIn();
    const own = `/website/${demoHost}`;
    await send(tab, "POST", `${own}/goals`, { name: "Chose a plan", event: { prop_name: "plan" } });
    await send(tab, "POST", `${own}/links`, { name: "Client" });
    await send(tab, "POST", `${own}/invitations`, { role: "viewer" });
    await send(tab, "POST", "/user/tokens", { name: "Nightly copies", scope: "read" });
  });
  afterAll(() => page?.close());

  for (const language of ["en", "de"])
    test.each([24, 32])(`has room for every name with letters of %d pixels: ${language}`, async (letters) => {
      await send(tab, "PATCH", "/user", { settings: { language } });
      await tab.resize(width, 900);
      for (const path of paths) {
        await open(path, letters);
        await tab.until(`document.documentElement.lang === "${language}"`);
        await tab.still();
        const found = [
          await overflowPixels(tab),
          await tab.evaluate(narrowNames),
          await tab.evaluate(tooWide),
        ];
        expect([path, ...found]).toEqual([path, 0, [], []]);
        expect([path, await axeFindings(tab)]).toEqual([path, []]);
      }
    });

  test("has room for periods, dates and columns in what opens", async () => {
    await send(tab, "PATCH", "/user", { settings: { language: "en" } });
    for (const letters of [24, 32]) {
      await open(website, letters);
      await tab.choose("button", /^Last 30 days/);
      await tab.until("document.querySelector('.period-menu:popover-open')");
      await tab.still();
      expect([letters, await tab.evaluate(tooWide)]).toEqual([letters, []]);
      await tab.press("Escape");
      await tab.choose("button", "All pages");
      await tab.named("button", "Sort by Visitors");
      await tab.still();
      // Names stay in view beside figures, which scroll.
      const left = await tab.evaluate<number>(
        `(({ right }) => document.querySelector("dialog .list-scroll").getBoundingClientRect().right - right)(
          document.querySelector("dialog tbody th").getBoundingClientRect())`,
      );
      expect(left).toBeGreaterThan(width / 5);
      await tab.press("Escape");
    }
    expect(await troubles(tab)).toEqual([]);
  });

  test("has its usual form with usual letters, also in a window of 320 pixels", async () => {
    await tab.resize(320, 900);
    for (const path of ["dashboard", website]) {
      await open(path, 16);
      expect([path, await tab.evaluate(usualTables)]).toEqual([path, true]);
    }
    await open(website, 24);
    expect(await tab.evaluate(usualTables)).toBe(false);
  });
});
