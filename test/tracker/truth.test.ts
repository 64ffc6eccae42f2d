/**
 * Tests the ways to count one person twice, or to lose one: what the browser's cache keeps, pages that are left at once,
 * frames, midnight, and a server that cannot be reached. A real browser asks the real server over HTTP.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Chromium, chromiumPath, type Tab } from "../support/chromium.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { describeWith } from "../support/needs.ts";
import { rounds } from "../support/rounds.ts";
import { useTracked, type TrackedServer } from "../support/tracked.ts";
import { until } from "../support/until.ts";

const dayMs = 86_400_000;

const folder = useFolder();
let tracked: TrackedServer;
let browser: Chromium;

/**
 * Holds the pings that come. `came` waits until a page has sent its two: a browser gives up what is not under way yet, and
 * nobody hears of it. `answer` waits until a page that was left has given up its two, and lets the others go.
 */
function holdPings() {
  const held = Promise.withResolvers<void>();
  const { abandoned } = tracked;
  let pings = 0;
  tracked.hold = ({ pathname }) => {
    if (pathname !== "/event/ping") return undefined;
    pings++;
    return held.promise;
  };
  const came = () => until(() => pings >= 2, "the page sends its pings");
  const answer = async () => {
    try {
      await until(() => tracked.abandoned >= abandoned + 2, "the pings are given up");
    } finally {
      tracked.hold = () => undefined;
      held.resolve();
    }
  };
  return { came, answer };
}

const loadsOf = (host: string) =>
  tracked.hits.filter(({ u, d }) => typeof u === "string" && u.includes(`//${host}`) && d === undefined);

const pushState = (tab: Tab, path: string) => tab.evaluate(`history.pushState({}, "", "${path}")`);

/** The page has sent a load, the time of that page, and the load of the next, whatever became of them. */
const triedLoad =
  "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/event/hit')).length > 2";

const offline = (tab: Tab, isOffline: boolean) =>
  tab.call("Network.emulateNetworkConditions", {
    offline: isOffline,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });

/** The pages take the browser for one that may keep nothing. */
const passForSafari = async (tab: Tab) => {
  await tab.call("Page.enable");
  await tab.call("Page.addScriptToEvaluateOnNewDocument", {
    source: `Object.defineProperty(navigator, "vendor", { value: "Apple Computer, Inc." })`,
  });
};

