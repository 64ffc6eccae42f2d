/**
 * The thirteen things that Medama's own browser tests do (tracker/tests of its repository, June 2026), with its tracker or one
 * like it and this server: six on pages with links, the same with a router, and one with another address of the API. Each
 * compares what is sent and answered, and what counts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Chromium, eitherChromiumPath, type Tab } from "../support/chromium.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { medamaTracker } from "../support/medama-tracker.ts";
import { describeWith } from "../support/needs.ts";
import { someOf } from "../support/rounds.ts";
import { ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

const command = [useExecutable()];

type Sent = Readonly<Record<string, unknown>>;

interface Exchange {
  readonly url: URL;
  /** The body of a hit. */
  readonly sent: Sent | undefined;
  readonly answer: string;
}

const folder = useFolder();
let server: ServerProcess;
let browser: Chromium;
let pages: Bun.Server<undefined>;
let websites = 0;
let exchanges: Exchange[] = [];

const buttons = ["left", "middle", "right"] as const;
const loaded = { load: "test", load2: "test2", load3: "test2" };

/** A page with links to others; with a router, they change the history only. */
function page(hasRouter: boolean, attributes = ""): string {
  const follow = hasRouter ? ` onclick="history.pushState(null, '', this.href); return false"` : "";
  const links = ["index", "about"].map((name) => `<a id=${name} href=/${name}.html${follow}>${name}</a>`);
  const clicked = buttons.map(
    (name) => `<button id=${name}-button data-m:click="button=${name};action=button">x</button>`,
  );
  return `<!doctype html><title>Medama</title><body data-m:load="load=test;load2=test2"><h1 data-m:load="load3=test2">x</h1>
    ${[...links, ...clicked].join(" ")}<script defer src=/script.js ${attributes}></script>`;
}

/** Answers for every host: with its page, the tracker, or what the server says below /api. */
async function answer(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname === "/script.js") return new Response(medamaTracker);
  if (!url.pathname.startsWith("/api/")) {
    const attributes = url.hostname.startsWith("data") ? `data-api=api.example:${pages.port}/api` : "";
    const html = page(url.hostname.startsWith("history"), attributes);
    return new Response(html, { headers: { "content-type": "text/html" } });
  }
  const headers = new Headers(request.headers);
  for (const name of ["host", "accept-encoding", "connection"]) headers.delete(name);
  const body = request.method === "POST" ? await request.text() : null;
  const answered = await fetch(server.url(url.pathname + url.search), {
    method: request.method,
    headers,
    body,
  });
  const text = await answered.text();
  exchanges.push({
    url,
    sent: body === null ? undefined : (JSON.parse(body) as Sent),
    answer: `${answered.status} ${text}`,
  });
  return new Response(text, { status: answered.status, headers: answered.headers });
}

/** Opens the first page of a new website as a new person, and waits until it has counted. */
async function arrive(kind: string): Promise<{ host: string; tab: Tab }> {
  const host = `${kind}${++websites}.example`;
  expect((await server.post("/websites", { hostname: host })).status).toBe(201);
  exchanges = [];
  const tab = await browser.open("about:blank", await browser.newPerson());
  await tab.go(`http://${host}:${pages.port}/index.html`);
  await hits(1);
  return { host, tab };
}

/** The bodies of the hits, once there are so many. */
async function hits(count: number): Promise<readonly Sent[]> {
  const sent = () => exchanges.map((exchange) => exchange.sent).filter((body) => body !== undefined);
  await until(
    () => sent().length >= count,
    () => `${count} hits came, not ${JSON.stringify(sent())}`,
  );
  expect(exchanges.filter(({ sent, answer }) => sent && answer !== '200 {"accepted":true}')).toEqual([]);
  return sent();
}

/** The answers to the pings, of the whole website or of a page. */
const pings = (query: "" | "?u=") =>
  exchanges
    .filter(
      ({ url }) => url.pathname === "/api/event/ping" && url.search.startsWith("?u=") === (query !== ""),
    )
    .map((exchange) => exchange.answer);

/** Follows a link, or goes back, and waits for the hits of both pages. */
async function turn(tab: Tab, path: string, go: () => Promise<void>): Promise<readonly Sent[]> {
  const before = await hits(1);
  await go();
  await tab.until(`location.pathname === "${path}"`);
  return (await hits(before.length + 2)).slice(before.length);
}

const load = (path: string, p: boolean, q: boolean) =>
  expect.objectContaining({ e: "load", u: expect.stringMatching(new RegExp(`${path}$`)), p, q, d: loaded });
