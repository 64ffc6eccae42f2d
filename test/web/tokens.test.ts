/** API tokens in the settings, in a real browser: made, copied, used by a program, and revoked. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, shownText } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;

describeTour("an API token", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 1, perDay: 10 });
    tab = page.tab;
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("is made in the settings, shown once, opens its website, and is revoked", async () => {
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${page.demo.url}website/${demoHost}/pages`, { headers })).status;
    };
    const expectAccessible = async () => {
      expect(await axeFindings(tab)).toEqual([]);
      expect(await overflowPixels(tab)).toBe(0);
    };
    await tab.go(`${page.demo.url}dashboard/settings`);
    await tab.named("heading", "API tokens");
    await tab.fill("textbox", "Name", "Wall");
    await tab.evaluate(`document.querySelector("[name=hostname]").value = "${demoHost}"`);
    await tab.choose("button", "Make token");
    await tab.named("group", "The token Wall");
    await tab.named("button", "Copy token");
    await tab.named("button", "Revoke the token Wall");
    await tab.still();
    const token = await tab.evaluate<string>("document.querySelector('.made-link code').textContent");
    expect(token).toMatch(/^footfall_[\w-]{43}$/);
    await expectAccessible();
    await tab.resize(390, 800);
    await expectAccessible();
    // The cells of an entry stand below each other: beside each other they had room for three letters.
    const cells = `[...document.querySelectorAll("tr:has([aria-label='Revoke the token Wall']) > :not(.row-tools)")]`;
    const widths = await tab.evaluate<number[]>(`${cells}.map(({ offsetWidth }) => offsetWidth)`);
    expect(Math.min(...widths)).toBeGreaterThan(150);
    await tab.resize(1_200, 900);
    expect(await ask(token)).toBe(200);
    const usedMs = page.demo.engine.registry.tokens.of(1)[0]?.usedMs ?? 0;
    // It is another day there.
    const timezoneId = new Date(usedMs).getUTCHours() < 11 ? "Pacific/Pago_Pago" : "Pacific/Kiritimati";
    await tab.call("Emulation.setTimezoneOverride", { timezoneId });
    await tab.reload();
    await tab.named("button", "Revoke the token Wall");
    await tab.still();
    const text = await shownText(tab);
    expect(text).not.toContain(token);
    const used = new Date(usedMs).toLocaleDateString("en-US", { dateStyle: "medium", timeZone: "UTC" });
    expect(text).toMatch(new RegExp(`Wall\\s+Read: see the statistics\\s+${demoHost}\\s+${used}, UTC`));
    await tab.choose("button", "Revoke the token Wall");
    await tab.named("dialog", "Revoke the token Wall?");
    expect(await ask(token)).toBe(200);
    await tab.choose("button", "Revoke");
    await tab.until("!document.querySelector('[aria-label=\"Revoke the token Wall\"]')");
    expect(await ask(token)).toBe(401);
    // A token that was made and revoked without leaving the page is not offered any more.
    await tab.fill("textbox", "Name", "Wall");
    await tab.choose("button", "Make token");
    await tab.named("group", "The token Wall");
    await tab.choose("button", "Revoke the token Wall");
    await tab.choose("button", "Revoke");
    await tab.until("document.querySelector('.made-link') === null");
  });
});
