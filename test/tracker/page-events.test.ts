/** The properties that elements name are of the page view that shows them, also where a router keeps or shows them early. */
import { expect, test } from "bun:test";
import type { Chromium, Tab } from "../support/chromium.ts";
import { describeWith } from "../support/needs.ts";
import { useTracked, type TrackedServer } from "../support/tracked.ts";
import { until } from "../support/until.ts";
import { eventsSentBy, watchedPage } from "../support/watched-page.ts";

let tracked: TrackedServer;
let browser: Chromium;

/** Page views, with what they say, and events. Two that are sent at once come in any order. */
const said = (host: string) =>
  tracked.hits.flatMap(({ u, p, d, i }) => {
    if (d === undefined || !String(u).includes(host)) return [];
    const kind = p === undefined ? "event" : "view";
    return [[kind, new URL(String(u)).pathname, d, ...(i === undefined ? [] : [i])]];
  });

async function says(host: string, ...expected: readonly unknown[][]): Promise<void> {
  const sorted = (hits: readonly unknown[][]) => hits.map((hit) => JSON.stringify(hit)).toSorted();
  const same = () => Bun.deepEquals(sorted(said(host)), sorted(expected));
  await until(same, () => `${sorted(said(host)).join()} is ${sorted(expected).join()}`);
}

async function arrive(host: string, body: string): Promise<Tab> {
  await tracked.site(host, { body: watchedPage + body });
  return tracked.arrive(browser, host);
}

describeWith("chromium", "what elements say", () => {
  useTracked((its) => ({ tracked, browser } = its), ["page-events"]);

  test("is of each page, where a router keeps an element and changes it", async () => {
    const host = "kept.example";
    const tab = await arrive(host, `<main data-footfall-load="author=ada">…</main>`);
    const first = ["view", "/", { author: "ada" }];
    await says(host, first);
    const main = "document.querySelector('main').dataset";
    await tab.evaluate(`history.pushState({}, "", "/two"); ${main}.footfallLoad = "author=ben"; 0`);
    const second = ["view", "/two", { author: "ben" }];
    await says(host, first, second);
    await tab.evaluate(`document.body.append("more")`);
    await tab.evaluate(`${main}.footfallLoad = "author=cleo"; 0`);
    const later = ["event", "/two", { author: "cleo" }];
    await says(host, first, second, later);
    await tab.evaluate(`history.pushState({}, "", "/three"); 0`);
    await says(host, first, second, later, ["view", "/three", {}]);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("is an event by each id, where a router keeps the element", async () => {
    const host = "orders.example";
    const tab = await arrive(host, `<p data-footfall-load="order" data-footfall-id="A-1">…</p>`);
    const first = [
      ["view", "/", {}],
      ["event", "/", { order: true }, "A-1"],
    ];
    await says(host, ...first);
    await tab.evaluate(
      `history.pushState({}, "", "/two"); document.querySelector("p").dataset.footfallId = "A-2"; 0`,
    );
    const second = [
      ["view", "/two", {}],
      ["event", "/two", { order: true }, "A-2"],
    ];
    await says(host, ...first, ...second);
    await tab.evaluate(`document.querySelector("p").dataset.footfallId = "A-3"; 0`);
    await says(host, ...first, ...second, ["event", "/two", { order: true }, "A-3"]);
    await tab.close();
  });

  test("is of the next page, where a router shows it before it changes the address", async () => {
    const host = "shown.example";
    const tab = await arrive(host, `<main><p data-footfall-load="author=ada">…</p></main>`);
    const first = ["view", "/", { author: "ada" }];
    await says(host, first);
    // Astro does it like this: the observer of changes runs in between.
    await tab.evaluate(`(async () => {
      document.querySelector("main").innerHTML = "<p data-footfall-load='author=ben'>…</p>";
      for (let turns = 0; turns < 5; turns++) await undefined;
      history.pushState({}, "", "/two");
    })()`);
    await says(host, first, ["view", "/two", { author: "ben" }]);
    await tab.close();
  });

  test("is of the page that is shown, where somebody goes on before the server has answered", async () => {
    const host = "redirected.example";
    const answers = Promise.withResolvers<void>();
    tracked.hold = ({ pathname }) => (pathname === "/event/ping" ? answers.promise : undefined);
    const tab = await arrive(host, `<main data-footfall-load="author=ada">…</main>`);
    await tab.evaluate(
      `history.replaceState({}, "", "/two"); document.querySelector("main").dataset.footfallLoad = "author=ben"; 0`,
    );
    answers.resolve();
    await says(host, ["view", "/two", { author: "ben" }]);
    await tracked.shows(host, 2, 1);
    await tab.close();
  });

  test("is nothing where a page gives all objects a property, however often it changes", async () => {
    const host = "extended.example";
    const tab = await arrive(host, `<script>Object.prototype.extend = () => 0</script>`);
    const view = ["view", "/", {}];
    await says(host, view);
    await tab.evaluate(`document.body.append("more"); new Promise((done) => setTimeout(done, 50, 0))`);
    expect(await eventsSentBy(tab)).toEqual([{}]);
    await tab.evaluate(`void footfall("signup")`);
    await says(host, view, ["event", "/", { signup: true }]);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });
});
