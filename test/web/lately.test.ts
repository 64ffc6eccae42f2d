/** The view of what happens now, in a real browser: a hit that is sent arrives there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindingsInThemes, overflowPixels, shownText, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;

const send = (hit: object) => sendHit(page.demo, { b: "one-of-them", ...hit });

/** Waits until an entry of a feed has all of the text. */
const entry = (text: RegExp) =>
  tab.until(
    `[...document.querySelectorAll('.feed li')].some((entry) => ${String(text)}.test(entry.innerText.replaceAll("\\n", " ")))`,
  );

describeTour("the view of what happens now", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 1, perDay: 20 });
    ({ tab } = page);
    await page.logIn();
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
  });
  afterAll(() => page?.close());

  test("is one click from the live figure, and one key", async () => {
    await tab.choose("link", /^\d+ visits? now$/);
    await tab.named("heading", /^Page views of the last 30 minutes$/);
    await tab.choose("link", "Statistics");
    await tab.named("link", /^\d+ visits? now$/);
    await tab.press("l");
    await tab.named("heading", "Latest page views");
    expect(await shownText(tab)).toMatch(/29 minutes ago\s+at most \d a minute\s+This minute/);
  });

  test("shows a page view, and an event of a known visitor, as they come", async () => {
    await send({
      u: `https://${demoHost}/blog/spring?utm_source=letter`,
      r: "https://www.google.com/",
      t: "Europe/Paris",
      p: true,
      q: false,
    });
    await entry(/\/blog\/spring letter France Desktop/);
    await send({ e: "custom", g: demoHost, d: { plan: "<b>team</b>" } });
    await entry(/plan <b>team<\/b>/);
    // An order is one entry, as it was written, with its numbers as everywhere.
    const d = { order: true, total: 1000.5, product: "Mug", share: 0.125 };
    await send({ e: "custom", g: demoHost, d });
    await entry(/^\S+( [AP]M)? order total 1,000\.50 product Mug share 0\.125$/);
    expect(await tab.evaluate("document.querySelector('.lately-rows').innerText")).toContain("/blog/spring");
  });

  test("fits every window, and gives axe nothing to find in either theme", async () => {
    for (const width of [320, 390, 768, 1_280, 2_560]) {
      await tab.resize(width, 900);
      await tab.still();
      expect([width, await overflowPixels(tab)]).toEqual([width, 0]);
      if (width === 320 || width === 1_280)
        expect([width, await axeFindingsInThemes(tab)]).toEqual([width, []]);
    }
  });

  test("gives a name four lines, however long strangers make it, and draws none over another", async () => {
    await tab.resize(320, 900);
    const marks = `Z${"\u0301".repeat(200)}`;
    const u = `https://${demoHost}/${"x".repeat(2_000)}?utm_source=${marks}`;
    await send({ b: "long", u, p: true, q: false });
    await entry(/x{2000}/);
    const properties = Array.from({ length: 29 }, (_, at) => [`${at}${"n".repeat(98)}`, "v".repeat(2_000)]);
    await send({ b: "long", d: { plan: true, ...Object.fromEntries(properties) } });
    await entry(/v{2000}/);
    const names = `[...document.querySelectorAll(".lately .name, .feed bdi")]`;
    const heights = await tab.evaluate<number[]>(
      `${names}.map((name) => name.getBoundingClientRect().height)`,
    );
    expect(Math.max(...heights)).toBeLessThan(100);
    const rows = `[...document.querySelectorAll(".feed li")].map((row) => row.offsetHeight)`;
    expect(Math.max(...(await tab.evaluate<number[]>(rows)))).toBeLessThan(400);
    const overflows = await tab.evaluate<string[]>(
      `${names}.map((name) => getComputedStyle(name).overflowY)`,
    );
    expect(new Set(overflows)).toEqual(new Set(["hidden"]));
  });

  test("has the same space between its cards where some are lower than others", async () => {
    await tab.resize(780, 900);
    await tab.go(`${page.demo.url}dashboard/websites/new.example.org/live`);
    await tab.named("heading", "Latest events");
    const spaces = await tab.evaluate<number[]>(`(() => {
      const [minutes, pages, sources, views, events] =
        [...document.querySelectorAll(".lately .card")].map((card) => card.getBoundingClientRect());
      return [[minutes, pages], [pages, sources], [minutes, views], [views, events]]
        .map(([above, below]) => Math.round(below.top - above.bottom));
    })()`);
    expect(new Set(spaces).size).toBe(1);
  });

  test("leads from a page to its statistics", async () => {
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}/live`);
    await tab.choose("link", "/blog/spring");
    await tab.named("button", /^Page is \/blog\/spring/);
    expect(await tab.evaluate("document.querySelector('.tile-figure').textContent")).toBe("1");
  });

  test("met no error of its own", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
