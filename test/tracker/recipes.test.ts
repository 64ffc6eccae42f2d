/** That the recipes of docs/events.md count what they say: each snippet runs in a browser, and its goal is reached. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { scriptTypes } from "../../src/core/scripts.ts";
import type { Chromium, Tab } from "../support/chromium.ts";
import { describeWith } from "../support/needs.ts";
import { useTracked, type Page, type TrackedServer } from "../support/tracked.ts";
import { until } from "../support/until.ts";
import { eventsSentBy, watchedPage } from "../support/watched-page.ts";

interface Recipe {
  readonly snippet: string;
  /** The events that the page says to make goals of, `name` or `name=value`, and what they sum up. */
  readonly goals: readonly { readonly name: string; readonly amount?: string }[];
}

const page = await Bun.file(join(import.meta.dir, "..", "..", "docs", "events.md")).text();

/** The recipes by their titles. */
const recipes = new Map(
  page.split(/^## /m).flatMap((section): [string, Recipe][] => {
    const [, snippet] = /^```html\n([^]*?)^```$/m.exec(section) ?? [];
    if (snippet === undefined) return [];
    const [goal = ""] = /^- \*\*Goal\*\*:[^]*?(?=^- )/m.exec(section) ?? [];
    const goals = [...goal.matchAll(/`([^`]+)`(?:, which sums up `([^`]+)`)?/g)].map(
      ([, name = "", amount]) => ({ name, ...(amount !== undefined && { amount }) }),
    );
    return [[section.slice(0, section.indexOf("\n")), { snippet, goals }]];
  }),
);
const tried = new Set<string>();

/** Returns a recipe, which is tried from then on. */
function recipe(title: string): Recipe {
  tried.add(title);
  const found = recipes.get(title);
  if (found === undefined) throw new Error(`docs/events.md has no recipe ${title}`);
  return found;
}

/** No link leaves the page, and no form. */
const staying = `<script>
  addEventListener("click", (event) => event.target.closest("a") && event.preventDefault());
  addEventListener("submit", (event) => event.preventDefault());
</script>`;

let tracked: TrackedServer;
let browser: Chromium;

/** Adds a website whose pages have the body, and its goals; opens a page as somebody who was never there. */
async function opened(host: string, { goals }: Recipe, body: string, path = "/"): Promise<Tab> {
  await tracked.site(host, { body: watchedPage + staying + body }, true);
  for (const { name, amount } of goals) {
    const [prop_name, prop_value] = name.split("=");
    await tracked.addGoal(host, { name, event: { prop_name, prop_value, amount } });
  }
  return tracked.arrive(browser, host, path);
}

interface GoalRow {
  readonly name: string;
  readonly visits: number;
  readonly events: number;
  readonly amount?: number;
}

/** Waits until the goals were reached so often, in the order of the page, with their amounts. */
async function reached(host: string, expected: readonly (readonly [events: number, amount?: number])[]) {
  let seen: unknown;
  const figures = async () => {
    const rows = await tracked.get<GoalRow[]>(host, "goals?by=visit");
    seen = rows.map(({ events, amount }) => (amount === undefined ? [events] : [events, amount]));
    return Bun.deepEquals(seen, expected);
  };
  await until(figures, () => `${host} has the goals ${JSON.stringify(seen)}`);
}

type Value = { readonly value: string; readonly events: number };

/** Returns the values of a property, as the dashboard lists them. */
async function values(host: string, name: string, more = ""): Promise<[string, number][]> {
  const rows = await tracked.get<Value[]>(host, `properties?by=visit&prop_name[eq]=${name}${more}`);
  return rows.map(({ value, events }) => [value, events]);
}

/** Returns the paths of a list of pages under a filter, as the dashboard asks. */
async function paths(host: string, filter: string): Promise<string[]> {
  const rows = await tracked.get<{ path: string }[]>(host, `pages?by=visit&${filter}`);
  return rows.map(({ path }) => path);
}

/** The properties of the events and page views that the page that is open sent, of those that have some. */
async function propertiesOf(tab: Tab): Promise<object[]> {
  return (await eventsSentBy(tab)).filter((properties) => Object.keys(properties).length > 0);
}

async function withoutErrors(tab: Tab): Promise<void> {
  expect(await tab.evaluate("errors")).toEqual([]);
  await tab.close();
}

