/** A page in a real browser whose server goes away: behind a proxy, without one, and with an ended session. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { troubles } from "../support/dashboard.ts";
import { demoAccount, demoHost, sendHit, type Demo } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { onQuietPort } from "../support/quiet-port.ts";
import { until } from "../support/until.ts";

/** The page's own timers run so many times faster. */
const speed = 40;
const fasterTimers = `{ const timer = setTimeout; setTimeout = (run, ms = 0) => timer(run, ms / ${speed}); }`;
/** In `opened`: those that the page has asked for. */
const countStreams = `opened = 0; { const ask = fetch;
  fetch = (path, ...more) => { opened += path.endsWith("/live"); return ask(path, ...more); }; }`;

/** Stands in front of a server as nginx does, and answers in its place while that is away. */
class Proxy {
  /** "away": 502 to everything; "full": 500 to streams, as the server answers when it has too many. */
  mode: "open" | "away" | "full" = "open";
  /** Streams that were asked for. */
  asked = 0;
  /** Paths of everything that was asked for. */
  readonly paths: string[] = [];
  private readonly held = new Map<string, Promise<void>>();
  private streams = new AbortController();
  private server: Bun.Server<undefined>;

  constructor(private readonly target: string) {
    this.server = onQuietPort((port) => this.listen(port));
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.server.port}${path}`;
  }

  /** Answers nothing of this path until what it returns is called. */
  hold(path: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held.set(path, promise);
    return resolve;
  }

  cutStreams(): void {
    this.streams.abort();
    this.streams = new AbortController();
  }

  /** Nobody listens on its port until it starts again. */
  async stop(): Promise<number> {
    const port = this.server.port as number;
    await this.server.stop(true);
    return port;
  }

  start(port: number): void {
    this.server = this.listen(port);
  }

  private listen(port: number): Bun.Server<undefined> {
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      idleTimeout: 0,
      fetch: (request) => this.answer(request),
    });
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    this.paths.push(pathname);
    await this.held.get(pathname);
    const live = pathname.endsWith("/live");
    if (live) this.asked++;
    if (this.mode === "away") return new Response("<h1>502 Bad Gateway</h1>", { status: 502 });
    if (live && this.mode === "full") return new Response(null, { status: 500 });
    const body = request.method === "GET" ? null : await request.text();
    const headers = new Headers(request.headers);
    headers.set("accept-encoding", "identity");
    const { signal } = this.streams;
    const answer = await fetch(this.target + pathname.slice(1) + search, {
      method: request.method,
      headers,
      body,
      ...(live && { signal }),
    });
    if (!live || answer.body === null || !answer.ok) return answer;
    return new Response(untilCut(answer.body), { headers: answer.headers });
  }
}

async function* untilCut(stream: ReadableStream<Uint8Array>) {
  try {
    yield* stream;
  } catch {
    // Cut.
  }
}

let page: DemoPage;
let demo: Demo;
let proxy: Proxy;
let tab: Tab;

const live = "document.querySelector('.live')?.textContent";
const connected = `/^\\d+ visits? now$/.test(${live})`;
const shows = (text: string) => tab.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
const views = (number: number) => tab.named("link", new RegExp(`^Page views ${number}\\b`));

/** As the page shows them. */
async function pageviews(): Promise<number> {
  await tab.named("link", /^Page views \d/);
  const names = await tab.names("link");
  return Number(names.map((name) => /^Page views (\d+)/.exec(name)?.[1]).find((text) => text !== undefined));
}

/** Until the page was refused a stream and has asked for another. */
async function goAway(): Promise<void> {
  const { asked } = proxy;
  proxy.mode = "away";
  proxy.cutStreams();
  await tab.until(`${live} === "Connecting…"`);
  await until(() => proxy.asked >= asked + 2, "the page asks again for its stream");
}

async function hit(beacon: string): Promise<void> {
  await sendHit(demo, { b: beacon, u: `https://${demoHost}/${beacon}`, p: true, q: false });
}

