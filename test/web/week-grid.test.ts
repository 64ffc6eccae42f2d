/** The figures by weekday and hour in a real browser: what the server counted, by keys, in both themes, on a phone, in German. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { NamedInterval, NamedSummary } from "../../src/core/questions/answer.ts";
import type { Tab } from "../support/chromium.ts";
import {
  axeFindings,
  axeFindingsInThemes,
  overflowPixels,
  send,
  shownText,
  troubles,
} from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

const zone = "Europe/Berlin";
const hourMs = 3_600_000;
/** Over a year, so that all of it is cut. */
const days = 400;

let page: DemoPage;
let tab: Tab;

async function open(query: string): Promise<void> {
  await tab.go(
    encodeURI(`${page.demo.url}dashboard/websites/${demoHost}?timezone=${zone}&tab.chart=weekday${query}`),
  );
  await tab.until("document.querySelector('.week-hours td[tabindex]')");
  await tab.still();
}

const cells = () =>
  tab.evaluate<string[][]>(
    "[...document.querySelectorAll('.week-hours tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))",
  );
const said = () => tab.evaluate<string>("document.querySelector('.week-hours-said').innerText");

/** Returns the answer to the question for hours that the page asked, with other intervals if they are named. */
function asked(interval = "hour"): Promise<NamedSummary> {
  return tab.evaluate(
    `fetch(performance.getEntriesByType("resource").map(({ name }) => name)
      .findLast((name) => name.includes("interval=hour")).replace("interval=hour", "interval=${interval}"))
      .then((answer) => answer.json())`,
  );
}

async function askedHours(): Promise<readonly NamedInterval[]> {
  return (await asked()).interval ?? [];
}

