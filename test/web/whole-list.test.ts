/** A list of more rows than the API answers with at once, saved as a file in a real browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { batchHitsMax } from "../../src/core/hit.ts";
import type { Tab } from "../support/chromium.ts";
import { send, troubles } from "../support/dashboard.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { until } from "../support/until.ts";

const hostname = "many.example";

describeTour("a list of many pages", () => {
  let page: DemoPage;
  let tab: Tab;
  let downloads: string;
  let token: string;

  /** Sends a page view of each of these pages. */
  async function view(from: number, to: number): Promise<void> {
    for (let first = from; first < to; first += batchHitsMax) {
      const hits = Array.from({ length: Math.min(batchHitsMax, to - first) }, (_, at) => ({
        b: `b${first + at}`,
        u: `https://${hostname}/page/${first + at},"${first + at}"`,
        n: true,
        p: false,
        address: "203.0.113.7",
      }));
      const init = {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ hits }),
      };
      const answer = await fetch(`${page.demo.url}event/batch`, init);
      if (!answer.ok) throw new Error(await answer.text());
      const said = (await answer.json()) as { hits: { accepted: boolean }[] };
      expect(said.hits.filter(({ accepted }) => !accepted)).toEqual([]);
    }
  }

  /** Presses a button, and returns the name of the file that it saves, and its lines. */
  async function saved(
    button: string | RegExp,
  ): Promise<{ readonly name: string; readonly lines: string[] }> {
    for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
    await tab.choose("button", button);
    const found = () => readdirSync(downloads).filter((name) => name.endsWith(".csv"));
    // The name is there before the bytes.
    const text = () => readFileSync(join(downloads, found()[0] ?? ""), "utf8");
    await until(() => found().length === 1 && text().endsWith("\r\n"), "the file is saved");
    return { name: found()[0] ?? "", lines: text().split("\r\n").slice(0, -1) };
  }

  beforeAll(async () => {
    page = await DemoPage.open({ days: 1, perDay: 20 });
    ({ tab } = page);
    downloads = join(page.folder, "downloads");
    mkdirSync(downloads);
    const allowed = { behavior: "allow", downloadPath: downloads, browserContextId: page.person };
    await page.browser.call("Browser.setDownloadBehavior", allowed);
    await page.logIn();
    await send(tab, "POST", "/websites", { hostname });
    ({ token } = await send<{ token: string }>(tab, "POST", "/user/tokens", { name: "app", scope: "send" }));
    await view(0, 6_001);
    await tab.go(`${page.demo.url}dashboard/websites/${hostname}?period=today`);
  });
  afterAll(() => page?.close());

  test("is saved whole from its card, though it comes in parts", async () => {
    const { name, lines } = await saved("Pages as CSV");
    expect(name).toMatch(/^many\.example-pages-\d{4}-/);
    expect(lines[0]).toStartWith("path,visitors,");
    expect(lines.filter((line) => line.startsWith("path,"))).toHaveLength(1);
    expect(lines).toHaveLength(6_002);
    expect(new Set(lines).size).toBe(6_002);
  });

  test("says so where it may have more rows than the API tells apart, by its name as well", async () => {
    await view(6_001, 12_000);
    await tab.choose("button", "All pages");
    const { name, lines } = await saved("CSV");
    const said = "Rows 1–10,000 of the first 10,000: search to see others";
    // Above the dialog, and not beneath its backdrop.
    await tab.until(`document.querySelector("dialog .announcer").innerText === "${said}"`);
    expect(name).toMatch(/^many\.example-pages-1-10000-\d{4}-/);
    expect(lines).toHaveLength(10_001);
    expect(new Set(lines).size).toBe(10_001);
    await tab.fill("searchbox", "Search all pages", "/page/119");
    await tab.still();
    const few = await saved("CSV");
    expect([few.name.includes("-1-"), few.lines.length]).toEqual([false, 112]);
    // The shares would be those of what was found.
    const isShare = (column: string) => /(visitors|pageviews)_percentage$/.test(column);
    const shares = [lines, few.lines].map(([head = ""]) => head.split(",").filter(isShare).length);
    expect(shares).toEqual([2, 0]);
    expect(await troubles(tab)).toEqual([]);
  });
});