/** Ends the session of the browser, from another one. */
async function endSession(): Promise<void> {
  const login = await fetch(`${demo.url}auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(demoAccount),
  });
  const headers = { cookie: login.headers.get("set-cookie")?.split(";")[0] ?? "" };
  const sessions = await fetch(`${demo.url}user/sessions`, { headers });
  for (const { id, current } of (await sessions.json()) as { id: string; current: boolean }[])
    if (!current) await fetch(`${demo.url}user/sessions/${id}`, { method: "DELETE", headers });
}

describeTour("a page whose server goes away", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 1, perDay: 20 });
    ({ demo, tab } = page);
    proxy = new Proxy(demo.url);
    for (const source of [fasterTimers, countStreams])
      await tab.call("Page.addScriptToEvaluateOnNewDocument", { source });
    await page.logIn(proxy.url("/"));
  });
  afterAll(async () => {
    await proxy?.stop();
    await page?.close();
  });
  beforeEach(async () => {
    proxy.mode = "open";
    await tab.go(proxy.url(`/dashboard/websites/${demoHost}`));
    await tab.until(connected);
  });

  test("goes on by itself when the proxy in front of it has its server back", async () => {
    const before = await pageviews();
    await goAway();
    await hit("while-away");
    proxy.mode = "open";
    await tab.until(connected);
    await views(before + 1);
  });

  test("asks for no stream while nobody sees it", async () => {
    await goAway();
    await tab.evaluate("void dispatchEvent(new Event('pagehide'))");
    const opened = await tab.evaluate("opened");
    // Timers of the page come in the order of their times, however late: those that ask again wait for ten seconds.
    await tab.evaluate("new Promise((later) => setTimeout(later, 30_000))");
    expect(await tab.evaluate("opened")).toBe(opened);
    proxy.mode = "open";
    await tab.evaluate("void dispatchEvent(new Event('pageshow'))");
    await tab.until(connected);
  });

  test("asks again what had failed when the server can be reached again", async () => {
    const port = await proxy.stop();
    await tab.until(`${live} === "Connecting…"`);
    await tab.choose("link", /^Page views/);
    await tab.choose("link", "Campaigns");
    await shows("The server cannot be reached.");
    // Only a count is struck through, which is of before.
    const struck = `getComputedStyle(document.querySelector(".website-head .live")).textDecorationLine`;
    expect(await tab.evaluate<string>(live)).toBe("Connecting…");
    expect(await tab.evaluate<string>(struck)).not.toBe("line-through");
    proxy.start(port);
    await tab.until(connected);
    await tab.until("!document.querySelector('[role=alert]')?.innerText");
  });

  test("keeps the note that somebody writes meanwhile", async () => {
    await tab.choose("button", "Add note");
    await tab.named("dialog", "Add a note");
    await tab.fill("textbox", "What happened", "Half a note");
    await goAway();
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await shows("There was a problem with the figures.");
    proxy.mode = "open";
    await tab.until(connected);
    await tab.until("!document.body.innerText.includes('There was a problem')");
    expect(await tab.evaluate("document.querySelector('dialog:modal input[name=text]').value")).toBe(
      "Half a note",
    );
    await tab.type(", whole");
    await tab.press("Enter");
    await tab.named("button", /^Note\. .*: Half a note, whole$/);
  });

  test("has figures that move while there are too many streams", async () => {
    const before = await pageviews();
    proxy.mode = "full";
    proxy.cutStreams();
    await tab.until(`${live} === "Connecting…"`);
    await hit("while-full");
    await views(before + 1);
    expect(await tab.evaluate<string>(live)).toBe("Connecting…");
  });

  test("leads to the login when its session ends, and from there back", async () => {
    await endSession();
    await tab.named("heading", "Log in to Footfall");
    await page.enterAccount();
    await tab.until(connected);
  });

  test("asks once for a website that does not exist, and for nothing of it", async () => {
    const website = "/websites/none.example";
    const answer = proxy.hold(website);
    await tab.go(proxy.url("/dashboard/websites/none.example"));
    await until(() => proxy.paths.includes(website), "the page asks for the website");
    answer();
    await shows("There is no website none.example.");
    await tab.still();
    expect(
      proxy.paths.filter((path) => path.includes("none.example") && path.startsWith("/website")),
    ).toEqual([website]);
  });

  test("met no error of its own", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