const unload = expect.objectContaining({ e: "unload", m: expect.any(Number) });

/** The page views and visitors of each page. */
async function views(host: string): Promise<Record<string, readonly unknown[]>> {
  const rows = await server.rows(host, "pages");
  return Object.fromEntries(rows.map(({ path, pageviews, visitors }) => [path, [pageviews, visitors]]));
}

describeWith("chromium", "Medama's tracker", () => {
  beforeAll(async () => {
    pages = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
    // A page that comes back as it was would not load its tracker again; Medama's tests have none such.
    const args = ["--disable-back-forward-cache", "about:blank"];
    [server, browser] = await Promise.all([
      ServerProcess.start(command, folder),
      Chromium.start(eitherChromiumPath ?? "", join(folder, "profile"), args),
    ]);
    await server.logIn();
  });

  afterAll(() => Promise.all([browser?.stop(), server?.end("SIGTERM"), pages?.stop(true)]));

  describe.each(someOf(["simple", "history"], 1))("on pages of the kind %s", (kind) => {
    test("counts the load of a unique visitor", async () => {
      const { host } = await arrive(kind);
      expect([pings(""), pings("?u=")]).toEqual([["200 0"], ["200 0"]]);
      expect(await hits(1)).toEqual([load("/index.html", true, true)]);
      expect(await views(host)).toEqual({ "/index.html": [1, 1] });
      expect(await server.rows(host, "properties")).toMatchObject(
        Object.keys(loaded).map((name) => ({ name, events: 1 })),
      );
    });

    test("knows a visitor who loads the page again", async () => {
      const { host, tab } = await arrive(kind);
      await tab.reload();
      expect(new Set((await hits(3)).slice(1))).toEqual(new Set([unload, load("/index.html", false, false)]));
      expect([pings(""), pings("?u=")]).toEqual([
        ["200 0", "200 1"],
        ["200 0", "200 1"],
      ]);
      expect(await views(host)).toEqual({ "/index.html": [2, 1] });
    });

    test("counts a new page of the visitor", async () => {
      const { host, tab } = await arrive(kind);
      const sent = await turn(tab, "/about.html", () => tab.click("#about"));
      expect(new Set(sent)).toEqual(new Set([unload, load("/about.html", false, true)]));
      expect(pings("?u=")).toEqual(["200 0", "200 0"]);
      expect(await views(host)).toEqual({ "/index.html": [1, 1], "/about.html": [1, 1] });
    });

    test.each([
      ["a link", (tab: Tab) => tab.click("#index")],
      ["the button to go back", (tab: Tab) => tab.back()],
    ] as const)("knows a visitor who comes back to a page by %s", async (_, comeBack) => {
      const { host, tab } = await arrive(kind);
      await turn(tab, "/about.html", () => tab.click("#about"));
      const sent = await turn(tab, "/index.html", () => comeBack(tab));
      expect(new Set(sent)).toEqual(new Set([unload, load("/index.html", false, false)]));
      expect(pings("?u=").at(-1)).toBe("200 1");
      expect(await views(host)).toEqual({ "/index.html": [2, 1], "/about.html": [1, 1] });
      const summary = await server.get(`/website/${host}/summary`);
      expect(await summary.json()).toMatchObject({ current: { visitors: 1, pageviews: 3 } });
    });

    test("counts clicks with the left and middle button, and none with the right", async () => {
      const { host, tab } = await arrive(kind);
      for (const button of buttons) await tab.click(`#${button}-button`, button);
      await hits(3);
      // The right button would have sent something before the beacon of the page that is left.
      await tab.reload();
      const custom = (button: string) =>
        expect.objectContaining({ e: "custom", g: host, d: { button, action: "button" } });
      const sent = (await hits(5)).filter(({ e }) => e === "custom");
      expect([sent.length, new Set(sent)]).toEqual([2, new Set([custom("left"), custom("middle")])]);
      expect(await server.rows(host, "properties?prop_name[eq]=button")).toMatchObject([
        { value: "left", events: 1 },
        { value: "middle", events: 1 },
      ]);
    });
  });

  test("finds the API where data-api says", async () => {
    const { host } = await arrive("data");
    expect(new Set(exchanges.map(({ url }) => url.host))).toEqual(new Set([`api.example:${pages.port}`]));
    expect(await views(host)).toEqual({ "/index.html": [1, 1] });
  });
});
