/** The tracker in a real browser, on pages of other origins, against the real server: what was done is what counts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { propertiesMax, propertyNameCharactersMax, propertyValueCharactersMax } from "../../src/core/hit.ts";
import { scriptFeatures } from "../../src/core/scripts.ts";
import { Chromium, chromiumPath, eitherChromiumPath, type Tab } from "../support/chromium.ts";
import { useFolder } from "../support/folder.ts";
import { describeWith } from "../support/needs.ts";
import { ServerProcess } from "../support/server.ts";
import { until as untilTrue } from "../support/until.ts";
import { useExecutable } from "../support/executable.ts";

const command = [useExecutable()];

/** The content of a host's page besides the tracker, and the attributes of the tracker's script element. */
interface Site {
  readonly body?: string;
  readonly attributes?: string;
  readonly script?: string;
}
const sites = new Map<string, Site>();
/** Fills `errors` with whatever goes wrong in the page. */
const watchErrors = `<script>
  errors = [];
  onerror = (message) => { errors.push(message) };
  onunhandledrejection = ({ reason }) => { errors.push(String(reason)) };
</script>`;

/** Keeps what the console of a page says. */
const keepSaid = "self.said = []; console.info = (...words) => said.push(words.join(' '));";
/** Whatever the page asks for goes through it, at once. */
const countRequests = `requests = 0;
  const original = fetch;
  fetch = (...args) => (requests++, original(...args));`;

const folder = useFolder();
let server: ServerProcess;
let browser: Chromium;
let pages: Bun.Server<undefined>;

/** A website that the server knows, on its own host; all share one account, which has all features. */
async function site(name: string, site: Site = {}): Promise<string> {
  const host = `${name}.example`;
  sites.set(host, site);
  expect((await server.post("/websites", { hostname: host, visits: false })).status).toBe(201);
  return host;
}

const urlOf = (host: string, path = "/") => `http://${host}:${pages.port}${path}`;

function answer({ url }: Request): Response {
  const { hostname } = new URL(url);
  const {
    body = "",
    attributes = "",
    script = server.url(`/script.js?h=${hostname}`),
  } = sites.get(hostname) ?? {};
  const html = `<!doctype html><title>${hostname}</title>${watchErrors}<script defer src="${script}" ${attributes}></script>${body}`;
  return new Response(html, { headers: { "content-type": "text/html" } });
}

/** Waits until the server says what is expected, and fails with what it says instead. */
async function until(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  let value: unknown;
  const same = async () => {
    value = await read();
    return Bun.deepEquals(value, expected);
  };
  await untilTrue(same, () => `${JSON.stringify(value)} is ${JSON.stringify(expected)}`);
}

/** Page views and first views of each path. */
async function views(host: string): Promise<Record<string, readonly [number, number]>> {
  const rows = await server.rows(host, "pages");
  return Object.fromEntries(rows.map(({ path, pageviews, visitors }) => [path, [pageviews, visitors]]));
}

async function visitors(host: string): Promise<number> {
  const response = await server.get(`/website/${host}/summary`);
  return ((await response.json()) as { current: { visitors: number } }).current.visitors;
}

/** `name=value` -> how often. */
async function events(host: string): Promise<Record<string, number>> {
  const names = await server.rows(host, "properties");
  const values = await Promise.all(
    names.map(({ name }) => server.rows(host, `properties?prop_name[eq]=${encodeURIComponent(name ?? "")}`)),
  );
  return Object.fromEntries(
    values.flat().map(({ name, value, events }) => [`${name}=${value}`, Number(events)]),
  );
}

/** How many hits were duplicates. */
async function duplicates(host: string): Promise<number> {
  const { days } = (await (await server.get(`/website/${host}/rejections`)).json()) as {
    days: { duplicate: number }[];
  };
  return days.reduce((sum, { duplicate }) => sum + duplicate, 0);
}

const durations = async (host: string) =>
  Object.fromEntries((await server.rows(host, "time")).map(({ path, duration }) => [path, Number(duration)]));

async function visit(host: string, path = "/", from = browser): Promise<Tab> {
  const tab = await from.open();
  await tab.go(urlOf(host, path));
  return tab;
}

