/** A page in a real browser that is left open for days: what it keeps of all its rounds, and what time does to it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { openTab, send, shownText, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { until } from "../support/until.ts";

/** The page's own timers run so many times faster. */
const speed = 100;
const fasterTimers = `for (const name of ["setTimeout", "setInterval"]) {
  const timer = self[name];
  self[name] = (run, ms = 0) => timer(run, ms / ${speed});
}`;
/** The clock of the page is ahead by `aheadMs`. */
const movedClock = `aheadMs = 0; { const RealDate = Date; const now = () => RealDate.now() + aheadMs;
  Date = class extends RealDate {
    constructor(...parts) { super(...(parts.length === 0 ? [now()] : parts)); }
    static now() { return now(); }
  }; }`;
const dayMs = 86_400_000;

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
    for (const source of [fasterTimers, movedClock])
      await tab.call("Page.addScriptToEvaluateOnNewDocument", { source });
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

  test("shows another day as today when the day is over, though nobody comes", async () => {
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?period=today`);
    await tab.named("link", /^Page views [1-9]/);
    await tab.evaluate(`void (aheadMs = ${dayMs})`);
    await tab.named("heading", "No visits in this period.");
  });

  test("has the visitors of the last 24 hours in the list of websites", async () => {
    await tab.go(page.demo.url);
    await tab.named("cell", "0");
    await tab.still();
    await sendHit(page.demo, { b: "late", u: "https://new.example.org/", p: true, q: false });
    const row = `[...document.querySelectorAll(".websites tbody tr")].find((each) => each.innerText.includes("new.example.org"))`;
    await tab.until(`/\\b1\\s+1\\b/.test(${row}.innerText)`);
  });

  test("says in the view of what happens now that the website was removed, and asks no more", async () => {
    await send(tab, "POST", "/websites", { hostname: "gone.example" });
    await tab.go(`${page.demo.url}dashboard/websites/gone.example/live`);
    await tab.until(`document.querySelector(".live")?.textContent === "0 visits now"`);
    await tab.evaluate(`fetch("/websites/gone.example", { method: "DELETE" }).then(({ status }) => status)`);
    await tab.named("heading", "There is no website gone.example.");
    await tab.still();
    const asked = await tab.evaluate("asked");
    // Timers of the page come in the order of their times: a stream is asked for again after five seconds.
    await tab.evaluate("new Promise((later) => setTimeout(later, 60_000))");
    expect(await tab.evaluate("asked")).toBe(asked);
  });

  test("says once, and not in every part, that the website was removed meanwhile", async () => {
    await send(tab, "POST", "/websites", { hostname: "gone.example" });
    await sendHit(page.demo, { b: "gone", u: "https://gone.example/", p: true, q: false });
    // Its timers have their own time: the stream says it much later.
    const other = await openTab(page.browser, 1_200, 900, page.person);
    await other.go(`${page.demo.url}dashboard/websites/gone.example`);
    await other.named("link", /^Page views 1/);
    await other.evaluate(
      `fetch("/websites/gone.example", { method: "DELETE" }).then(() => document.querySelector(".period-other a").click())`,
    );
    await other.still();
    expect(await shownText(other)).toContain("There is no website gone.example.");
    expect(await shownText(other)).not.toContain("There was a problem");
    await other.close();
  });

  test("is there again after a proxy has said 404 for a server that was started again", async () => {
    const other = await openTab(page.browser, 1_200, 900, page.person);
    await other.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await other.named("link", /^Page views [1-9]/);
    await other.evaluate(`{ const send = fetch; sendAgain = () => void (fetch = send);
      fetch = async () => new Response("404 page not found", { status: 404 }); }
      document.querySelector(".period-other a").click()`);
    await other.still();
    expect(await shownText(other)).toContain("The server answered with status 404.");
    expect(await shownText(other)).not.toContain("There is no website");
    await other.evaluate("sendAgain()");
    await other.choose("button", "Try again");
    await other.named("link", /^Page views [1-9]/);
    await other.close();
  });

  test("leaves connections to the other windows of its browser, however many show a website", async () => {
    const href = `${page.demo.url}dashboard/websites/${demoHost}`;
    const windows: Tab[] = [];
    for (let at = 0; at < 8; at++) windows.push(await openTab(page.browser, 1_200, 900, page.person));
    try {
      await Promise.all(windows.map((each) => each.go(href)));
      for (const each of windows) {
        await each.named("link", /^Page views [1-9]/);
        await each.choose("link", "This week");
        await each.until("location.search === '?period=this_week'");
        await each.still();
      }
      const connected = async () => {
        const counts = windows.map((each) =>
          each.evaluate<boolean>(`/now$/.test(document.querySelector(".live").textContent)`),
        );
        return (await Promise.all(counts)).filter((hasCount) => hasCount).length;
      };
      await until(async () => (await connected()) === 4, "four of them have a count");
    } finally {
      await Promise.all(windows.map((each) => each.close()));
    }
  });

  test("met no error of its own", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