describeWith("chromium", "the recipes of docs/events.md", () => {
  useTracked(
    (its) => ({ tracked, browser } = its),
    scriptTypes.filter((type) => type !== "default"),
  );

  test("an order counts once, with its amount, and each of its products with its own", async () => {
    const host = "order.example";
    const own = recipe("An order and its products");
    const tab = await opened(host, own, own.snippet);
    // The clock stands still: all three come in the same millisecond.
    const once = [
      [1, 63.3],
      [2, 58.4],
    ] as const;
    await reached(host, once);
    const [, { id } = { id: 0 }] = await tracked.get<{ id: number }[]>(host, "goals?by=visit");
    const asked = `properties?by=visit&prop_name[eq]=product&goal=${id}&metrics=events,amount`;
    expect(await tracked.get<object[]>(host, asked)).toEqual([
      { name: "product", value: "Mug", events: 1, amount: 18.4 },
      { name: "product", value: "Tea", events: 1, amount: 40 },
    ]);
    await tab.reload();
    await tracked.shows(host, 2, 1);
    expect(await propertiesOf(tab)).toHaveLength(3);
    const duplicates = async () => {
      const { days } = await tracked.get<{ days: { duplicate?: number }[] }>(host, "rejections");
      return days.reduce((sum, { duplicate = 0 }) => sum + duplicate, 0);
    };
    await until(async () => (await duplicates()) === 3, "the events of the second time are duplicates");
    await reached(host, once);
    await withoutErrors(tab);
  });

  test("a search counts by its words, and one that finds nothing as such", async () => {
    const host = "search.example";
    const own = recipe("Searches on the website");
    const tab = await opened(host, own, `<p class=result>Tea</p>${own.snippet}`, "/?q=+Green%20Tea");
    await reached(host, [[1], [0]]);
    await tab.evaluate("document.querySelector('.result').remove()");
    expect(await values(host, "search")).toEqual([["green tea", 1]]);
    await withoutErrors(tab);
    tracked.alias(host, { body: watchedPage + own.snippet });
    const other = await tracked.arrive(browser, host, "/?q=unicorn");
    await reached(host, [[2], [1]]);
    expect(await values(host, "nothing_for")).toEqual([["unicorn", 1]]);
    await other.go(tracked.urlOf(host, "/?page=2"));
    expect(await propertiesOf(other)).toEqual([]);
    await withoutErrors(other);
  });

  test("a page that is not found has the page that led to it", async () => {
    const host = "missing.example";
    const own = recipe("Pages that are not found");
    const home: Page = { body: `${watchedPage}<a href="/gone">Old</a>` };
    const missing: Page = { body: watchedPage + own.snippet };
    const tab = await opened(host, own, "");
    tracked.alias(host, (path) => (path === "/" ? home : missing));
    await tab.go(tracked.urlOf(host, "/"));
    await tab.click("a");
    await tab.loaded(tracked.urlOf(host, "/gone"));
    await reached(host, [[1]]);
    await tab.go(tracked.urlOf(host, "/typed"));
    await reached(host, [[2]]);
    await tracked.shows(host, 4, 1);
    const from = tracked.urlOf(host, "/");
    expect((await paths(host, "prop_name[eq]=not_found")).toSorted()).toEqual(["/gone", "/typed"]);
    expect(await values(host, "from")).toEqual(
      expect.arrayContaining([
        [from, 1],
        ["no page", 1],
      ]),
    );
    expect(await paths(host, `prop_name[eq]=from&prop_value[eq]=${encodeURIComponent(from)}`)).toEqual([
      "/gone",
    ]);
    await withoutErrors(tab);
  });

  test("a form counts when it is sent, and not while it is not valid", async () => {
    const host = "forms.example";
    const own = recipe("Forms that are sent");
    const forms = `<form id=contact><input name=mail required><button>Send</button></form>
      <form action="/subscribe"><input type=hidden name=id value=7><button>Subscribe</button></form>`;
    const tab = await opened(host, own, forms + own.snippet);
    await tab.click("#contact button");
    await tab.click("[action] button");
    await tab.evaluate("document.querySelector('input').value = 'a'");
    await tab.click("#contact button");
    await reached(host, [[1], [2]]);
    expect((await values(host, "form")).toSorted()).toEqual([
      ["/subscribe", 1],
      ["contact", 1],
    ]);
    await withoutErrors(tab);
  });

  test("outbound links and downloads count by themselves", async () => {
    const host = "links.example";
    const own = recipe("Outbound links and downloads");
    const tab = await opened(host, own, own.snippet);
    for (const link of ["partner", "pdf"]) await tab.click(`a[href*=${link}]`);
    await reached(host, [[1], [1]]);
    expect(await values(host, "file_download")).toEqual([[tracked.urlOf(host, "/price-list.pdf"), 1]]);
    expect(await values(host, "outbound_link", "&path[eq]=/")).toEqual([
      ["https://partner.example/offer", 1],
    ]);
    await withoutErrors(tab);
  });

  test("a product that is sold out counts with its page view", async () => {
    const host = "sold.example";
    const own = recipe("Products that are sold out");
    const tab = await opened(host, own, own.snippet, "/mugs/blue");
    await reached(host, [[1]]);
    expect(await values(host, "sold_out")).toEqual([["Blue mug", 1]]);
    expect(await paths(host, "prop_name[eq]=sold_out")).toEqual(["/mugs/blue"]);
    await withoutErrors(tab);
  });

  test("a video counts when it is played, once", async () => {
    const host = "video.example";
    const own = recipe("Videos that are played");
    tracked.alias("media.example", { file: silence });
    const src = tracked.urlOf("media.example", "/a/clip.wav?key=a/secret#t=0");
    const tab = await opened(
      host,
      own,
      `<video title="How it works" muted src="${src}"></video><video muted src="${src}"></video>${own.snippet}`,
    );
    await tab.evaluate(`(async () => {
      for (const video of [...document.querySelectorAll("video")].toReversed()) {
        await video.play();
        video.pause();
        await video.play();
      }
    })()`);
    await reached(host, [[2], [1]]);
    expect((await values(host, "video")).toSorted()).toEqual([
      ["How it works", 1],
      ["clip.wav", 1],
    ]);
    await withoutErrors(tab);
  });

  test("customers and guests are told apart in all figures", async () => {
    const host = "members.example";
    const own = recipe("Customers and guests");
    const tab = await opened(host, own, own.snippet, "/account");
    await reached(host, [[1]]);
    await tab.close();
    tracked.alias(host, { body: watchedPage + own.snippet.replace("customer", "guest") });
    const guest = await tracked.arrive(browser, host, "/offers");
    await tracked.shows(host, 2, 2);
    expect(await paths(host, "prop_name[eq]=reader&prop_value[eq]=guest")).toEqual(["/offers"]);
    expect(await paths(host, "prop_name[eq]=reader&prop_value[eq]=customer")).toEqual(["/account"]);
    await withoutErrors(guest);
  });

  test("an article counts once it is read to its end, and once", async () => {
    const host = "article.example";
    const own = recipe("Articles that are read to their end");
    const article = `<article><p style="height:9000px">Long</p><p>End</p></article>`;
    const tab = await opened(host, own, article + own.snippet, "/long");
    // The event may be faster than the page view, which is what the filter lists.
    await tracked.shows(host, 1, 1);
    const scroll = (y: number) =>
      tab.evaluate(
        `new Promise((drawn) => { scrollTo(0, ${y}); requestAnimationFrame(() => setTimeout(drawn)) })`,
      );
    await scroll(4_000);
    expect(await propertiesOf(tab)).toEqual([]);
    for (const y of [9_000, 0, 9_000]) await scroll(y);
    await reached(host, [[1]]);
    expect(await paths(host, "prop_name[eq]=read_to_end")).toEqual(["/long"]);
    expect(await propertiesOf(tab)).toEqual([{ read_to_end: true }]);
    await withoutErrors(tab);
  });

  test("calls of another product are events of the same names", async () => {
    const host = "moved.example";
    const own = recipe("Calls of another product");
    const tab = await opened(host, own, own.snippet);
    await tab.evaluate(`new Promise((done) => {
      plausible("pageview", { u: "/other" });
      plausible("Signup", { props: { plan: "pro" } });
      umami.track();
      umami.track((given) => given);
      umami.track("Signup", { plan: "team" }).then(() => umami.identify("ada"));
      goatcounter.count();
      goatcounter.count({ path: "/other" });
      goatcounter.count({ path: "Signup", event: true });
      goatcounter.count({ path: (page) => "Click on " + page, event: true });
      plausible("Purchase", { revenue: { currency: "USD", amount: 40 } });
      plausible("Purchase", { revenue: { currency: "EUR", amount: "58.40" }, callback: done });
    })`);
    await reached(host, [[3], [2, 98.4], [1, 58.4]]);
    expect(await values(host, "Click on /")).toEqual([["true", 1]]);
    expect((await values(host, "plan")).toSorted()).toEqual([
      ["pro", 1],
      ["team", 1],
    ]);
    await tracked.shows(host, 1, 1);
    await withoutErrors(tab);
  });

  test("a checkout on another domain counts for the shop, in the visit that began there", async () => {
    const [shop, checkout] = ["shop.example", "pay.example"];
    const { snippet } = recipe("A checkout on another domain");
    const link = `<a href="${tracked.urlOf(checkout, "/thanks")}">Pay</a>`;
    await tracked.site(shop, { body: watchedPage + link }, true);
    await tracked.addGoal(shop, { name: "Order", event: { prop_name: "order", amount: "total" } });
    await tracked.changeAliases(shop, [checkout]);
    tracked.alias(checkout, { body: watchedPage + snippet });
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.go(tracked.urlOf(shop, "/?utm_source=newsletter&utm_medium=email"), "https://mail.example/");
    await tracked.shows(shop, 1, 1);
    await tab.click("a");
    await tab.loaded(tracked.urlOf(checkout, "/thanks"));
    await tracked.shows(shop, 2, 1);
    await reached(shop, [[1, 58.4]]);
    const { current } = await tracked.get<{ current: object }>(
      shop,
      "summary?by=visit&metrics=visitors,visits,pageviews",
    );
    expect(current).toEqual({ visitors: 1, visits: 1, pageviews: 2 });
    const asked = "channels?by=visit&goal=1&metrics=visits,conversions,amount";
    expect(await tracked.get<object[]>(shop, asked)).toEqual([
      { channel: "Email", visits: 1, conversions: 1, amount: 58.4 },
    ]);
    type Step = { readonly visits: number };
    const steps = await tracked.get<Step[]>(
      shop,
      "funnel?step=page:/&step=page://pay.example/thanks&step=goal:1",
    );
    expect(steps.map(({ visits }) => visits)).toEqual([1, 1, 1]);
    expect(await tab.evaluate("errors")).toEqual([]);
    // The buyer who comes back is in the same visit.
    await tab.go(tracked.urlOf(shop, "/account"), tracked.urlOf(checkout, "/thanks"));
    await tracked.shows(shop, 3, 1);
    expect(await tracked.get<object[]>(shop, "channels?by=visit&metrics=visits,pageviews")).toEqual([
      { channel: "Email", visits: 1, pageviews: 3 },
    ]);
    await withoutErrors(tab);
  });

  test("a script in the page that is no module runs before the tracker", async () => {
    const body = `<script>early = typeof self.footfall</script><script type="module">self.late = typeof self.footfall</script>`;
    const tab = await tracked.arrive(
      browser,
      await tracked.site("early.example", { body: watchedPage + body }),
    );
    expect(await tab.evaluate("[early, late]")).toEqual(["undefined", "function"]);
    await withoutErrors(tab);
  });

  test("each was tried", () => {
    expect([...tried].toSorted()).toEqual([...recipes.keys()].toSorted());
    expect(recipes.size).toBe(11);
  });
});

/** A second of silence as a WAV file. */
const silence = (() => {
  const bytes = new DataView(new ArrayBuffer(44 + 8_000));
  const text = (at: number, word: string) =>
    [...word].forEach((sign, by) => bytes.setUint8(at + by, sign.charCodeAt(0)));
  text(0, "RIFF");
  bytes.setUint32(4, 36 + 8_000, true);
  text(8, "WAVEfmt ");
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true);
  bytes.setUint16(22, 1, true);
  bytes.setUint32(24, 8_000, true);
  bytes.setUint32(28, 8_000, true);
  bytes.setUint16(32, 1, true);
  bytes.setUint16(34, 8, true);
  text(36, "data");
  bytes.setUint32(40, 8_000, true);
  for (let at = 44; at < bytes.byteLength; at++) bytes.setUint8(at, 128);
  return new Blob([bytes.buffer], { type: "audio/wav" });
})();
