/** The dashboard of a server below a base, in a real browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { shownText, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

describeTour("below a base", () => {
  let page: DemoPage;
  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 20, base: "/stats" });
  });
  afterAll(() => page.close());

  test("links, addresses, questions and the snippet are below it", async () => {
    const { tab, demo } = page;
    const at = (path: string) => tab.evaluate<boolean>(`location.pathname === "/stats${path}"`);
    await page.logIn(`${demo.url}stats`);
    await tab.choose("link", demoHost);
    await tab.named("heading", "Pages");
    await tab.still();
    expect(await at(`/dashboard/websites/${demoHost}`)).toBe(true);
    await tab.reload();
    await tab.named("heading", "Pages");
    await tab.still();
    expect(await troubles(tab)).toEqual([]);
    await tab.go(`${demo.url}stats/dashboard/websites/${demoHost}/install`);
    await tab.still();
    expect(await shownText(tab)).toContain(`src="${demo.url}stats/script.js?h=${demoHost}"`);
    await tab.choose("link", "Footfall");
    await tab.named("heading", "Websites");
    expect(await at("/")).toBe(true);
    const elsewhere = `performance.getEntriesByType("resource").filter(({ name }) => !name.startsWith("${demo.url}stats/"))`;
    expect(await tab.evaluate<number>(`${elsewhere}.length`)).toBe(0);
    expect(await troubles(tab)).toEqual([]);
  });
});
