/** Sessions in the dashboard as they end and begin: what one account leaves to the next, and what fails. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { testTimeoutMs } from "../support/timeout.ts";

setDefaultTimeout(testTimeoutMs);

describeTour("a session", () => {
  let page: DemoPage;
  let tab: Tab;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 5 });
    tab = page.tab;
    await page.logIn();
    await tab.call("Network.enable");
  });
  afterAll(() => page?.close());

  const block = (urls: readonly string[]) => tab.call("Network.setBlockedURLs", { urls });

  test("goes on where the server does not hear that it should end", async () => {
    await block(["*/auth/logout"]);
    await tab.choose("button", "Log out");
    await tab.until("/cannot be reached/.test(document.querySelector('.announcer')?.textContent)");
    await tab.named("link", new RegExp(demoHost));
    expect(await tab.names("button")).toContain("Log out");
    await block([]);
  });

  test("meets no error", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