describeTour("weekday and hour", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days, perDay: 8 });
    tab = page.tab;
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("is one of the chart's intervals, and asks for hours only then", async () => {
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.named("application", /^Visitors by day/);
    await tab.still();
    expect(
      await tab.evaluate(
        "performance.getEntriesByType('resource').filter(({ name }) => name.includes('interval=hour')).length",
      ),
    ).toBe(0);
    await tab.choose("link", "Weekdays");
    await tab.until("document.querySelector('.week-hours td[tabindex]')");
    expect(await tab.evaluate("location.search")).toBe("?tab.chart=weekday");
    await tab.choose("link", "Weeks");
    await tab.named("application", /^Visitors by week/);
    expect(await tab.evaluate("location.search")).toBe("?interval=week");
  });

  test("has the averages of what the server counted, in the zone of the page", async () => {
    const hourNow = () => Math.floor(Date.now() / hourMs);
    let hour: number;
    do {
      hour = hourNow();
      await open("&period=30d");
      // The page leaves out the hour that is not over: the same one is left out here.
    } while (hour !== hourNow());
    const hours = await askedHours();
    const format = new Intl.DateTimeFormat("en", {
      timeZone: zone,
      weekday: "short",
      hour: "2-digit",
      hourCycle: "h23",
    });
    const rows = await cells();
    expect(rows).toHaveLength(7);
    for (const [name = "", ...figures] of rows) {
      expect(figures).toHaveLength(24);
      for (const [column, figure] of figures.entries()) {
        const wanted = `${name}, ${String(column).padStart(2, "0")}`;
        const own = hours.filter(
          ({ date }) => format.format(Date.parse(date)) === wanted && Date.parse(date) < hour * hourMs,
        );
        const mean = own.reduce((sum, { visitors = 0 }) => sum + visitors, 0) / own.length;
        expect([wanted, figure]).toEqual([wanted, mean === 0 ? "0" : String(mean.toFixed(1))]);
      }
    }
  });

  test("shows the metric that is chosen, under the filters", async () => {
    await open("&period=30d&metric=pageviews&country[eq]=Germany");
    expect(await tab.evaluate("document.querySelector('.week-hours').ariaLabel")).toBe(
      "Page views by weekday and hour",
    );
    const views = (await askedHours()).reduce((sum, { pageviews = 0 }) => sum + pageviews, 0);
    const { current } = await asked("day");
    expect(views).toBe(current.pageviews as number);
    await open("&metric=bounce_percentage");
    expect((await cells()).flat()).toContainEqual(expect.stringMatching(/^[\d.]+%$/));
    expect(await shownText(tab)).toContain("Hours with more visits weigh more in shares and times.");
  });

  test("is reached by Tab, and walked by arrow keys that say where they are", async () => {
    await open("");
    expect(await said()).toMatch(/^Highest: \w+day, .+: Visitors [\d.]+, on average of [45] such hours\.$/);
    await tab.evaluate("document.querySelector('.chart-intervals li:last-child a').focus()");
    await tab.press("Tab");
    expect(await tab.evaluate("document.activeElement.matches('.week-hours td')")).toBe(true);
    await tab.press("Home", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp");
    expect(await said()).toStartWith("Sunday, 12:00 AM – 1:00 AM: Visitors ");
    await tab.press("ArrowDown", "ArrowRight");
    expect(await said()).toStartWith("Monday, 1:00 AM – 2:00 AM: Visitors ");
    await tab.press("End", "ArrowRight");
    expect(await said()).toStartWith("Monday, 11:00 PM – 12:00 AM: Visitors ");
    await tab.press("Tab");
    expect(await said()).toStartWith("Highest: ");
  });

  test("is bounded to a year, and says so", async () => {
    await open("&period=all");
    expect((await askedHours()).length).toBeLessThan(10_000);
    expect(await shownText(tab)).toContain("A period of more than a year is shown by its last 52 weeks.");
  });

  test("leaves out the days before the website was counted, however few page views filters select", async () => {
    const until = new Date(Date.now() - (days - 60) * 24 * hourMs).toISOString().slice(0, 10);
    const period = `&period=custom&from=2020-01-01&to=${until}`;
    await open(period);
    const first = (await asked("day")).interval?.find(({ pageviews = 0 }) => pageviews > 0)?.date ?? "";
    const format = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: zone });
    for (const filters of ["", "&browser[eq]=Safari&country[eq]=Germany"]) {
      await open(`${period}${filters}`);
      const text = await shownText(tab);
      expect(text).toContain(`Hours in the time of Berlin, ${format.format(Date.parse(first))}`);
      expect(text).not.toContain("is shown by its last 52 weeks");
      expect((await said()).match(/on average of (\d+) such hours/)?.[1]).toBeOneOf(["8", "9"]);
    }
  });

  test("says where no hour is there", async () => {
    await tab.go(
      `${page.demo.url}dashboard/websites/${demoHost}?tab.chart=weekday&period=custom&from=2020-01-01&to=2020-01-02&timezone=${zone}`,
    );
    await tab.until("document.body.innerText.includes('No visits in this period')");
    await tab.still();
    expect((await cells()).flat()).not.toContain("NaN");
  });

  test("fits a phone with a row for each hour, and gives axe nothing to find, also in forced colours", async () => {
    await open("&metric=time_per_visit");
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    await tab.call("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
    expect(await axeFindings(tab)).toEqual([]);
    await tab.prefer("light");
    await tab.resize(320, 900);
    await tab.still();
    expect([await overflowPixels(tab), await axeFindings(tab)]).toEqual([0, []]);
    expect((await cells()).map((row) => row.length)).toEqual(Array.from({ length: 24 }, () => 8));
    await tab.resize(1_200, 900);
  });

  test("speaks German", async () => {
    await send(tab, "PATCH", "/user", { settings: { language: "de" } });
    await tab.evaluate("localStorage.setItem('footfall.language', 'de')");
    await open("");
    expect((await cells()).map(([name]) => name)).toEqual(["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"]);
    expect(await said()).toMatch(
      /^Am höchsten: (\w+tag|Mittwoch), \d{1,2}:00 – \d{1,2}:00: Besucher [\d,]+, im Mittel über/,
    );
  });

  test("met no error", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
