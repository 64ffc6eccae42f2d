/** Days that explain themselves, notes and segments in a real browser: by keyboard and pointer, in both themes, on a phone. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { looksRight, send, shownText, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { untilDayLasts } from "../support/midnight.ts";
import { until } from "../support/until.ts";

let page: DemoPage;
let tab: Tab;

const search = () => tab.evaluate<string>("decodeURIComponent(location.search)");
const sentence = () => tab.evaluate<string>("document.querySelector('.drivers')?.innerText ?? ''");
const get = <T>(path: string) =>
  tab.evaluate<T>(`fetch(${JSON.stringify(`/website/${demoHost}/${path}`)}).then(answer => answer.json())`);

async function open(query = ""): Promise<void> {
  await tab.go(encodeURI(`${page.demo.url}dashboard/websites/${demoHost}${query}`));
  await tab.named("application", /^Visitors/);
  await tab.still();
}

/** Returns the kind and the text of what has the focus. */
function focused(): Promise<string> {
  const element = "document.activeElement";
  return tab.evaluate(
    `${element} === document.body ? "BODY" : ${element}.tagName + " " + ${element}.innerText`,
  );
}

/**
 * Sends so many visitors of one site to one page, now. Nobody was there before: by night a single visitor of the weeks before
 * makes a page that was seen the usual one.
 */
async function manyCome(count: number): Promise<void> {
  // A stranger may write the longest path.
  const view = {
    u: `https://${demoHost}/launch/${"x".repeat(2_000)}`,
    r: "https://forum.example.net/t/1",
    p: true,
    q: false,
  };
  for (let at = 0; at < count; at++)
    await sendHit(page.demo, { b: `many-${at}`, ...view }, { address: `198.51.100.${at}` });
}

