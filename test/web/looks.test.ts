/** How the dashboard looks and reads with weeks of visits: accessible in both themes, whole on a phone, clear when it fails. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chromium, chromiumPath, type Tab } from "../support/chromium.ts";
import { axeFindings, openTab, overflowPixels, shownText, troubles } from "../support/dashboard.ts";
import { demoAccount, demoHost, startDemo, type Demo } from "../support/demo.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { testTimeoutMs } from "../support/timeout.ts";

setDefaultTimeout(testTimeoutMs);

let folder: string;
let demo: Demo;
let browser: Chromium;
let tab: Tab;

const address = (path: string) => `${demo.url.slice(0, -1)}${path}`;
const website = `/dashboard/websites/${demoHost}`;
/** Each with what is there once it is complete. */
const views = [
  ["/", "shop.example.com"],
  [website, "Germany"],
  [
    `${website}?previous=true&tab.sources=campaigns&tab.pages=time&tab.places=countries&browser[eq]=Chrome`,
    "november",
  ],
  [`${website}?prop_name[eq]=plan&tab.places=languages&tab.systems=devices&period=12mo`, "team"],
  ["/dashboard/websites/new.example.org", "new.example.org"],
  ["/dashboard/websites/none.example", "There is no website"],
  [`${website}/install`, "script"],
  ["/dashboard/settings", "Linux"],
  ["/dashboard/nowhere", "no such page"],
] as const;

async function open(path: string, sign: string): Promise<void> {
  await tab.go(address(path));
  await tab.until(
    `document.body.innerText.includes(${JSON.stringify(sign)}) || !!document.querySelector(${JSON.stringify(`[aria-label*="${sign}"]`)})`,
  );
  await tab.still();
}

describe.skipIf(!isThere("chromium"))(nameWith("chromium", "the dashboard"), () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "footfall-test-"));
    [demo, browser] = await Promise.all([
      startDemo({ days: 40, perDay: 60 }),
      Chromium.start(chromiumPath ?? "", join(folder, "profile")),
    ]);
    tab = await openTab(browser);
    await tab.go(address("/"));
  });
  afterAll(async () => {
    await browser?.stop();
    await demo?.end();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test.each(["light", "dark"] as const)("gives axe nothing to find before the login, %s", async (theme) => {
    await tab.prefer(theme);
    await tab.named("button", "Log in");
    expect(await axeFindings(tab)).toEqual([]);
  });

  test("logs in", async () => {
    await tab.fill("textbox", "Username", demoAccount.username);
    await tab.fill("textbox", "Password", demoAccount.password);
    await tab.choose("button", "Log in");
    await tab.named("link", new RegExp(demoHost));
  });

  describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
    test.each(views)("gives axe nothing to find at %s", async (path, sign) => {
      await tab.prefer(theme);
      await open(path, sign);
      expect(await axeFindings(tab)).toEqual([]);
    });

    test("gives axe nothing to find in its dialogs", async () => {
      await open(website, "Germany");
      for (const name of ["All pages", "Add filter", "Keyboard shortcuts"]) {
        await tab.choose("button", name);
        await tab.until("document.querySelector('dialog[open]')");
        expect([name, await axeFindings(tab)]).toEqual([name, []]);
        await tab.press("Escape");
        await tab.until("!document.querySelector('dialog[open]')");
      }
    });
  });

  test.each([320, 768, 2_560])("fits a window of %d pixels", async (width) => {
    await tab.resize(width, 800);
    for (const [path, sign] of views) {
      await open(path, sign);
      expect([path, await overflowPixels(tab)]).toEqual([path, 0]);
    }
    await tab.resize(1_200, 900);
  });

  test("saves what it shows as a file", async () => {
    const downloads = join(folder, "downloads");
    mkdirSync(downloads);
    const allowed = { behavior: "allow", downloadPath: downloads };
    await browser.call("Browser.setDownloadBehavior", allowed);
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
    expect(head).toBe("browser,visitors,visitors_percentage,bounce_percentage,duration");
    expect(first).toStartWith("Chrome,");
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
