/**
 * A server for the tests of the tracker: it listens, its clock is the test's, it can be slow, and it can be gone. On the
 * same port are the pages of websites on hosts that end in `.example`, which load the tracker from `stats.example`.
 */
import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";
import type { ScriptType } from "../../src/core/scripts.ts";
import { Chromium, eitherChromiumPath, type Tab } from "./chromium.ts";
import { useFolder } from "./folder.ts";
import { TestServer } from "./http.ts";
import { onQuietPort } from "./quiet-port.ts";
import { makeToken, type MadeToken } from "./tokens.ts";
import { until } from "./until.ts";

const serverHost = "stats.example";

/** A page that a host shows. */
export interface Page {
  readonly body?: string;
  /** The attributes of the tracker's script element; null for a page without it. */
  readonly attributes?: string | null;
  /** A file that is served in place of a page. */
  readonly file?: Blob;
}

export class TrackedServer {
  /** Returns the promise that a request waits for before the server sees it; nothing if undefined. */
  hold: (url: URL) => Promise<void> | undefined = () => undefined;
  /** Bodies of the hits that came, in their order. */
  readonly hits: Record<string, unknown>[] = [];
  /** The pings that came, by `u`. */
  readonly pings: string[] = [];
  /** How many requests their browser gave up before they were answered. */
  abandoned = 0;
  /** The headers with which a browser asked for a page the last time. */
  browserHeaders = new Headers();
  readonly port: number;
  private readonly sites = new Map<string, (path: string) => Page>();
  private listener: Bun.Server<undefined> | undefined;

  private constructor(
    readonly server: TestServer,
    private readonly cookie: string,
  ) {
    this.listener = onQuietPort((port) => this.listen(port));
    this.port = this.listener.port ?? 0;
  }

  /** Opens a page in a new tab of somebody who was never there. */
  async arrive(browser: Chromium, host: string, path = "/"): Promise<Tab> {
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.go(this.urlOf(host, path));
    return tab;
  }

  /** `features` are those of the script, by default none. */
  static async open(features: readonly ScriptType[] = ["default"]): Promise<TrackedServer> {
    const server = await TestServer.open();
    const cookie = await server.prepare();
    const body = { settings: { script_type: features } };
    const { status } = await server.ask("PATCH", "/user", { cookie, body });
    if (status !== 200) throw new Error(`setting the features answered ${status}`);
    return new TrackedServer(server, cookie);
  }

  /** Adds a website and its pages. With `visits`, its visits decide about visitors whom the tracker does not know. */
  async site(hostname: string, page: Page | ((path: string) => Page) = {}, visits = false): Promise<string> {
    const body = { hostname, visits };
    const { status } = await this.server.ask("POST", "/websites", { cookie: this.cookie, body });
    if (status !== 201) throw new Error(`adding ${hostname} answered ${status}`);
    this.alias(hostname, page);
    return hostname;
  }

  /** Makes pages of a host that is no website of its own. */
  alias(hostname: string, page: Page | ((path: string) => Page) = {}): void {
    this.sites.set(hostname, typeof page === "function" ? page : () => page);
  }

  urlOf(hostname: string, path = "/"): string {
    return `http://${hostname}:${this.port}${path}`;
  }

  /** Takes the pages and the server from the network, as if the machine were off. */
  async goDown(): Promise<void> {
    await this.listener?.stop(true);
    this.listener = undefined;
  }

  comeBack(): void {
    this.listener ??= this.listen(this.port);
  }

  /** Answers a question about the website. */
  get<T>(hostname: string, question: string): Promise<T> {
    return this.server.get<T>(`/website/${hostname}/${question}`, this.cookie);
  }

  async addGoal(hostname: string, goal: object): Promise<void> {
    const asked = { cookie: this.cookie, body: goal };
    const { status } = await this.server.ask("POST", `/website/${hostname}/goals`, asked);
    if (status !== 201) throw new Error(`adding a goal answered ${status}`);
  }

  /** A token that may send hits of all websites. */
  token(): Promise<MadeToken> {
    return makeToken(this.server, this.cookie, "send");
  }

  async changeAliases(hostname: string, aliases: readonly string[]): Promise<void> {
    const asked = { cookie: this.cookie, body: { aliases } };
    const { status } = await this.server.ask("PATCH", `/websites/${hostname}`, asked);
    if (status !== 200) throw new Error(`changing the other hostnames answered ${status}`);
  }

  /** Page views and visitors of the website. */
  async figures(hostname: string): Promise<{ pageviews: number; visitors: number }> {
    type Figures = { current: { pageviews: number; visitors: number } };
    const { current } = await this.get<Figures>(hostname, "summary");
    return { pageviews: current.pageviews, visitors: current.visitors };
  }

  /** Waits until the website has so many page views, and so many visitors. */
  async shows(hostname: string, pageviews: number, visitors: number): Promise<void> {
    const expected = { pageviews, visitors };
    let value: unknown;
    await until(
      async () => Bun.deepEquals((value = await this.figures(hostname)), expected),
      () => `${hostname} shows ${JSON.stringify(value)}, expected ${JSON.stringify(expected)}`,
    );
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
    const url = new URL(request.url);
    if (url.hostname !== serverHost) {
      this.browserHeaders = new Headers(request.headers);
      return this.page(url);
    }
    const isAbandoned = () => void this.abandoned++;
    request.signal.addEventListener("abort", isAbandoned);
    await this.hold(url);
    if (url.pathname === "/event/ping") this.pings.push(url.searchParams.get("u") ?? "");
    if (url.pathname === "/event/hit")
      this.hits.push((await request.clone().json()) as Record<string, unknown>);
    request.signal.removeEventListener("abort", isAbandoned);
    return this.server.fetch(request);
  }

  private page({ hostname, pathname }: URL): Response {
    const page = this.sites.get(hostname)?.(pathname);
    if (page === undefined) return new Response("no such page", { status: 404 });
    const { attributes = "", body = "", file } = page;
    if (file !== undefined) return new Response(file);
    const src = this.urlOf(serverHost, "/script.js");
    const script = attributes === null ? "" : `<script defer src="${src}" ${attributes}></script>`;
    return new Response(`<!doctype html><title>${hostname}</title>${script}${body}`, {
      headers: { "content-type": "text/html" },
    });
  }
}

interface Tracked {
  readonly tracked: TrackedServer;
  readonly browser: Chromium;
}

/**
 * Starts a server and a browser before the tests of a group, hands them to `use`, and ends them after the tests.
 * `features` are those of the script, by default none; `path` is the browser's.
 */
export function useTracked(
  use: (its: Tracked) => void,
  features?: readonly ScriptType[],
  path = eitherChromiumPath,
): void {
  let its: Tracked | undefined;
  afterAll(() => Promise.all([its?.browser.stop(), its?.tracked.goDown()]));
  const folder = useFolder();
  beforeAll(async () => {
    const [tracked, browser] = await Promise.all([
      TrackedServer.open(features),
      Chromium.start(path ?? "", join(folder, "profile")),
    ]);
    its = { tracked, browser };
    use(its);
  });
}
