/**
 * Each page view of a single-page application is counted once, whatever its router calls and however often it runs the
 * tag, and its time is its own. A real browser, with the Navigation API and without it, asks the real server.
 */
import { expect, test } from "bun:test";
import type { Chromium, Tab } from "../support/chromium.ts";
import { describeWith } from "../support/needs.ts";
import { TrackedServer, useTracked } from "../support/tracked.ts";
import { until } from "../support/until.ts";
import { eventsSentBy, viewsSentBy, watchedPage } from "../support/watched-page.ts";

/** An older browser: a page has put a variable of its own in the place of the Navigation API. */
const withoutApi = `<script>var navigation = {}</script>`;
/** A router that follows links by the Navigation API and calls nothing of the History API. */
const router = `<a id="link" href="/two">two</a><script>
  navigation.addEventListener("navigate", (event) => event.canIntercept && event.intercept());
</script>`;

let tracked: TrackedServer;
let browser: Chromium;

async function pagesOf(host: string): Promise<Record<string, readonly [views: number, first: number]>> {
  type Row = { path: string; pageviews: number; visitors: number };
  const rows = await tracked.get<Row[]>(host, "pages");
  return Object.fromEntries(rows.map(({ path, pageviews, visitors }) => [path, [pageviews, visitors]]));
}

const now = (tab: Tab) => tab.evaluate<number>("performance.now()");
const at = (tab: Tab, path: string) => tab.until(`location.pathname === "${path}"`);

