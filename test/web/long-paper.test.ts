/** Tables, the list of websites and whole lists that are longer than a window or a sheet, on paper. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import type { Tab } from "../support/chromium.ts";
import { send } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

/** Inches of a sheet of A4, and its pixels between the margins of 12 mm. */
const sheet = { paperWidth: 8.27, paperHeight: 11.69 } as const;
const sheetPixels = 703;
const websites = 40;

/** Returns how many pieces of text a PDF has. */
function piecesIn(pdf: Buffer): number {
  const streams = pdf
    .toString("latin1")
    .matchAll(/\/Length \d+[^>]*>>\s*stream\r?\n([\s\S]*?)\r?\nendstream/g);
  return [...streams]
    .map(([, stream = ""]) => {
      try {
        return inflateSync(Buffer.from(stream, "latin1")).toString("latin1");
      } catch {
        // A font or a picture, which is no text.
        return "";
      }
    })
    .reduce((sum, text) => sum + [...text.matchAll(/\bT[jJ]\b/g)].length, 0);
}

describeTour("what is long, on paper", () => {
  let page: DemoPage;
  let tab: Tab;
  const open = async (path: string) => {
    await tab.go(page.demo.url + path);
    await tab.still();
  };
  /** Shows the page as on a sheet whose window is so high. */
  const onPaper = async (height = 1_000) => {
    await tab.call("Emulation.setEmulatedMedia", { media: "print" });
    await tab.resize(sheetPixels, height);
    await tab.still();
  };
  const printed = async (pages = "", size: object = sheet) => {
    const asked = { ...size, pageRanges: pages };
    return Buffer.from((await tab.call<{ data: string }>("Page.printToPDF", asked)).data, "base64");
  };
  /** The texts of what is shown of these. */
  const shown = (selector: string) =>
    tab.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => one.checkVisibility()).map((one) => one.innerText)`,
    );
  /** How many pixels of an element are only reached by scrolling it. */
  const hidden = (selector: string) =>
    tab.evaluate<number>(
      `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector(${JSON.stringify(selector)}))`,
    );

  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 30 });
    tab = page.tab;
    await page.logIn();
    for (let at = 1; at <= websites; at++)
      await send(tab, "POST", "/websites", { hostname: `${at}.example.net` });
  });
  beforeEach(async () => {
    await tab.call("Emulation.setEmulatedMedia", { media: "" });
    await tab.resize(1_280, 900);
  });
  afterAll(() => page?.close());

  test("has every row of the chart's table", async () => {
    await open(`dashboard/websites/${demoHost}`);
    await tab.choose("button", "Show as table");
    await tab.still();
    expect(await hidden(".chart-table")).toBeGreaterThan(100);
    await onPaper();
    expect(await hidden(".chart-table")).toBe(0);
  });

  test("begins on the first sheet, and goes on where that ends", async () => {
    await open("dashboard");
    expect(piecesIn(await printed("1"))).toBeGreaterThan(20);
  });

  test("has the websites with the period of their figures, and nothing to press", async () => {
    await open("dashboard");
    await onPaper();
    expect(await shown(".chart-intervals a")).toEqual(["Last 24 hours"]);
    expect(await shown("main :is(button, input, .button)")).toEqual([]);
    expect(await shown(".websites tbody tr")).toHaveLength(websites + 3);
  });

  test("has the countries beneath the map", async () => {
    await open(`dashboard/websites/${demoHost}`);
    await tab.named("link", "Germany");
    await onPaper();
    expect(await shown(".map + .list .name")).toContain("Germany");
  });

  test("has a whole list alone, with all of its rows, on as many sheets as it takes", async () => {
    await open(`dashboard/websites/${demoHost}`);
    await tab.choose("button", "All pages");
    await tab.named("button", "Sort by Visitors");
    await onPaper(400);
    expect(await hidden(".list-scroll")).toBe(0);
    expect(await shown(".dialog tbody tr")).toHaveLength(14);
    expect(
      await shown(":is(.bar, .website-head, .figures, .panel-rows, .dialog :is(button:not(.term), input))"),
    ).toEqual([]);
    const sheets = (pdf: Buffer) => pdf.toString("latin1").match(/\/Type \/Page\b(?!s)/g)?.length;
    expect(sheets(await printed())).toBe(1);
    expect(sheets(await printed("", { ...sheet, paperHeight: 4 }))).toBeGreaterThan(1);
  });
});
