/** A page in a real browser that is left open for days: what it keeps of all its rounds. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { testTimeoutMs } from "../support/timeout.ts";

setDefaultTimeout(testTimeoutMs);

let page: DemoPage;
let tab: Tab;

/** Asks for everything that is shown again, as each new visitor makes a page do. */
async function goRound(times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await tab.still();
  }
}

/** The bytes that the page holds and can still reach. */
async function heldBytes(): Promise<number> {
  await tab.call("HeapProfiler.collectGarbage");
  return (await tab.call<{ usedSize: number }>("Runtime.getHeapUsage")).usedSize;
}

describeTour("a page that is left open", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 3, perDay: 60 });
    ({ tab } = page);
    await page.logIn();
    await tab.call("HeapProfiler.enable");
  });
  afterAll(() => page?.close());

  test("keeps nothing of its rounds", async () => {
    // Some parts of it come when they are first shown, and something else stands there until then.
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.named("application", /^Visitors/);
    await goRound(5);
    const before = await heldBytes();
    await goRound(20);
    expect((await heldBytes()) - before).toBeLessThan(1_000_000);
  });

  test("met no error of its own", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
