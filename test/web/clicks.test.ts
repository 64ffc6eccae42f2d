/**
 * The tasks for which people open the dashboard, with the clicks that each takes at most: of a real mouse, counted by the
 * page. Typing and Enter count none, but where a field has to be clicked first, that does.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Tab } from "../support/chromium.ts";
import { prefer, send, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { until } from "../support/until.ts";

let page: DemoPage;
let tab: Tab;

/** Counts the presses of the mouse, which no script can make. */
const countClicks = `
  self.clicks = 0;
  addEventListener("pointerdown", ({ isTrusted }) => { clicks += Number(isTrusted); }, true);
`;

/** Does a task on the page as it opens, and returns the clicks that it took. */
async function clicksOf(task: () => Promise<void>): Promise<number> {
  await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
  await tab.named("application", /^Visitors/);
  await tab.still();
  await tab.evaluate("clicks = 0");
  await task();
  expect(await troubles(tab)).toEqual([]);
  return tab.evaluate("clicks");
}

/** Types into the field that has the focus: nobody has to click it. */
async function type(text: string): Promise<void> {
  await tab.until("document.activeElement.matches('input')");
  await tab.type(text);
}

/** Clicks the last day on the chart. */
async function clickToday(): Promise<void> {
  const [x, y] = await tab.evaluate<[number, number]>(
    "(({ right, top }) => [right - 8, top + 40])(document.querySelector('[role=application]').getBoundingClientRect())",
  );
  for (const kind of ["mousePressed", "mouseReleased"])
    await tab.call("Input.dispatchMouseEvent", { type: kind, x, y, button: "left", clickCount: 1 });
}

/** Sends many visitors from one site, today. */
async function manyCome(): Promise<void> {
  const come = (at: number) =>
    sendHit(
      page.demo,
      {
        b: `many-${at}`,
        u: `https://${demoHost}/changelog`,
        r: "https://forum.example.net/t/1",
        p: true,
      },
      { address: `198.51.100.${at}` },
    );
  await Promise.all(Array.from({ length: 120 }, (_, at) => come(at)));
}

const shows = (text: string) => tab.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
const asked = (parameter: string) =>
  tab.until(`decodeURIComponent(location.search).includes(${JSON.stringify(parameter)})`);

describeTour("the clicks of a task", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 55, perDay: 30 });
    tab = page.tab;
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: countClicks });
    // The first hours of a week may have nobody in the week before: weeks begin on Sunday in America, on Monday in Britain.
    await prefer(tab, new Date().getUTCDay() === 0 ? "en-GB" : "en-US");
    await manyCome();
    await page.logIn();
    const goal = { name: "Choose a plan", event: { prop_name: "plan" } };
    await send(tab, "POST", `/website/${demoHost}/goals`, goal);
  });
  afterAll(() => page?.close());

  test("the page with most visitors from Google on phones last month: 5", async () => {
    const clicks = await clicksOf(async () => {
      await tab.choose("button", "Switch to another website");
      await type("last month");
      await tab.named("option", "Period Last month");
      await tab.press("Enter");
      await asked("period=last_month");
      await tab.choose("link", "Referrers");
      await tab.choose("link", "Google");
      await asked("referrer[eq]=Google");
      await tab.choose("link", "Devices");
      await tab.choose("link", "Mobile");
      await asked("device[eq]=Mobile");
      await tab.still();
      await tab.named("link", "/");
    });
    expect(clicks).toBe(5);
  });

  test("this week against last: 1", async () => {
    const clicks = await clicksOf(async () => {
      await tab.choose("link", "This week");
      await asked("period=this_week");
      await tab.still();
      await tab.named("link", /^Visitors \d+.* from \d+$/);
    });
    expect(clicks).toBe(1);
  });

  test("why a day was high: 2", async () => {
    const clicks = await clicksOf(async () => {
      await clickToday();
      await asked("period=custom");
      await tab.until("document.querySelector('.drivers')?.innerText.includes('forum.example.net')");
    });
    expect(clicks).toBeLessThanOrEqual(2);
  });

  test("sharing a link: 3", async () => {
    const clicks = await clicksOf(async () => {
      await tab.choose("link", "Share");
      await tab.choose("button", "Make link");
      await tab.choose("button", "Copy link");
      await tab.named("group", "The link Link 1");
    });
    expect(clicks).toBe(3);
  });

  test("inviting a viewer: 3", async () => {
    const clicks = await clicksOf(async () => {
      await tab.choose("link", "Set up");
      await tab.choose("button", "Invite");
      await tab.choose("button", "Copy invitation");
      await shows("Invited, until");
      await tab.named("cell", "viewer");
    });
    expect(clicks).toBe(3);
  });

  test("seeing a visit arrive: 1", async () => {
    const clicks = await clicksOf(async () => {
      await tab.choose("link", /^\d+ visits? now$/);
      await tab.named("heading", "Latest page views");
      await sendHit(page.demo, { b: "arrives", u: `https://${demoHost}/arrives`, p: true });
      await shows("/arrives");
    });
    expect(clicks).toBe(1);
  });

  test("a goal by campaign: 2", async () => {
    const clicks = await clicksOf(async () => {
      await tab.choose("link", "Choose a plan");
      await asked("goal=1");
      await tab.choose("link", "Campaigns");
      await tab.named("table", /^Campaigns, Visitors, Conversions,? and Conversion rate$/);
    });
    expect(clicks).toBe(2);
  });

  test("saving all that one sees as a ZIP of CSV files: 2", async () => {
    const downloads = join(page.folder, "downloads");
    mkdirSync(downloads);
    const allowed = { behavior: "allow", downloadPath: downloads, browserContextId: page.person };
    await page.browser.call("Browser.setDownloadBehavior", allowed);
    const saved = () =>
      readdirSync(downloads).filter(
        (name) => name.endsWith(".zip") && statSync(join(downloads, name)).size > 0,
      );
    const clicks = await clicksOf(async () => {
      await tab.choose("button", "All of it as CSV files");
      await until(() => saved().length === 1, "the archive is saved");
    });
    expect(saved()[0]).toStartWith(`${demoHost}-all-`);
    expect(clicks).toBeLessThanOrEqual(2);
  });
});