describeWith("chromium", "in a browser", () => {
  beforeAll(async () => {
    pages = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
    [server, browser] = await Promise.all([
      ServerProcess.start(command, folder, ["--data", join(folder, "data")]),
      Chromium.start(eitherChromiumPath ?? "", join(folder, "profile")),
    ]);
    await server.logIn();
    const settings = { script_type: scriptFeatures };
    const { status } = await server.patch("/user", { settings });
    expect(status).toBe(200);
  });

  afterAll(() => Promise.all([browser?.stop(), server?.end("SIGTERM"), pages?.stop(true)]));

  test("a page, another, and the first again: one visitor, a first view each", async () => {
    const host = await site("plain");
    const tab = await visit(host, "/?utm_source=newsletter#secret");
    await until(() => views(host), { "/": [1, 1] });
    expect(await visitors(host)).toBe(1);
    await tab.go(urlOf(host, "/two"));
    await until(() => views(host), { "/": [1, 1], "/two": [1, 1] });
    await tab.reload();
    await until(() => views(host), { "/": [1, 1], "/two": [2, 1] });
    expect(await visitors(host)).toBe(1);
    expect(await server.rows(host, "sources")).toMatchObject([{ source: "newsletter", visitors: 1 }]);
    expect(await tab.evaluate("[document.cookie, localStorage.length, errors.length]")).toEqual(["", 0, 0]);
    await tab.close();
  });

  test("the other hostnames of a website: one visitor, who follows a link or comes by herself", async () => {
    const host = await site("main");
    sites.set("shop.main.example", {});
    sites.set("far.example", {});
    const aliases = ["shop.main.example", "far.example"];
    const { status } = await server.patch(`/websites/${host}`, { aliases, visits: true });
    expect(status).toBe(200);
    const tab = await visit(host);
    await until(() => views(host), { "/": [1, 1] });
    // The same site, without a referrer.
    await tab.go(urlOf("shop.main.example", "/cart"));
    await until(() => views(host), { "/": [1, 1], "//shop.main.example/cart": [1, 1] });
    // Another site, of which the browser knows nothing.
    await tab.evaluate(`location.href = ${JSON.stringify(urlOf("far.example"))}`);
    const all = { "/": [1, 1], "//shop.main.example/cart": [1, 1], "//far.example/": [1, 1] };
    await until(() => views(host), all);
    expect(await visitors(host)).toBe(1);
    await tab.close();
  });

  test("a single-page application: every new path, back and forward, and not another query", async () => {
    const host = await site("application");
    const tab = await visit(host);
    await until(() => views(host), { "/": [1, 1] });
    await tab.evaluate("history.pushState({}, '', '/a')");
    await tab.evaluate("history.pushState({}, '', '/a?tab=2')");
    await tab.evaluate("history.replaceState({}, '', '/b')");
    await until(() => views(host), { "/": [1, 1], "/a": [1, 1], "/b": [1, 1] });
    await tab.back();
    await until(() => views(host), { "/": [1, 1], "/a": [2, 1], "/b": [1, 1] });
    await tab.evaluate("history.forward()");
    await until(() => views(host), { "/": [1, 1], "/a": [2, 1], "/b": [2, 1] });
    expect(await visitors(host)).toBe(1);
    await tab.leave();
    await until(async () => Object.keys(await durations(host)).length, 3);
    await tab.close();
  });

  test("fragments that a router uses as a path, and no others", async () => {
    const host = await site("router");
    const tab = await visit(host, "/#/start");
    await tab.evaluate("location.hash = '#/about?token=1'");
    await tab.evaluate("location.hash = '#/about?token=2'");
    await tab.evaluate("location.hash = '#!/old'");
    await tab.evaluate("location.hash = '#section'");
    await tab.evaluate("location.hash = '#other'");
    await until(() => views(host), {
      "/#/start": [1, 1],
      "/#/about": [1, 1],
      "/#!/old": [1, 1],
      "/": [1, 1],
    });
    await tab.close();
  });

  // Whether it renders a page ahead is up to a browser, so the page is told that it does.
  test("a page that is rendered ahead is a view when it is looked at, and not before", async () => {
    const host = await site("ahead");
    const tab = await browser.open();
    await tab.call("Page.enable");
    const source = `${countRequests}; Object.defineProperty(document, "prerendering", { value: true })`;
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source });
    await tab.go(urlOf(host));
    await tab.evaluate(`footfall("signup")`);
    expect(await tab.evaluate("requests")).toBe(0);
    await tab.evaluate(`document.dispatchEvent(new Event("prerenderingchange"))`);
    await until(() => views(host), { "/": [1, 1] });
    await tab.close();
  });

  test("a tab that is closed says how long it was", async () => {
    const host = await site("closed");
    // A busy machine may not tell a page in time, and what is told comes a moment later: one tab after the other.
    await until(async () => {
      const tab = await visit(host);
      await Bun.sleep(30);
      await tab.close();
      return ((await durations(host))["/"] ?? 0) >= 30;
    }, true);
  });

  test("clicks: on a child of an element, on links elsewhere and to files", async () => {
    const host = await site("clicks", {
      body: `<button data-footfall-click="plan=pro; place=a=b;open"><b id="child">Buy</b></button>
        <a id="file" href="/report.PDF?v=1" onclick="event.preventDefault()">Report</a>
        <a id="inside" href="/inside" onclick="event.preventDefault()">Inside</a>
        <a id="out" href="http://elsewhere.example:${pages.port}/page">Elsewhere</a>`,
    });
    const tab = await visit(host);
    await tab.evaluate("document.body.onclick = (event) => event.stopPropagation()");
    for (const id of ["child", "inside", "file"]) await tab.click(`#${id}`);
    const clicked = {
      "plan=pro": 1,
      "place=a=b": 1,
      "open=true": 1,
      [`file_download=${urlOf(host, "/report.PDF")}`]: 1,
    };
    await until(() => events(host), clicked);
    await tab.click("#out");
    await tab.loaded(urlOf("elsewhere.example", "/page"));
    await until(() => events(host), {
      ...clicked,
      [`outbound_link=${urlOf("elsewhere.example", "/page")}`]: 1,
    });
    await until(() => views(host), { "/": [1, 1] });
    await tab.close();
  });

  test("page events come with the page view, later ones after it, and each element once", async () => {
    const host = await site("events", { body: `<p data-footfall-load="author=ada">…</p>` });
    const tab = await visit(host);
    await until(() => events(host), { "author=ada": 1 });
    await tab.evaluate(
      `document.body.insertAdjacentHTML("beforeend", "<p><i data-footfall-load='depth=2'>…</i></p>")`,
    );
    await until(() => events(host), { "author=ada": 1, "depth=2": 1 });
    await tab.evaluate(`document.body.append("more")`);
    await tab.evaluate(`footfall("signup")`);
    await tab.evaluate(`footfall("order", { price: 12.5, gift: false })`);
    await until(() => events(host), {
      "author=ada": 1,
      "depth=2": 1,
      "signup=true": 1,
      "order=true": 1,
      "price=12.5": 1,
      "gift=false": 1,
    });
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("a page that is reloaded sends its events with an id once more, and they count once", async () => {
    const order = `<p data-footfall-load="order=paid;price=9" data-footfall-id="A-1">…</p>`;
    const buy = `<button id=buy data-footfall-click="buy" data-footfall-id="A-1 buy">…</button>`;
    const host = await site("thanks", {
      body: `<p data-footfall-load="author=ada">…</p>${order}${buy}`,
    });
    const tab = await visit(host);
    for (const opened of [1, 2]) {
      if (opened === 2) await tab.reload();
      await until(async () => (await views(host))["/"]?.[0], opened);
      await tab.evaluate(`footfall("paid", { amount: 1000 }, 4711)`);
      await tab.evaluate(`footfall("other"), buy.click()`);
      await until(() => events(host), {
        "author=ada": opened,
        "order=paid": 1,
        "price=9": 1,
        "paid=true": 1,
        "amount=1000": 1,
        "buy=true": 1,
        "other=true": opened,
      });
      await until(() => duplicates(host), opened === 1 ? 0 : 3);
    }
    expect(await events(host)).toMatchObject({ "order=paid": 1, "paid=true": 1, "buy=true": 1 });
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("what has an id of its own is sent after the page view, and what comes with the page is in it", async () => {
    const order = `<p data-footfall-load="order=paid" data-footfall-id="A-1">…</p>`;
    const record = `<script>
      hits = [];
      const original = fetch;
      fetch = (url, options) => {
        if (options.body) hits.push(Object.keys(JSON.parse(options.body).d ?? {}).join());
        // While it waits for what it asked, the page is changed.
        else document.body.insertAdjacentHTML("beforeend", "<p data-footfall-load='depth'>…</p>");
        return original(url, options);
      };
    </script>`;
    const host = await site("order", { body: `${record}<p data-footfall-load="author=ada">…</p>${order}` });
    const tab = await visit(host);
    await until(() => events(host), { "author=ada": 1, "depth=true": 1, "order=paid": 1 });
    expect(await tab.evaluate("hits.filter(Boolean)")).toEqual(["author,depth", "order"]);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("a property that the server would refuse is left out or cut, and its event counts", async () => {
    const host = await site("unfit");
    const names = Array.from({ length: propertiesMax }, (_, index) => `c${index}`);
    const thirty = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const counted = Object.fromEntries(names.slice(1).map((_, index) => [`c${index}=1`, 1]));
    const tab = await visit(host);
    await tab.evaluate(`footfall("object", { o: { a: 1 }, plan: "pro" })`);
    await tab.evaluate(`footfall("list", { l: [1, 2], day: new Date(0) })`);
    await tab.evaluate(`footfall("large", { id: 10n, call: () => 1, ring: (self.ring = {}).ring = ring })`);
    await tab.evaluate(`footfall("lost", { never: { toJSON() { throw new Error("no JSON"); } } }), 0`);
    await tab.evaluate(
      `footfall("long", { text: "x".repeat(3_000), price: 0.5, d: { deep: 1 }, none: undefined })`,
    );
    await tab.evaluate(
      `footfall("odd", { odd: { a: 1 } }); footfall("none", { none: undefined, also: null })`,
    );
    await tab.evaluate(
      `footfall("day", { day: new Date(0) }); footfall("call", { call() {}, ...${thirty} })`,
    );
    await tab.evaluate(`footfall(); footfall("", { lost: 1 })`);
    await tab.evaluate(`footfall("word", "pro"); footfall("words", ["a", "b"])`);
    await until(() => events(host), {
      "object=true": 1,
      "plan=pro": 1,
      "list=true": 1,
      "large=true": 1,
      "day=1970-01-01T00:00:00.000Z": 2,
      "odd=true": 1,
      "none=true": 1,
      "call=true": 1,
      "word=true": 1,
      "words=true": 1,
      ...counted,
      "long=true": 1,
      [`text=${"x".repeat(propertyValueCharactersMax)}`]: 1,
      "price=0.5": 1,
    });
    await until(() => views(host), { "/": [1, 1] });
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("an event without a value, sent before its page view, does not take its place", async () => {
    const body = `<script type="module">
      const search = new URLSearchParams(location.search).get("q");
      footfall("search", { search });
    </script>`;
    const host = await site("searched", { body });
    const tab = await browser.open();
    await tab.go(urlOf(host), "https://source.example/");
    await until(() => views(host), { "/": [1, 1] });
    await until(() => events(host), { "search=true": 1 });
    expect(await server.rows(host, "referrers")).toMatchObject([{ referrer: "source.example", visitors: 1 }]);
    expect(await duplicates(host)).toBe(0);
    await tab.close();
  });

  test("of more properties than the server takes the first count, and names are cut, with their page view", async () => {
    const long = "n".repeat(propertyNameCharactersMax);
    const names = Array.from({ length: 2 * propertiesMax }, (_, index) => `n${index}`);
    const attribute = [`${long}nn=cut`, ...names].join(";");
    const host = await site("many", {
      body: `<p data-footfall-load="${attribute}">…</p><p id=p data-footfall-click="${long}n">…</p>`,
    });
    const tab = await visit(host);
    const first = Object.fromEntries(names.slice(0, propertiesMax - 1).map((name) => [`${name}=true`, 1]));
    await until(() => events(host), { [`${long}=cut`]: 1, ...first });
    expect(await views(host)).toEqual({ "/": [1, 1] });
    await tab.evaluate("p.click()");
    await until(() => events(host), { [`${long}=cut`]: 1, [`${long}=true`]: 1, ...first });
    await tab.evaluate(
      `footfall("order", { left: {}, ...Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, 1])) })`,
    );
    const later = Object.fromEntries(names.slice(0, propertiesMax - 1).map((name) => [`${name}=1`, 1]));
    await until(() => events(host), {
      [`${long}=cut`]: 1,
      [`${long}=true`]: 1,
      "order=true": 1,
      ...first,
      ...later,
    });
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("a blocked ping loses no page view and makes up no visitor", async () => {
    const host = await site("blocked");
    const tab = await browser.open();
    await tab.call("Network.enable");
    await tab.call("Network.setBlockedURLs", { urls: ["*/event/ping*"] });
    await tab.go(urlOf(host));
    await until(() => views(host), { "/": [1, 0] });
    expect(await visitors(host)).toBe(0);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test.each([
    ["script", { script: "http://nowhere.example:9/script.js" }],
    ["events", {}],
  ])("a server that is down breaks nothing in the page: its %s", async (name, more) => {
    const host = await site(`down-${name}`, more);
    const tab = await browser.open();
    await tab.call("Network.enable");
    await tab.call("Network.setBlockedURLs", { urls: ["*/event/*"] });
    await tab.go(urlOf(host));
    await tab.evaluate(`self.footfall?.("signup"); history.pushState({}, "", "/next")`);
    await tab.evaluate("fetch('/anything').then((answer) => answer.text()).then(() => 0)");
    expect(await tab.evaluate("[location.pathname, ...errors]")).toEqual(["/next"]);
    await tab.close();
    expect(await views(host)).toEqual({});
  });

  test.each([
    [
      "asks for privacy",
      "data-dnt",
      "Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })",
      {},
    ],
    [
      "asks for it where nobody listens",
      "",
      "Object.defineProperty(navigator, 'doNotTrack', { value: '1' })",
      { "/": [1, 1] },
    ],
    [
      "asks not to be tracked",
      "data-dnt",
      "Object.defineProperty(navigator, 'doNotTrack', { value: '1' })",
      {},
    ],
    ["asks for nothing", "data-dnt", "", { "/": [1, 1] }],
    ["is automated", "", "Object.defineProperty(navigator, 'webdriver', { value: true })", {}],
  ] as const)("a browser that %s", async (what, attributes, source, expected) => {
    const host = await site(what.replaceAll(" ", "-"), { attributes });
    const tab = await browser.open();
    await tab.call("Page.enable");
    await tab.call("Page.addScriptToEvaluateOnNewDocument", {
      source: `${countRequests};${keepSaid};${source}`,
    });
    await tab.go(urlOf(host, "/#footfall-debug"));
    await tab.evaluate(`footfall("signup")`);
    await until(() => views(host), expected);
    const isCounted = "/" in expected;
    expect(await tab.evaluate("said[0]")).toBe(`footfall: ${isCounted ? "not ignored" : "not counted"}`);
    expect((await tab.evaluate<number>("requests")) > 0).toBe(isCounted);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  /** Opens a page whose console says what it says to `said`. */
  async function listen(host: string, path: string, source = "", agrees = true): Promise<Tab> {
    const tab = await browser.open();
    tab.agrees = agrees;
    await tab.call("Page.enable");
    await tab.call("Page.addScriptToEvaluateOnNewDocument", {
      source: `${countRequests};${keepSaid};${source}`,
    });
    await tab.go(urlOf(host, path));
    return tab;
  }

  test("a browser is ignored from #footfall-ignore on, if its person says so, and until #footfall-count", async () => {
    const host = await site("own");
    const opened = async (path: string, agrees?: boolean) => {
      const tab = await listen(host, path, "", agrees);
      await tab.evaluate(`footfall("signup")`);
      const [requests, stored, said] = await tab.evaluate<[number, object, string[]]>(
        "[requests, { ...localStorage }, said]",
      );
      // A page that is left before it knows whether it is a first view does not say that it is one.
      if (requests > 0) await until(async () => path.replace(/#.*/, "") in (await views(host)), true);
      await tab.close();
      return { asks: requests > 0, stored, said: said[0], asked: tab.asked };
    };
    const counted = { asks: true, stored: {}, asked: [] };
    const question = ["Stop counting your visits here?"];
    const declined = { ...counted, asked: question, said: "footfall: not ignored" };
    expect(await opened("/zero#footfall-ignore", false)).toEqual(declined);
    const declinedOnly: Awaited<ReturnType<typeof views>> = { "/zero": [1, 1] };
    expect(await views(host)).toEqual(declinedOnly);
    const ignored = { asks: false, stored: { footfall: "ignore" }, asked: [] };
    const agreed = { ...ignored, asked: question, said: "footfall: ignored" };
    expect(await opened("/#footfall-ignore")).toEqual(agreed);
    expect(await opened("/two")).toEqual({ ...ignored, said: undefined });
    expect(await opened("/two#footfall-debug")).toEqual({ ...ignored, said: "footfall: ignored" });
    expect(await views(host)).toEqual(declinedOnly);
    expect(await opened("/#footfall-count")).toEqual({ ...counted, said: "footfall: not ignored" });
    expect(await opened("/two")).toEqual({ ...counted, said: undefined });
    await until(async () => Object.keys(await views(host)).sort(), ["/", "/two", "/zero"]);
  });

  test("with #footfall-debug the console says what became of each hit", async () => {
    const host = await site("debug");
    const rules = await server.patch(`/website/${host}/rules`, { blocked_paths: ["/private*"] });
    expect(rules.status).toBe(200);
    const said = (tab: Tab) => () => tab.evaluate("said");
    const open = await listen(host, "/#footfall-debug");
    const answers = ["footfall: not ignored", 'footfall: {"accepted":true}'];
    await until(said(open), answers);
    await open.evaluate(`footfall("signup")`);
    await until(said(open), [...answers, answers[1]]);
    await open.evaluate(`footfall()`);
    await until(said(open), [...answers, answers[1], "footfall: no name"]);
    await open.close();
    const blocked = 'footfall: {"accepted":false,"reason":"blocked"}';
    const secret = await listen(host, "/private/one#footfall-debug");
    await until(said(secret), [answers[0], blocked]);
    await secret.evaluate(`footfall("signup")`);
    await until(said(secret), [answers[0], blocked, blocked]);
    await secret.close();
    expect(await views(host)).toEqual({ "/": [1, 1] });
    expect(await events(host)).toEqual({ "signup=true": 1 });
  });

  test("a page that may not store anything counts all the same", async () => {
    const host = await site("sealed");
    const refuse = `Object.defineProperty(self, "localStorage", { get() { throw new Error("no") } })`;
    const tab = await listen(host, "/#footfall-ignore", refuse);
    await until(() => views(host), { "/": [1, 1] });
    expect(await tab.evaluate("[said[0], errors]")).toEqual(["footfall: not ignored", []]);
    await tab.close();
  });

  describe("that keeps the pages that were left, and hides a tab behind another", () => {
    let whole: Chromium;
    beforeAll(async () => void (whole = await Chromium.start(chromiumPath ?? "", join(folder, "whole"))));
    afterAll(() => whole?.stop());

    test("a page that the browser restores is a view, seen before", async () => {
      const host = await site("restored");
      const tab = await visit(host, "/", whole);
      await until(() => views(host), { "/": [1, 1] });
      await tab.evaluate("self.kept = true");
      await tab.go(urlOf(host, "/next"));
      await until(() => views(host), { "/": [1, 1], "/next": [1, 1] });
      await tab.back();
      await tab.until("location.pathname === '/' && self.kept");
      await until(() => views(host), { "/": [2, 1], "/next": [1, 1] });
      expect(await visitors(host)).toBe(1);
      await tab.close();
    });

    test("a page that the browser restores has its properties once more, and those with an id once", async () => {
      const host = await site("restored-events", {
        body: `<p data-footfall-load="reader=guest">…</p><p data-footfall-load="order" data-footfall-id="A-2">…</p>`,
      });
      const tab = await visit(host, "/", whole);
      await until(() => events(host), { "reader=guest": 1, "order=true": 1 });
      await tab.evaluate("self.kept = true");
      await tab.go("about:blank");
      await tab.back();
      await tab.until("self.kept");
      await until(() => views(host), { "/": [2, 1] });
      await until(() => events(host), { "reader=guest": 2, "order=true": 1 });
      await until(() => duplicates(host), 1);
      await tab.evaluate(
        `document.body.insertAdjacentHTML("beforeend", "<p data-footfall-load='late'>…</p>")`,
      );
      await until(() => events(host), { "reader=guest": 2, "order=true": 1, "late=true": 1 });
      expect(await tab.evaluate("errors")).toEqual([]);
      await tab.close();
    });

    test("time counts while the page is visible, and goes on after", async () => {
      const host = await site("hidden");
      const openedMs = performance.now();
      const tab = await visit(host, "/", whole);
      await until(() => views(host), { "/": [1, 1] });
      const other = await whole.open();
      await other.toFront();
      await tab.until("document.hidden");
      const hiddenMs = performance.now();
      await until(async () => Object.keys(await durations(host)), ["/"]);
      const first = (await durations(host))["/"] ?? 0;
      await Bun.sleep(300);
      const shownMs = performance.now();
      await tab.toFront();
      await tab.until("!document.hidden");
      await Bun.sleep(50);
      await tab.leave();
      await until(async () => ((await durations(host))["/"] ?? 0) > first, true);
      await tab.close();
      const visibleMs = performance.now() - openedMs - (shownMs - hiddenMs);
      expect((await durations(host))["/"]).toBeLessThanOrEqual(Math.ceil(visibleMs));
      await other.close();
    });
  });
});
