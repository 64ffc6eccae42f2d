/** The name of the period on a narrow page: in one line, in a language with long names too. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { overflowPixels, send } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

const days = (from: string, to: string) => `custom&from=${from}&to=${to}`;
const periods = ["30d", "24h", "12mo", "this_week", days("2025-12-28", "2026-11-12")];

describeTour("a page 390 pixels wide", () => {
  let page: DemoPage;
  let tab: Tab;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 10 });
    ({ tab } = page);
    await page.logIn();
    await tab.resize(390, 844);
  });
  afterAll(() => page?.close());

  /** Shows a period, and returns the lines of its name, and how much of the other period's link is seen. */
  async function shown(period: string): Promise<{ readonly lines: number; readonly other: number }> {
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?period=${period}`);
    await tab.until("document.querySelector('.period > button span')");
    await tab.still();
    expect(await overflowPixels(tab)).toBe(0);
    return tab.evaluate(`(() => {
      const name = document.querySelector(".period > button span");
      const line = parseFloat(getComputedStyle(name).lineHeight);
      const [box, link] = [".period-other", ".period-other > a"].map((one) => document.querySelector(one).getBoundingClientRect());
      const seen = Math.min(box.bottom, link.bottom) - Math.max(box.top, link.top);
      return { lines: Math.round(name.getBoundingClientRect().height / line), other: Math.max(0, Math.min(1, seen / link.height)) };
    })()`);
  }

  test("has the other period beside the name in English", async () => {
    expect(await shown("30d")).toEqual({ lines: 1, other: 1 });
  });

  test("has the name in one line in German, and the other period wherever it fits, whole", async () => {
    await send(tab, "PATCH", "/user", { settings: { language: "de" } });
    await tab.go(`${page.demo.url}dashboard`);
    await tab.until("document.documentElement.lang === 'de'");
    for (const period of periods) {
      const { lines, other } = await shown(period);
      expect([period, lines, other === 0 || other === 1]).toEqual([period, 1, true]);
    }
    expect(await shown("today")).toEqual({ lines: 1, other: 1 });
    expect(await shown(periods.at(-1)!)).toEqual({ lines: 1, other: 0 });
    // The keyboard reaches the link all the same, and it is seen then.
    await tab.evaluate("document.querySelector('.period-other > a').focus()");
    expect(
      await tab.evaluate(`(() => {
        const [box, link] = [".period-other", ".period-other > a"].map((one) => document.querySelector(one).getBoundingClientRect());
        return Math.abs(box.top - link.top) < 2;
      })()`),
    ).toBeTrue();
  });
});
