/** How the dashboard looks and reads with weeks of visits: accessible in both themes, whole on a phone, clear when it fails. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Tab } from "../support/chromium.ts";
import { axeFindingsInThemes, overflowPixels, shownText, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeWith } from "../support/needs.ts";
import { someOf } from "../support/rounds.ts";
import { until } from "../support/until.ts";

let page: DemoPage;
let tab: Tab;

const address = (path: string) => `${page.demo.url.slice(0, -1)}${path}`;
const website = `/dashboard/websites/${demoHost}`;
/** Each with what is there once it is complete. */
const views = [
  ["/", "shop.example.com"],
  [website, "Germany"],
  [
    `${website}?compare=year&tab.sources=campaigns&tab.pages=time&tab.places=countries&browser[eq]=Chrome`,
    "november",
  ],
  [
    `${website}?tab.pages=entries&metric=bounce_percentage&entry[eq]=/pricing&path[neq]=/&compare=none`,
    "Entry page is",
  ],
  [`${website}?prop_name[eq]=plan&tab.places=languages&tab.systems=devices&period=12mo`, "team"],
  ["/dashboard/websites/new.example.org", "new.example.org"],
  ["/dashboard/websites/none.example", "There is no website"],
  [`${website}/install`, "script"],
  ["/dashboard/settings", "Linux"],
  ["/dashboard/nowhere", "no such page"],
] as const;

/** The widths of a phone, a tablet and a large screen, in pixels. */
const widths = [320, 768, 2_560] as const;
const height = 900;

async function open(path: string, sign: string): Promise<void> {
  await tab.go(address(path));
  await tab.until(
    `document.body.innerText.includes(${JSON.stringify(sign)}) || !!document.querySelector(${JSON.stringify(`[aria-label*="${sign}"]`)})`,
  );
  await tab.still();
}

/** Lets axe look at what is shown, in both themes. */
async function findNothing(where = ""): Promise<void> {
  expect([where, await axeFindingsInThemes(tab)]).toEqual([where, []]);
}

describeWith("chromium", "the dashboard", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 30 });
    tab = page.tab;
    await tab.go(address("/"));
  });
  afterAll(() => page?.close());

  test("gives axe nothing to find before the login", async () => {
    await tab.named("button", "Log in");
    await findNothing();
  });

  test("logs in", async () => {
    await page.enterAccount();
    await tab.named("link", new RegExp(demoHost));
    // Its visitors have a change since the 24 hours of a week ago, as every figure has.
    await tab.until("/^[-−+±]/.test(document.querySelector('.websites .change')?.innerText)");
  });

  test.each(someOf(views))(
    "fits every window, and gives axe nothing to find in either theme, at %s",
    async (path, sign) => {
      await tab.resize(widths[0], height);
      await open(path, sign);
      for (const width of widths) {
        await tab.resize(width, height);
        await tab.still();
        expect([width, await overflowPixels(tab)]).toEqual([width, 0]);
      }
      await tab.resize(1_200, height);
      await findNothing();
    },
  );

  test("gives axe nothing to find in its dialogs", async () => {
    await open(website, "Germany");
    for (const name of someOf(["All pages", "Add filter", "Keyboard shortcuts"])) {
      await tab.choose("button", name);
      await tab.until("document.querySelector('dialog[open]')");
      await findNothing(name);
      await tab.press("Escape");
      await tab.until("!document.querySelector('dialog[open]')");
    }
  });

  test("has nothing in the button of a popover that is clicked in its place", async () => {
    await open(website, "Germany");
    // WebKit goes on with Tab from what was clicked, and only from the button itself into the popover.
    const clicked = await tab.evaluate<boolean[]>(
      `[...document.querySelectorAll("[popovertarget] > *")].filter((each) => each.checkVisibility()).map((each) => {
        each.scrollIntoView({ block: "center" });
        const { x, y, width, height } = each.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2) === each.parentElement;
      })`,
    );
    expect(clicked.length).toBeGreaterThan(2);
    expect(clicked).not.toContain(false);
  });

  test("has flags and marks that the server itself sends, in places that do not move", async () => {
    await open(website, "Germany");
    await tab.until("document.querySelector('.map + .list .mark img')?.naturalWidth > 0");
    await tab.until("document.querySelector('.mark path[d^=M]') !== null");
    // A name without a mark keeps the place of one, as every name does until the marks are there.
    const [full, empty] = await tab.evaluate<number[]>(`(() => {
      const mark = document.querySelector(".mark");
      const without = mark.cloneNode(false);
      mark.after(without);
      const widths = [mark, without].map((each) => each.getBoundingClientRect().width);
      without.remove();
      return widths;
    })()`);
    expect(full).toBeGreaterThan(10);
    expect(empty).toBe(full as number);
    const asked = await tab.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    expect(asked.filter((url) => url.endsWith("/dashboard/marks.json"))).toHaveLength(1);
    expect(asked.filter((url) => !url.startsWith(page.demo.url))).toEqual([]);
  });

  test("saves what it shows as a file", async () => {
    const downloads = join(page.folder, "downloads");
    mkdirSync(downloads);
    const allowed = { behavior: "allow", downloadPath: downloads, browserContextId: page.person };
    await page.browser.call("Browser.setDownloadBehavior", allowed);
    await open(website, "Germany");
    await tab.choose("button", "Browsers as CSV");
    // The name is there before the bytes.
    const saved = () =>
      readdirSync(downloads).filter(
        (name) => name.endsWith(".csv") && statSync(join(downloads, name)).size > 0,
      );
    await until(() => saved().length > 0, "the file is saved");
    const [name = ""] = saved();
    expect(name).toStartWith(`${demoHost}-browsers-`);
    const [head, first] = readFileSync(join(downloads, name), "utf8").split("\r\n");
    const figures = "visitors,visitors_percentage,visits,views_per_visit,bounce_percentage,time_per_visit";
    const before = figures.split(",").map((name) => `previous_${name}`);
    expect(head).toBe(`browser,${figures},${before.join(",")}`);
    // Which browser has the most visitors follows the time of day.
    expect(first).toMatch(/^(Chrome|Safari|Firefox|Edge),\d+,/);
  });

  test("says so when the server cannot be reached, and goes on when it can", async () => {
    await open(website, "Germany");
    const network = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await tab.call("Network.enable");
    await tab.call("Network.emulateNetworkConditions", { offline: true, ...network });
    await tab.choose("link", "Devices");
    await tab.until("document.body.innerText.includes('cannot be reached')");
    await tab.call("Network.emulateNetworkConditions", { offline: false, ...network });
    await tab.named("link", "Desktop");
    await tab.still();
    expect(await shownText(tab)).not.toContain("cannot be reached");
  });

  test("never met an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