describeWith("chromium", "routers", () => {
  useTracked((its) => ({ tracked, browser } = its), ["hash-routes"]);

  test("a router that calls nothing but the Navigation API: links, calls, replaced entries, back and forward", async () => {
    const host = await tracked.site("navigation.example", { body: watchedPage + router });
    const tab = await tracked.arrive(browser, host);
    await tab.click("#link");
    await at(tab, "/two");
    await tab.evaluate("navigation.navigate('/three').finished.then(() => 0)");
    await tab.evaluate("navigation.navigate('/four', { history: 'replace' }).finished.then(() => 0)");
    await tab.evaluate("navigation.navigate('/four?tab=2').finished.then(() => 0)");
    await tab.evaluate("navigation.traverseTo(navigation.entries()[1].key).finished.then(() => 0)");
    await tab.evaluate("navigation.forward().finished.then(() => 0)");
    expect(await viewsSentBy(tab)).toEqual(["/", "/two", "/three", "/four", "/two", "/four"]);
    await tracked.shows(host, 6, 1);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("the time of each view is its own where the Navigation API changes the page", async () => {
    const host = await tracked.site("times.example", { body: watchedPage + router });
    const tab = await tracked.arrive(browser, host);
    const boundsMs: Record<string, readonly [least: number, most: number]> = {};
    let beganMs = 0;
    for (const next of ["/two", "/three", "/four"]) {
      const path = await tab.evaluate<string>("location.pathname");
      const arrivedMs = await now(tab);
      await Bun.sleep(50);
      const leavesMs = await now(tab);
      await tab.evaluate(`navigation.navigate("${next}").finished.then(() => 0)`);
      const leftMs = await now(tab);
      boundsMs[path] = [leavesMs - arrivedMs, leftMs - beganMs];
      beganMs = leavesMs;
    }
    await tracked.shows(host, 4, 1);
    const { hits } = tracked;
    const views = hits.filter(({ u }) => String(u).startsWith(tracked.urlOf(host)));
    const pathOf = new Map(views.map(({ b, u }) => [b, new URL(String(u)).pathname]));
    const ends = () => hits.filter(({ b, m }) => m !== undefined && pathOf.has(b));
    await until(() => ends().length >= 3, "the times come");
    const times = ends().map(({ b, m }) => [pathOf.get(b) ?? "", Number(m)] as const);
    expect(times.map(([path]) => path).toSorted()).toEqual(["/", "/three", "/two"]);
    for (const [path, ms] of times) {
      const [leastMs, mostMs] = boundsMs[path] ?? [NaN, NaN];
      expect(ms).toBeGreaterThanOrEqual(Math.floor(leastMs));
      expect(ms).toBeLessThanOrEqual(Math.ceil(mostMs));
    }
    await tab.close();
  });

  test.each([
    ["with the Navigation API", ""],
    ["without it", withoutApi],
  ])("a router of the History API %s: each new path once, and no entry that stays there", async (_, more) => {
    const host = await tracked.site(`history-${more.length}.example`, { body: watchedPage + more });
    const tab = await tracked.arrive(browser, host);
    const steps: readonly (readonly [call: string, ...views: string[]])[] = [
      ["history.replaceState({ s: 1 }, '', location.href)"],
      ["history.pushState({}, '', '/a'); history.replaceState({}, '', '/b')", "/a", "/b"],
      ["history.pushState({}, '', '/c'); history.pushState({}, '', '/c')", "/c"],
      ["history.replaceState({}, '', '/c?tab=2'); history.replaceState({}, '', '/c?tab=2#top')"],
      ["location.hash = 'end'"],
      ["history.pushState({}, '', '/d')", "/d"],
      ["history.pushState({}, '')"],
    ];
    const expected = ["/"];
    for (const [call, ...views] of steps) {
      await tab.evaluate(`${call}; 0`);
      expected.push(...views);
      expect(await viewsSentBy(tab)).toEqual(expected);
    }
    const went =
      "new Promise((done) => addEventListener('popstate', () => setTimeout(done), { once: true }))";
    for (const [by, ...views] of [[-1], [-2, "/c"], [-2, "/b"], [-1, "/"], [3, "/c"]] as const) {
      await tab.evaluate(`{ const went = ${went}; history.go(${by}); went.then(() => 0) }`);
      expected.push(...views);
      expect(await viewsSentBy(tab)).toEqual(expected);
    }
    await tracked.shows(host, expected.length, 1);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("a tag that is there twice, or that a router runs with each page, counts once", async () => {
    const src = tracked.urlOf("stats.example", "/script.js");
    const host = await tracked.site("twice.example", {
      body: `${watchedPage}<script defer src="${src}"></script>`,
    });
    const tab = await tracked.arrive(browser, host);
    for (const path of ["/b", "/c", "/d"]) {
      const script = `Object.assign(document.createElement("script"), { src: "${src}?page=${path}" })`;
      await tab.evaluate(`new Promise((onload) => {
        history.pushState({}, "", "${path}");
        document.body.replaceChildren(Object.assign(${script}, { onload: () => onload(0) }));
      })`);
    }
    expect(await viewsSentBy(tab)).toEqual(["/", "/b", "/c", "/d"]);
    await tracked.shows(host, 4, 1);
    await tab.evaluate("void footfall('signup')");
    expect(await eventsSentBy(tab)).toEqual([{ signup: true }]);
    await until(() => tracked.hits.some(({ d }) => d !== undefined), "the event comes");
    expect(tracked.hits.at(-1)).toMatchObject({ u: tracked.urlOf(host, "/d"), d: { signup: true } });
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("two servers count the same page", async () => {
    const other = await TrackedServer.open();
    try {
      const body = `<script defer src="${other.urlOf("stats.example", "/script.js")}"></script>`;
      const host = await tracked.site("shared.example", { body: watchedPage + body });
      await other.site(host);
      const tab = await tracked.arrive(browser, host);
      await tab.evaluate("history.pushState({}, '', '/next')");
      await Promise.all([tracked.shows(host, 2, 1), other.shows(host, 2, 1)]);
      await tab.close();
    } finally {
      await other.goDown();
    }
  });

  test("a slash at the end of a path makes no other page, neither to the script nor to the browser's cache", async () => {
    const host = await tracked.site("slashes.example", { body: watchedPage });
    const tab = await tracked.arrive(browser, host, "/about");
    const steps = [
      "history.replaceState({}, '', '/about/')",
      "history.pushState({}, '', '/')",
      "location.hash = '#/b'",
      "location.hash = '#/b/'",
      "location.hash = '#/b?tab=2#part'",
      "location.hash = '#/b#other'",
      "history.pushState({}, '', '/two//')",
    ];
    for (const step of steps) await tab.evaluate(`${step}; new Promise((done) => setTimeout(done, 0, 0))`);
    expect(await viewsSentBy(tab)).toEqual(["/about", "/", "/#/b", "/two/"]);
    await tracked.shows(host, 4, 1);
    await tab.go(tracked.urlOf(host, "/about/"));
    expect(await viewsSentBy(tab)).toEqual(["/about"]);
    await tracked.shows(host, 5, 1);
    expect(await pagesOf(host)).toEqual({ "/about": [2, 1], "/": [1, 1], "/#/b": [1, 1], "/two/": [1, 1] });
    await tab.close();
  });

  test("a router that writes #/ after the address where it begins makes no other page of it", async () => {
    const host = await tracked.site("hash.example", { body: watchedPage });
    const tab = await tracked.arrive(browser, host, "/app");
    for (const hash of ["#/", "#!/", "#/?tab=2", "#/#part", "#/about", "#/"])
      await tab.evaluate(`location.hash = "${hash}"; new Promise((done) => setTimeout(done, 0, 0))`);
    expect(await viewsSentBy(tab)).toEqual(["/app", "/app#/about", "/app"]);
    await tracked.shows(host, 3, 1);
    expect(await pagesOf(host)).toEqual({ "/app": [2, 1], "/app#/about": [1, 1] });
    await tab.close();
  });

  test("a page that names its path counts as that page, with the campaign of its address", async () => {
    const host = await tracked.site("named.example", {
      attributes: `data-path="user/:id/"`,
      body: watchedPage,
    });
    const tab = await tracked.arrive(browser, host, "/user/7?utm_source=letter&key=1#secret");
    await tracked.shows(host, 1, 1);
    await tab.evaluate("history.pushState({}, '', '/user/8')");
    await tab.evaluate("void (document.scripts[0].dataset.path = '/posts')");
    await tab.evaluate("history.pushState({}, '', '/posts/1')");
    await tab.evaluate("void footfall('read')");
    await tracked.shows(host, 2, 1);
    expect(await viewsSentBy(tab)).toEqual(["/user/:id", "/posts"]);
    expect(await pagesOf(host)).toEqual({ "/user/:id": [1, 1], "/posts": [1, 1] });
    expect(await tracked.get(host, "sources")).toMatchObject([{ source: "letter", visitors: 1 }]);
    const sent = tracked.hits.flatMap(({ u }) => (String(u).includes(host) ? [new URL(String(u))] : []));
    expect(sent.map(({ pathname, hash }) => pathname + hash)).toEqual(["/user/:id/", "/posts", "/posts"]);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });
});
