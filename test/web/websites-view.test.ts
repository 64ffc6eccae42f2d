/** The list of websites in a real browser: its periods, what each website had, and all of them together. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { NamedSummary } from "../../src/core/questions/answer.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindingsInThemes, overflowPixels, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;

/** Counts in `mostAtOnce` how many questions for figures are under way at once. */
const watch = `
  mostAtOnce = atOnce = 0;
  {
    const original = fetch;
    fetch = async (...args) => {
      const counts = String(args[0]).includes("metrics=visitors");
      if (counts) mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      try { return await original(...args); } finally { if (counts) atOnce--; }
    };
  }
`;

async function open(query: string): Promise<void> {
  await tab.go(`${page.demo.url}${query}`);
  await tab.until("document.querySelector('.websites tfoot td.number')?.innerText.match(/\\d/)");
  await tab.still();
}

/** Returns the name, the visitors and the visits of each row without their changes; the last is that of all. */
const rows = () =>
  tab.evaluate<string[][]>(
    `[...document.querySelectorAll(".websites tbody tr, .websites tfoot tr")].map((row) => [
      row.querySelector("th a")?.ariaLabel ?? row.querySelector("th").innerText,
      ...[...row.querySelectorAll("td.number")].map((cell) => cell.firstChild.textContent)])`,
  );

/** Returns the visitors and visits of a period that the page of a website asks for. */
async function figuresOf(hostname: string, days: number): Promise<string[]> {
  const end = new Date();
  end.setUTCHours(24, 0, 0, 0);
  const start = new Date(end.getTime() - days * 86_400_000);
  const query = `by=visit&metrics=visitors,visits&start=${start.toISOString()}&end=${new Date(end.getTime() - 1).toISOString()}`;
  const { current } = await tab.evaluate<NamedSummary>(
    `fetch("/website/${hostname}/summary?${query}").then((answer) => answer.json())`,
  );
  return [current.visitors, current.visits].map(String);
}

describeTour("the list of websites", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 20 });
    tab = page.tab;
    await tab.call("Emulation.setTimezoneOverride", { timezoneId: "UTC" });
    await page.logIn();
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: watch });
  });
  afterAll(() => page?.close());

  test("has the last 24 hours first, as the list of the API has them", async () => {
    const listed = async () => {
      const websites = await tab.evaluate<{ hostname: string; summary: { visitors: number } }[]>(
        "fetch('/websites').then((answer) => answer.json())",
      );
      return websites.map(({ hostname, summary }) => [hostname, String(summary.visitors)]);
    };
    const before = await listed();
    await open("");
    expect(await tab.evaluate("document.querySelector('.websites-card [aria-current=true]').innerText")).toBe(
      "Last 24 hours",
    );
    const shown = (await rows()).map(([name = "", visitors = ""]) => [name, visitors]);
    // A visit may become older than that between two looks.
    expect([before, await listed()]).toContainEqual(shown.slice(0, -1));
    const sum = shown.slice(0, -1).reduce((all, [, visitors]) => all + Number(visitors), 0);
    expect(shown.at(-1)).toEqual(["All websites", String(sum)]);
  });

  test.each([
    ["Last 7 days", "7d", 7],
    ["Last 30 days", "30d", 30],
  ])("has the %s of every website, and of all together, in its address", async (label, period, days) => {
    await open("");
    await tab.choose("link", label);
    await tab.until(`location.search === "?period=${period}"`);
    await tab.reload();
    await open(await tab.evaluate<string>("location.search"));
    const shown = await rows();
    for (const [name = "", ...figures] of shown.slice(0, -1))
      expect([name, figures]).toEqual([name, await figuresOf(name, days)]);
    const sum = (at: number) => shown.slice(0, -1).reduce((all, row) => all + Number(row[at]), 0);
    expect(shown.at(-1)).toEqual(["All websites", String(sum(1)), String(sum(2))]);
    expect(Number(shown.at(-1)?.[2])).toBeGreaterThan(days);
    // A click shows the same figures.
    await tab.choose("link", demoHost);
    await tab.named("link", new RegExp(`^Visitors ${shown.find(([name]) => name === demoHost)?.[1]}( |$)`));
  });

  test("is sorted by visits, in the period that is chosen", async () => {
    await open("?period=7d");
    await tab.choose("link", "Visits");
    await tab.until("location.search === '?period=7d&sort=visits'");
    await tab.still();
    const visits = (await rows()).slice(0, -1).map(([, , own]) => Number(own));
    expect(visits).toEqual(visits.toSorted((a, b) => b - a));
    await tab.choose("link", "Last 30 days");
    await tab.until("location.search === '?period=30d&sort=visits'");
  });

  test("fits a phone, and gives axe nothing to find", async () => {
    await open("?period=30d");
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    await tab.resize(320, 700);
    await tab.still();
    expect(await overflowPixels(tab)).toBe(0);
    await tab.resize(1_200, 900);
  });

  test("asks for a few of many websites at once", async () => {
    const statuses = await tab.evaluate<number[]>(
      `Promise.all(Array.from({ length: 14 }, (_, at) => fetch("/websites", { method: "POST",
        headers: { "content-type": "application/json" }, body: JSON.stringify({ hostname: "site-" + at + ".example" }) })
        .then(({ status }) => status)))`,
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    await open("?period=30d");
    expect(await rows()).toHaveLength(18);
    expect(await tab.evaluate<number>("mostAtOnce")).toBe(4);
  });

  test("met no error", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