describeWith("chromium", "the truth", () => {
  useTracked((its) => ({ tracked, browser } = its));

  test("people who reload past the cache three times are a visitor each", async () => {
    const host = await tracked.site("reload.example");
    let views = 0;
    for (let person = 1; person <= rounds(5, 2); person++) {
      const tab = await tracked.arrive(browser, host);
      await tracked.shows(host, ++views, person);
      for (let time = 0; time < 3; time++) {
        await tab.reload({ ignoreCache: true });
        await tracked.shows(host, ++views, person);
      }
      await tab.close();
    }
  });

  longTest("a tab that the browser opens again is nobody new that day, and somebody the next", async () => {
    const host = await tracked.site("restored.example");
    const profile = join(folder, "restored");
    const first = await Chromium.start(chromiumPath ?? "", profile);
    const tab = await first.open();
    await tab.go(tracked.urlOf(host));
    await tracked.shows(host, 1, 1);
    await first.stop();
    for (const [days, views, visitors] of [
      [0, 2, 1],
      [1, 3, 2],
      [0, 4, 2],
    ] as const) {
      tracked.server.clock.advance(days * dayMs + 1);
      const again = await Chromium.start(chromiumPath ?? "", profile, ["--restore-last-session"]);
      await tracked.shows(host, views, visitors);
      const [restored] = await again.restored(1);
      const type = await restored?.evaluate("performance.getEntriesByType('navigation')[0].type");
      expect(type).toBe("back_forward");
      await again.stop();
    }
  });

  longTest("a restored tab that is left before it is complete is a view, and nobody made up", async () => {
    const missing = Promise.withResolvers<void>();
    const body = `<img src="${tracked.urlOf("stats.example", "/slow")}">`;
    const host = await tracked.site("incomplete.example", (path) => (path === "/" ? { body } : {}));
    const profile = join(folder, "incomplete");
    const first = await Chromium.start(chromiumPath ?? "", profile);
    const tab = await first.open();
    await tab.go(tracked.urlOf(host));
    await tracked.shows(host, 1, 1);
    await first.stop();
    tracked.hold = ({ pathname }) => (pathname === "/slow" ? missing.promise : undefined);
    const again = await Chromium.start(chromiumPath ?? "", profile, ["--restore-last-session"]);
    const [restored] = await again.restored(1);
    // The script is deferred: the document is interactive before it has run.
    await restored?.until("document.readyState === 'interactive' && typeof footfall === 'function'");
    await restored?.go(tracked.urlOf(host, "/next"));
    await tracked.shows(host, 3, 1);
    tracked.hold = () => undefined;
    missing.resolve();
    await again.stop();
  });

  test("www. and the bare host are one website to the browser", async () => {
    const host = await tracked.site("both.example");
    tracked.alias(`www.${host}`);
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(host, 1, 1);
    await tab.go(tracked.urlOf(`www.${host}`));
    await tracked.shows(host, 2, 1);
    await tab.go(tracked.urlOf(`www.${host}`, "/www.html"));
    await tracked.shows(host, 3, 1);
    expect(tracked.pings.filter((u) => u.startsWith("www."))).toEqual([]);
    await tab.close();
  });

  test("who leaves before the ping is answered is unknown there, and new on the next page", async () => {
    const host = await tracked.site("hasty.example");
    const people = rounds(8, 2);
    for (let person = 1; person <= people; person++) {
      const { came, answer } = holdPings();
      const asked = tracked.pings.length;
      const tab = await tracked.arrive(browser, host);
      await came();
      await tab.go(tracked.urlOf(host, "/next"));
      await tracked.shows(host, 2 * person - 1, person - 1);
      expect(loadsOf(host).at(-1)).toMatchObject({ n: true, q: true });
      await answer();
      await tracked.shows(host, 2 * person, person);
      expect(loadsOf(host).at(-1)).toMatchObject({ n: false, p: true });
      // The pings of the page that was left may have waited as well.
      expect(tracked.pings.length).toBeGreaterThanOrEqual(asked + 2);
      await tab.close();
    }
  });

  test("who closes a page before the ping is answered counts, where the browser says nothing more of the ping", async () => {
    const host = await tracked.site("closed.example");
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.call("Page.enable");
    // WebKit ends the page first.
    const source =
      "{ const own = fetch; fetch = (...args) => (args[1].body ? own(...args) : new Promise(() => {})); }";
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source });
    await tab.go(tracked.urlOf(host));
    await tab.leave();
    await tracked.shows(host, 1, 0);
    expect(loadsOf(host)).toMatchObject([{ n: true, q: true }]);
    await tab.close();
  });

  longTest("who comes back to the page that was left too soon is counted then, and once", async () => {
    const host = await tracked.site("return.example");
    const { came, answer } = holdPings();
    const tab = await tracked.arrive(browser, host);
    await came();
    await tab.evaluate("self.kept = true");
    await tab.go("about:blank");
    await tracked.shows(host, 1, 0);
    await answer();
    await tab.back();
    await tab.until("self.kept");
    await tracked.shows(host, 2, 1);
    await pushState(tab, "/next");
    await tracked.shows(host, 3, 1);
    await tab.close();
  });

  longTest("a ping that nobody answers is said to be unknown", async () => {
    const host = await tracked.site("unanswered.example");
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.call("Network.enable");
    await tab.call("Network.setBlockedURLs", { urls: ["*/event/ping*"] });
    await tab.go(tracked.urlOf(host));
    await tracked.shows(host, 1, 0);
    expect(loadsOf(host)).toMatchObject([{ n: true, q: true }]);
    await tab.close();
  });

  test("a ping that nobody answers leaves it to the visit who is a visitor, where there are visits", async () => {
    const host = await tracked.site("visited.example", {}, true);
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.call("Network.enable");
    await tab.call("Network.setBlockedURLs", { urls: ["*/event/ping*"] });
    await tab.go(tracked.urlOf(host));
    await tracked.shows(host, 1, 1);
    await tab.call("Network.setBlockedURLs", { urls: [] });
    await tab.evaluate("location.assign('/next')");
    await tracked.shows(host, 2, 1);
    expect(loadsOf(host)).toMatchObject([{ n: true }, { p: true }]);
    await tab.close();
  });

  test.each([
    ["a visitor of the visit, where there are visits", true, 1],
    ["nobody, where there are none", false, 0],
  ])("a browser that keeps no answer is %s", async (_, visits, visitors) => {
    const host = await tracked.site(`forgetful-${visits}.example`, {}, visits);
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.call("Network.enable");
    await tab.call("Network.setCacheDisabled", { cacheDisabled: true });
    await passForSafari(tab);
    for (const [at, path] of ["/", "/two", "/", "/three"].entries()) {
      await tab.evaluate(`location.assign("${tracked.urlOf(host, path)}")`);
      await tracked.shows(host, at + 1, visitors);
    }
    expect(loadsOf(host).map(({ n }) => n)).toEqual([true, true, true, true]);
    await tab.close();
  });

  test.each([true, false])("who is new is asked once more in Safari alone: %p", async (isSafari) => {
    const host = await tracked.site(`asked-${isSafari}.example`);
    const tab = await browser.open("about:blank", await browser.newPerson());
    if (isSafari) await passForSafari(tab);
    await tab.go(tracked.urlOf(host));
    await tracked.shows(host, 1, 1);
    const asked = () => tracked.pings.filter((u) => u.startsWith(host));
    expect(asked().toSorted()).toEqual([host, `${host}/`, ...(isSafari ? [`${host}/`] : [])]);
    const before = asked().length;
    await tab.go(tracked.urlOf(host, "/next"));
    await tracked.shows(host, 2, 1);
    expect(asked().slice(before).toSorted()).toEqual([host, `${host}/next`]);
    await tab.close();
  });

  test("a page that goes on to others at once is one visit, with the source and visitor of its first", async () => {
    const body =
      "<script type=module>history.replaceState({}, '', '/en'); history.pushState({}, '', '/en/start')</script>";
    const host = await tracked.site("forward.example", (path) => (path === "/" ? { body } : {}), true);
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.call("Page.navigate", {
      url: tracked.urlOf(host),
      referrer: "https://source.example/",
      referrerPolicy: "unsafeUrl",
    });
    await tracked.shows(host, 3, 1);
    const asked = "referrers?by=visit&metrics=visits,pageviews,visitors";
    expect(await tracked.get<object[]>(host, asked)).toEqual([
      { referrer: "source.example", visits: 1, pageviews: 3, visitors: 1 },
    ]);
    expect(loadsOf(host).map(({ p }) => p)).toEqual([true, false, false]);
    await tab.close();
  });

  test.each([
    ["is left", "location.assign('/next')"],
    ["is hidden", "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))"],
  ])("a page in Safari that %s before that second answer has the first", async (what, leave) => {
    const host = await tracked.site(`${what.replace(" ", "-")}.example`);
    let asked = 0;
    tracked.hold = ({ pathname, searchParams }) =>
      pathname === "/event/ping" && searchParams.get("u") === `${host}/` && ++asked === 2
        ? Bun.sleep(60_000)
        : undefined;
    const tab = await browser.open("about:blank", await browser.newPerson());
    await passForSafari(tab);
    await tab.go(tracked.urlOf(host));
    await until(() => asked === 2, "the page asks once more");
    const sinceMs = performance.now();
    await tab.evaluate(leave);
    await until(() => loadsOf(host).length > 0, "the page view comes");
    expect(loadsOf(host)[0]).toMatchObject({ p: true, q: false, n: false });
    // The answer would come after a minute.
    expect(performance.now() - sinceMs).toBeLessThan(30_000);
    tracked.hold = () => undefined;
    await tab.close();
  });

  test("a frame is no page view where its page counts, unless it is asked for", async () => {
    const port = tracked.port;
    const frame = (src: string, more = "") => `<iframe src="${src}" ${more}></iframe>`;
    const boxed = frame("/boxed", `sandbox="allow-scripts"`);
    const inner = await tracked.site("inner.example");
    const host = await tracked.site("framed.example", (path) => {
      if (path === "/")
        return { body: boxed + frame("/inside") + frame("/asked") + frame(`http://${inner}:${port}/`) };
      return { attributes: path === "/asked" ? "data-frames" : "" };
    });
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(inner, 1, 1);
    await tab.evaluate("frames[1].footfall('inside'); footfall('outside')");
    await tracked.shows(host, 2, 1);
    const { hits } = tracked;
    await until(() => hits.some(({ d }) => (d as object | undefined) !== undefined), "the event comes");
    expect(hits.flatMap(({ d }) => Object.keys((d as object | undefined) ?? {}))).toEqual(["outside"]);
    const paths = loadsOf(host).map(({ u }) => new URL(String(u)).pathname);
    expect(paths.toSorted()).toEqual(["/", "/asked"]);
    await tab.close();
  });

  longTest("a page that is open at midnight asks again with its next view", async () => {
    const host = await tracked.site("midnight.example");
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(host, 1, 1);
    await pushState(tab, "/evening");
    await tracked.shows(host, 2, 1);
    tracked.server.clock.advance(dayMs);
    await pushState(tab, "/morning");
    await tracked.shows(host, 3, 2);
    await pushState(tab, "/noon");
    await tracked.shows(host, 4, 2);
    await tab.close();
  });

  test("views without a connection are sent when it is back, and each once", async () => {
    const host = await tracked.site("tunnel.example");
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(host, 1, 1);
    await tab.call("Network.enable");
    await offline(tab, true);
    await tab.until("!navigator.onLine");
    await pushState(tab, "/one");
    await pushState(tab, "/two");
    await offline(tab, false);
    await tracked.shows(host, 3, 1);
    expect(new Set(loadsOf(host).map(({ b }) => b)).size).toBe(3);
    await tab.close();
  });

  longTest("a server that is down for a moment loses no view, and nobody new", async () => {
    const host = await tracked.site("outage.example");
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(host, 1, 1);
    tracked.server.clock.advance(dayMs);
    await tracked.goDown();
    await pushState(tab, "/one");
    await tab.until(triedLoad);
    tracked.comeBack();
    await tracked.shows(host, 2, 2);
    await tab.close();
  });

  test("who leaves while the server does not answer is sent once more", async () => {
    const host = await tracked.site("outage-left.example");
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(host, 1, 1);
    await tab.call("Network.enable");
    await tab.call("Network.setBlockedURLs", { urls: ["*/event/*"] });
    await pushState(tab, "/one");
    await tab.until(triedLoad);
    await tab.call("Network.setBlockedURLs", { urls: [] });
    await tab.leave();
    await tracked.shows(host, 2, 1);
    await tab.close();
  });

  longTest(
    "a view that the server never takes is sent five times, the last one after 70 minutes",
    async () => {
      const host = await tracked.site("refusing.example");
      const tab = await browser.open("about:blank", await browser.newPerson());
      await tab.call("Page.enable");
      const source =
        "waits = []; const own = setTimeout; setTimeout = (run, ms) => (waits.push(ms), own(run));";
      await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: `{ ${source} }` });
      await tab.call("Network.enable");
      await tab.call("Network.setBlockedURLs", { urls: ["*/event/hit"] });
      await tab.go(tracked.urlOf(host));
      const tries =
        "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/event/hit')).length";
      await tab.until(`${tries} === 5`);
      expect(await tab.evaluate("waits")).toEqual([5e3, 45e3, 405e3, 3_645e3]);
      expect(await tab.evaluate(tries)).toBe(5);
      await tab.close();
    },
  );

  test("what the server refuses is not sent again", async () => {
    const unknown = "unknown.example";
    tracked.alias(unknown);
    const tab = await tracked.arrive(browser, unknown);
    await until(() => loadsOf(unknown).length === 1, "the load comes");
    await tab.evaluate("dispatchEvent(new Event('online'))");
    await pushState(tab, "/next");
    await until(() => loadsOf(unknown).length > 1, "the next load comes");
    expect(loadsOf(unknown).map(({ u }) => new URL(String(u)).pathname)).toEqual(["/", "/next"]);
    await tab.close();
  });
});
