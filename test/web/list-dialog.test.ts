/** A list in full: its head stays in view, it sorts, and it loads more as one scrolls. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AnyRow } from "../../src/core/questions/answer.ts";
import { sortAfter, sortedRows } from "../../src/web/lib/texts/sorted.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindingsInThemes, overflowPixels, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

describe("rows", () => {
  const rows: readonly AnyRow[] = [
    { path: "/b10", visitors: 3 },
    { path: "(other)", visitors: 9, other: true },
    { path: "/b9", visitors: 5 },
    { path: "/a" },
  ];
  const paths = (sort: Parameters<typeof sortedRows>[1]) => sortedRows(rows, sort).map(({ path }) => path);

  test("stay in the server's order until one sorts them", () => {
    expect(sortedRows(rows, undefined)).toBe(rows);
  });

  test("are sorted by figures and names, with those without a value and the others last", () => {
    expect(paths({ field: "visitors", descending: true })).toEqual(["/b9", "/b10", "/a", "(other)"]);
    expect(paths({ field: "visitors", descending: false })).toEqual(["/b10", "/b9", "/a", "(other)"]);
    expect(paths({ field: "path", descending: false })).toEqual(["/a", "/b9", "/b10", "(other)"]);
  });

  test("are sorted by how much figures changed, where one that was not there has grown by all of it", () => {
    const compared: readonly AnyRow[] = [
      { path: "/same", visitors: 50, previous: { visitors: 50 } },
      { path: "/new", visitors: 7 },
      { path: "/less", visitors: 90, previous: { visitors: 100 } },
      { path: "/more", visitors: 30, previous: { visitors: 10 } },
      { path: "(other)", visitors: 900, previous: { visitors: 1 }, other: true },
    ];
    const order = (descending: boolean) =>
      sortedRows(compared, { field: "visitors", descending, byChange: true }).map(({ path }) => path);
    expect(order(true)).toEqual(["/more", "/new", "/same", "/less", "(other)"]);
    expect(order(false)).toEqual(["/less", "/same", "/new", "/more", "(other)"]);
    const sort = { field: "visitors", descending: true, byChange: true } as const;
    expect(sortAfter(sort, "visits", false)).toEqual({ ...sort, field: "visits" });
  });

  test("begin with the largest figure and the first name, and turn round with the second click", () => {
    const first = sortAfter(undefined, "visitors", false);
    expect(first).toEqual({ field: "visitors", descending: true });
    expect(sortAfter(first, "visitors", false)).toEqual({ field: "visitors", descending: false });
    expect(sortAfter(first, "path", true)).toEqual({ field: "path", descending: false });
  });
});

describeTour("the dialog of a list", () => {
  let page: DemoPage;
  let tab: Tab;

  const rowCount = () => tab.evaluate<number>("document.querySelectorAll('dialog tbody tr').length");
  const firstName = () => tab.evaluate<string>("document.querySelector('dialog tbody .name').innerText");
  /** Each row's name, and what its first column says. */
  const rows = () =>
    tab.evaluate<[name: string, visitors: string][]>(
      `[...document.querySelectorAll("dialog tbody tr")].map((row) =>
        [row.querySelector(".name").innerText, row.querySelector("td").innerText.replace(/\\s+/g, " ")])`,
    );
  /** Compares yesterday and today with the days from so many days ago to two days ago. */
  const compared = (daysAgo: number) => {
    const day = (ago: number) => Temporal.Now.plainDateISO().subtract({ days: ago }).toString();
    return `period=custom&from=${day(1)}&to=${day(0)}&compare=custom&compare_from=${day(daysAgo)}&compare_to=${day(2)}`;
  };
  const boxOf = (selector: string) =>
    tab.evaluate<{ x: number; y: number }>(
      `document.querySelector(${JSON.stringify(`dialog ${selector}`)}).getBoundingClientRect().toJSON()`,
    );

  beforeAll(async () => {
    // Enough that the pages of the other day are among the first rows at any hour. The first hit comes four days ago,
    // or three where today is nearly over: always before the day that is compared.
    page = await DemoPage.open({ days: 4, perDay: 200 });
    tab = page.tab;
    const title = "a-title-with-many-words-about-figures-".repeat(3);
    for (let at = 0; at < 150; at++) {
      const hit = { b: `b${at}`, e: "load", u: `https://${demoHost}/${title}${at}`, p: at === 0, q: false };
      await sendHit(page.demo, hit);
    }
    await page.logIn();
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.choose("button", "All pages");
    await tab.named("button", "Sort by Visitors");
    await tab.still();
  });
  afterAll(() => page?.close());

  test("loads more rows at its end, under a head that stays", async () => {
    expect(await rowCount()).toBe(100);
    const before = await boxOf("thead th");
    await tab.evaluate("document.querySelector('dialog .list-scroll').scrollTop = 1e6");
    await tab.until("document.querySelectorAll('dialog tbody tr').length > 150");
    expect((await boxOf("thead th")).y).toBe(before.y);
  });

  test("tells the order that it comes in, which the first click on its column reverses", async () => {
    /** The direction, the column, and what stands in it from the first row on. */
    const order = () =>
      tab.evaluate<[string, string, number[]]>(`(() => {
        const head = document.querySelector("dialog [aria-sort]");
        const cells = [...document.querySelectorAll("dialog tbody tr")].map(({ cells }) => cells[head.cellIndex]);
        return [head.ariaSort, head.ariaLabel, cells.map(({ textContent }) => parseFloat(textContent))];
      })()`);
    for (const [tabOfPages, column] of [
      ["time", "% of time"],
      ["exits", "Visits"],
      ["pages", "Visitors"],
    ] as const) {
      await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?tab.pages=${tabOfPages}`);
      await tab.still();
      await tab.evaluate("document.querySelector('.panel .panel-tools button:last-child').click()");
      await tab.until("document.querySelector('dialog [aria-sort]')");
      await tab.still();
      const [direction, label, figures] = await order();
      expect([direction, label]).toEqual(["descending", column]);
      expect(figures).toEqual(figures.toSorted((a, b) => b - a));
    }
    await tab.choose("button", "Sort by Visitors");
    await tab.until("document.querySelector('dialog .number[aria-sort=ascending]')");
    await tab.still();
    const [, , figures] = await order();
    expect(figures).toEqual(figures.toSorted((a, b) => a - b));
  });

  test("sorts by any column", async () => {
    await tab.evaluate("document.querySelector('dialog .list-scroll').scrollTop = 0");
    await tab.choose("button", "Sort by name");
    await tab.until("document.querySelector('dialog [aria-sort=ascending]')");
    await tab.still();
    expect(await firstName()).toBe("/");
    await tab.choose("button", "Sort by name");
    await tab.until("document.querySelector('dialog [aria-sort=descending]')");
    await tab.still();
    expect(await firstName()).not.toBe("/");
    await tab.choose("button", "Sort by Page views");
    await tab.until("document.querySelector('dialog .number[aria-sort=descending]')");
    await tab.still();
    const asked = `/website/${demoHost}/pages?metrics=pageviews`;
    const rows = await tab.evaluate<{ path: string; pageviews: number }[]>(
      `fetch("${asked}").then((answer) => answer.json())`,
    );
    const most = Math.max(...rows.map(({ pageviews }) => pageviews));
    const first = rows.filter(({ pageviews }) => pageviews === most).map(({ path }) => path);
    expect(first).toContain(await firstName());
  });

  test("keeps the names in view in a window of 320 pixels, and gives axe nothing to find", async () => {
    await tab.resize(320, 700);
    await tab.still();
    const before = await boxOf("tbody th");
    await tab.evaluate("document.querySelector('dialog .list-scroll').scrollLeft = 150");
    await tab.still();
    expect((await boxOf("tbody th")).x).toBe(before.x);
    expect(await overflowPixels(tab)).toBe(0);
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    expect(await troubles(tab)).toEqual([]);
  });

  test("scrolls as a whole in a window of 320 × 256 pixels, so that the rows can fill it", async () => {
    await tab.resize(320, 256);
    await tab.still();
    await tab.evaluate("document.querySelector('dialog').scrollTop = 220");
    const seen = `(({ top, bottom }) => Math.min(bottom, innerHeight) - Math.max(top, 0))(
      document.querySelector("dialog .list-scroll").getBoundingClientRect())`;
    expect(await tab.evaluate<number>(seen)).toBeGreaterThan(200);
    expect(await overflowPixels(tab)).toBe(0);
    expect(await axeFindingsInThemes(tab)).toEqual([]);
  });

  test("says what was not there in the other period, and sorts by change", async () => {
    await tab.resize(1_200, 900);
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?${compared(2)}`);
    await tab.choose("button", "All pages");
    await tab.fill("searchbox", "Search all pages", "e");
    await tab.named("checkbox", "Sort by change");
    await tab.still();
    const changes = (await rows()).map(([name, text]) => [name.startsWith("/a-title"), / new$/.test(text)]);
    expect(changes).toContainEqual([true, true]);
    expect(changes).toContainEqual([false, false]);
    expect(changes).not.toContainEqual([true, false]);
    await tab.choose("checkbox", "Sort by change");
    await tab.choose("button", "Sort by Page views");
    await tab.until("document.querySelector('dialog .number[aria-sort=descending]')");
    await tab.still();
    const asked = await tab.evaluate<{ pageviews: number; previous?: { pageviews: number } }[]>(
      `fetch(performance.getEntriesByType("resource").map(({ name }) => name).findLast((name) => name.includes("/pages?")))
        .then((answer) => answer.json())`,
    );
    const grown = asked.map(({ pageviews, previous }) => pageviews - (previous?.pageviews ?? 0));
    const figures = await tab.evaluate<number[]>(
      `[...document.querySelectorAll("dialog tbody tr")].map((row) => Number(row.querySelectorAll("td")[2].firstChild.textContent.replace(/\\D/g, "")))`,
    );
    const most = asked.filter((_, at) => grown[at] === Math.max(...grown)).map(({ pageviews }) => pageviews);
    expect(most).toContain(figures[0] as number);
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    // All that is shown first is new, and what comes after it is not.
    await tab.fill("searchbox", "Search all pages", "o");
    await tab.choose("button", "Sort by name");
    await tab.until("document.querySelector('dialog tbody .name')?.innerText.startsWith('/a-title')");
    await tab.still();
    expect((await rows()).slice(0, 100).filter(([, text]) => !text.endsWith(" new"))).toEqual([]);
    expect(await tab.names("checkbox")).toContain("Sort by change");
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?compare=none`);
    await tab.choose("button", "All pages");
    await tab.still();
    expect(await tab.names("checkbox")).not.toContain("Sort by change");
    expect((await rows()).filter(([, text]) => text.includes("new"))).toEqual([]);
  });

  test("says nothing of changes where figures begin within the other period", async () => {
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?${compared(4)}`);
    await tab.until("document.body.innerText.includes('No changes are shown')");
    await tab.choose("button", "All pages");
    await tab.named("button", "Sort by Visitors");
    await tab.still();
    expect(await tab.names("checkbox")).not.toContain("Sort by change");
    expect((await rows()).filter(([, text]) => text.includes("new"))).toEqual([]);
  });

  test("wraps a name beside its flag, and not below it", async () => {
    await tab.resize(390, 700);
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?tab.places=countries`);
    await tab.choose("button", "All countries");
    await tab.named("link", "United States");
    await tab.still();
    const wraps = await tab.evaluate<{ readonly lines: number; readonly below: boolean }[]>(
      `[...document.querySelectorAll("dialog tbody .name")].map((name) => {
        const text = document.createRange();
        text.selectNodeContents(name.lastChild);
        const lines = [...text.getClientRects()];
        const flag = name.querySelector(".mark").getBoundingClientRect();
        return { lines: lines.length, below: lines.some(({ left }) => left < flag.right) };
      })`,
    );
    expect(wraps.filter(({ below }) => below)).toEqual([]);
    expect(Math.max(...wraps.map(({ lines }) => lines))).toBeGreaterThan(1);
  });
});