describeTour("a website's page", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 30, perDay: 60 });
    tab = page.tab;
    await manyCome(200);
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("says of a day that is opened on the chart what made it unlike others, with links to the values", async () => {
    await open("?timezone=UTC");
    expect(await sentence()).toBe("");
    await tab.evaluate("document.querySelector('[role=application]').focus()");
    await tab.press("End", "Enter");
    await tab.until("location.search.includes('period=custom')");
    await until(async () => (await sentence()) !== "", "the day has a sentence");
    expect(await sentence()).toMatch(
      /^\d+ visitors more than usual by this time on a \w+day: \d+ from forum\.example\.net, most of them to \/launch/,
    );
    expect(await tab.evaluate("document.querySelector('.drivers').offsetHeight")).toBeLessThan(150);
    await looksRight(tab, "a day that stands out");
    await tab.choose("link", "forum.example.net");
    await tab.until("decodeURIComponent(location.search).includes('referrer[eq]=forum.example.net')");
  });

  test("says of a day without earlier ones that there are none", async () => {
    // The 30 days do not reach four weeks before the first of them: it has no base.
    const day = new Date(Date.now() - 28 * 86_400_000).toISOString().slice(0, 10);
    await open(`?period=custom&from=${day}&to=${day}&timezone=UTC`);
    expect(await sentence()).toMatch(/^No earlier \w+day to compare with yet\.$/);
  });

  test("has notes that are added by keyboard, marks that say them, and a row of the table", async () => {
    await untilDayLasts();
    await open("?period=7d&timezone=UTC");
    await tab.evaluate(
      "[...document.querySelectorAll('button')].find(b => b.innerText === 'Add note').focus()",
    );
    await tab.press("Enter");
    await tab.named("dialog", "Add a note");
    await looksRight(tab, "the form of a note");
    await tab.type("<b>Newsletter</b> 7");
    await tab.press("Enter");
    await tab.named("button", /^Note\. .*: <b>Newsletter<\/b> 7$/);
    const [note] = await get<{ date: string; text: string }[]>("notes");
    expect(note).toMatchObject({ date: new Date().toISOString().slice(0, 10), text: "<b>Newsletter</b> 7" });
    await tab.evaluate("document.querySelector('.note-mark').focus()");
    await tab.until("getComputedStyle(document.querySelector('.note-tip')).display === 'block'");
    await looksRight(tab, "a mark with its note");
    await tab.evaluate("document.querySelector('[role=application]').focus()");
    await tab.press("End");
    await tab.until(
      "document.querySelector('.chart [aria-live]').textContent.endsWith('Note: <b>Newsletter</b> 7.')",
    );
    expect(await tab.evaluate<string>("document.querySelector('.chart-tip').innerText")).toContain(
      "<b>Newsletter</b> 7",
    );
    await tab.choose("button", "Show as table");
    await tab.named("columnheader", "Notes");
    await tab.named("cell", "<b>Newsletter</b> 7");
    await looksRight(tab, "the table with notes");
    await tab.choose("button", "Show as chart");
  });

  test("changes a note and removes it", async () => {
    await open("?period=7d&timezone=UTC");
    await tab.choose("button", /^Note\./);
    await tab.named("dialog", "Note");
    await looksRight(tab, "an open note");
    await tab.choose("button", /^Edit/);
    await tab.fill("textbox", "What happened", "Price rise");
    await tab.press("Enter");
    await tab.named("button", /^Note\. .*: Price rise$/);
    // Later figures take no focus, which would scroll the page.
    await tab.evaluate("document.activeElement.blur(); void dispatchEvent(new Event('online'))");
    await tab.still();
    expect(await focused()).toBe("BODY");
    await tab.choose("button", /^Note\./);
    await tab.choose("button", /^Edit/);
    await tab.choose("button", "Remove");
    await tab.choose("button", "Remove note");
    await tab.until("!document.querySelector('.note-mark')");
    await tab.still();
    expect(await focused()).toBe("BUTTON Add note");
    expect(await get<unknown[]>("notes")).toEqual([]);
  });

  test("saves filters as a segment, shows it again by a link, and removes it", async () => {
    await open("?country[eq]=Germany&path[starts_with]=/blog");
    await tab.choose("button", "Segments");
    await tab.choose("button", /^Save these filters/);
    await tab.named("dialog", "Save these filters");
    await looksRight(tab, "the form of a segment");
    await tab.fill("textbox", "Name", "German readers");
    await tab.press("Enter");
    await tab.named("button", "Segment: German readers");
    await open("?period=7d&browser[eq]=Chrome");
    await tab.choose("button", "Segments");
    await tab.named("link", "German readers");
    await looksRight(tab, "the menu of segments");
    await tab.choose("button", /^Save these filters/);
    await tab.fill("textbox", "Name", " German readers ");
    await tab.press("Enter");
    await tab.until(
      "/^There is one with this name already\\.$/m.test(document.querySelector('dialog')?.innerText)",
    );
    expect(await get<unknown[]>("segments")).toHaveLength(1);
    await tab.press("Escape");
    await tab.choose("button", "Segments");
    await tab.choose("link", "German readers");
    await tab.until("location.search.includes('Germany')");
    expect(await search()).toBe("?period=7d&country[eq]=Germany&path[starts_with]=/blog");
    await tab.choose("button", "Segment: German readers");
    await tab.choose("button", "Remove the segment German readers");
    await tab.named("dialog", "Remove the segment German readers?");
    await tab.choose("button", "Remove segment");
    await tab.named("button", "Segments");
    expect(await get<unknown[]>("segments")).toEqual([]);
    expect(await search()).toContain("country[eq]=Germany");
    await open();
    expect(await tab.names("button")).not.toContain("Segments");
  });

  test("tells sources that nobody knows from direct ones", async () => {
    await untilDayLasts();
    // Somebody goes on reading after the visit was forgotten, or the server started again.
    const later = {
      b: "later",
      u: `https://${demoHost}/about`,
      r: `https://${demoHost}/`,
      p: false,
      q: false,
    };
    await sendHit(page.demo, later, { address: "192.0.2.99" });
    await open("?period=today&tab.sources=referrers&path[eq]=/about");
    await tab.named("link", "Unknown");
    await tab.choose("link", "Unknown");
    await tab.until("location.search.includes('referrer')");
    await tab.until("document.body.innerText.includes('Referrer is Unknown')");
    await send(tab, "PATCH", `/websites/${demoHost}`, { visits: false });
    await open("?tab.sources=referrers");
    await tab.named("link", "Direct or internal");
    expect(await shownText(tab)).not.toContain("Direct / none");
  });

  test("never met an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
