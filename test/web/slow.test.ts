/** The dashboard while a slow server has not answered yet: nothing of the answer before is said of what is asked. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { startRelay, type Relay } from "../support/relay.ts";

describeTour("a slow server", () => {
  let page: DemoPage;
  let tab: Tab;
  let relay: Relay;
  let website: string;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 5 });
    tab = page.tab;
    relay = await startRelay(Number(new URL(page.demo.url).port));
    const url = `http://127.0.0.1:${relay.port}/`;
    website = `${url}dashboard/websites/${demoHost}`;
    await page.logIn(url);
  });
  afterAll(async () => {
    relay?.stop();
    await page?.close();
  });

  const textOf = (selector: string) =>
    tab.evaluate<string | undefined>(`document.querySelector(${JSON.stringify(selector)})?.innerText`);
  const chart = () =>
    tab.evaluate<string>("document.querySelector('.chart-figure').getAttribute('aria-label')");
  const legend = () => textOf(".chart-legend");

  /** Returns what `look` sees while the server has not answered `ask`, once the page waits for the answer; and then. */
  async function duringAndAfter<T>(ask: () => Promise<unknown>, busy: string, look: () => Promise<T>) {
    relay.stall();
    let during: T;
    try {
      await ask();
      await tab.until(`document.querySelector(${JSON.stringify(`${busy}[aria-busy=true]`)})`);
      during = await look();
    } finally {
      relay.resume();
    }
    await tab.still();
    return [during, await look()] as const;
  }
  /** Follows the link of the page that leads to this part of an address. */
  const follow = (search: string) =>
    tab.evaluate(`document.querySelector(${JSON.stringify(`a[href$="${search}"]`)}).click()`);

  test("leaves the chart of the period before as it is", async () => {
    await tab.go(`${website}?period=last_week`);
    await tab.still();
    const look = async () => [await chart(), await legend(), await textOf(".tiles")];
    const before = await look();
    expect(before[0]).toStartWith("Visitors by day, ");
    const [during, after] = await duringAndAfter(() => follow("?period=yesterday"), ".figures", look);
    expect(during).toEqual(before);
    expect(after[0]).toStartWith("Visitors by hour, ");
    expect(after[1]).not.toBe(before[1]);
  });

  test("neither gains nor loses changes where figures begin within the other period", async () => {
    const look = async () => [
      (await textOf("main"))?.includes("No changes are shown"),
      await tab.evaluate<number>("document.querySelectorAll('.change').length"),
    ];
    await tab.go(website);
    await tab.still();
    const usual = await look();
    expect(usual).toEqual([true, 0]);
    const [during, week] = await duringAndAfter(() => follow("?period=last_week"), ".figures", look);
    expect(during).toEqual(usual);
    expect(week[0]).toBe(false);
    expect(week[1]).toBeGreaterThan(6);
    const [meanwhile, after] = await duringAndAfter(() => follow("?period=28d"), ".figures", look);
    expect(meanwhile).toEqual(week);
    expect(after).toEqual(usual);
  });

  test("compares each list by its own period, whichever answer comes first", async () => {
    await tab.go(website);
    await tab.still();
    await tab.evaluate(`{
      const ask = fetch;
      fetch = async (path, ...more) => {
        if (self.gate && path.includes(gate)) await new Promise((open) => (self.open = open));
        return ask(path, ...more);
      };
    }`);
    const changes = (part: string) =>
      tab.evaluate<number>(`document.querySelector("${part}").querySelectorAll(".change").length`);
    const isBusy = (part: string) => `document.querySelector("${part}").ariaBusy === "true"`;
    /** Waits until of two parts of the page only one has its answer. Of the lists it is the first, whose changes are counted. */
    const onlyIn = (there: string, missing: string) => tab.until(`!(${isBusy(there)}) && ${isBusy(missing)}`);
    await tab.evaluate("gate = '/pages?'");
    await follow("?period=last_week");
    await onlyIn(".figures", ".panel-rows");
    expect([await changes(".tiles"), await changes(".panel-rows")]).toEqual([6, 0]);
    await tab.evaluate("open()");
    await tab.still();
    expect(await changes(".panel-rows")).toBeGreaterThan(0);
    await tab.evaluate("gate = '/summary?'");
    await follow("?period=28d");
    await onlyIn(".panel-rows", ".figures");
    expect([await changes(".tiles"), await changes(".panel-rows")]).toEqual([6, 0]);
  });

  test("tells the dates of the hours by weekday that are shown", async () => {
    await tab.go(`${website}?period=last_week&tab.chart=weekday`);
    await tab.still();
    const dates = () => textOf(".figures .chart-foot");
    const before = await dates();
    const [during, after] = await duringAndAfter(
      () => follow("?period=last_month&tab.chart=weekday"),
      ".figures",
      dates,
    );
    expect(during).toBe(before);
    expect(after).not.toBe(before);
  });

  test("keeps the name of the direction in which pages follow each other", async () => {
    await tab.go(`${website}?path[eq]=/`);
    await tab.still();
    const card = "section[aria-labelledby$=journeys]";
    const caption = () => textOf(`${card} caption`);
    const before = await caption();
    expect(before).toStartWith("Next pages");
    const [during, after] = await duringAndAfter(
      () => tab.choose("link", "Previous pages"),
      `${card} .panel-rows`,
      caption,
    );
    expect(during).toBe(before);
    expect(after).toStartWith("Previous pages");
  });

  test("does not say that a period is empty before it is known", async () => {
    const none = "No visits in this period.";
    await tab.go(`${website}?period=custom&from=2020-01-01&to=2020-01-31`);
    await tab.named("heading", none);
    const isWaiting = '.card[aria-label="Data of other periods"]';
    // It is dim until then, as all that is not known yet.
    await duringAndAfter(
      () => follow("?period=this_week"),
      isWaiting,
      async () => undefined,
    );
    expect(await tab.names("heading")).not.toContain(none);
  });

  test("does not say that a search has found nothing before it is known", async () => {
    await tab.go(website);
    await tab.fill("searchbox", "Search pages", "nowhere");
    await tab.still();
    const rows = () => textOf(".panel-rows");
    expect(await rows()).toBe("No pages with “nowhere”.");
    const type = () =>
      tab.evaluate(`(() => {
        const field = document.querySelector("input[type=search]");
        field.value = "pricing";
        field.dispatchEvent(new Event("input", { bubbles: true }));
      })()`);
    const [during, after] = await duringAndAfter(type, ".panel-rows", rows);
    expect(during).toBe("No pages with “nowhere”.");
    expect(after).toContain("/pricing");
    expect(await troubles(tab)).toEqual([]);
  });
});
