/**
 * A real headless browser, driven over its DevTools protocol. It looks like a person's: it does not say that it is
 * automated, and it finds every host that ends in `.example` on this machine.
 */
import { eventsOf } from "./keys.ts";
import { isWhole } from "./rounds.ts";
import { until } from "./until.ts";

export const chromiumPath = ["chromium", "chromium-browser", "google-chrome"]
  .map((name) => Bun.which(name))
  .find((path) => path !== null);

/** One that does with less work what a page needs. It restores no tabs and keeps no page that was left. */
export const lightChromiumPath = Bun.which("chromium-headless-shell") ?? chromiumPath;

/** Runs tests of the tracker that hold in both: a whole run takes the browser that people have, a short one the light one. */
export const eitherChromiumPath = isWhole ? chromiumPath : lightChromiumPath;

const userAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-blink-features=AutomationControlled",
  "--host-resolver-rules=MAP *.example 127.0.0.1",
  "--remote-debugging-port=0",
  "--site-per-process",
  // A process that is kept ready for the next page costs more than it saves: most pages of a test have one already.
  "--disable-features=SpareRendererForSitePerProcess",
  // A page of a test is gone before compiling its hottest functions has paid.
  "--js-flags=--no-opt --no-maglev",
  `--user-agent=${userAgent}`,
];

/**
 * Runs a command that is killed, with all that it started, when the pipe to its standard input breaks: whoever started it
 * may end as it likes. The command is the browser's wrapper, and the browser its child: they are one group with this.
 */
const heldScript = `exec 3<&0; "$@" 3<&- & held=$!; { read -r _ <&3; kill -9 -$$; } 2>&- & reader=$!; wait $held; kill $reader`;

/** The browser is killed if closing it takes longer. */
const closingMs = 30_000;
/** A call without an answer by then never gets one: the process of the page hangs. */
const answerMs = 90_000;

export type MouseButton = "left" | "middle" | "right";

type Parameters = Readonly<Record<string, unknown>>;

interface AccessibleNode {
  readonly backendDOMNodeId: number;
  readonly ignored: boolean;
  readonly name?: { readonly value: string };
}

interface Message {
  readonly id?: number;
  /** The name of an event, which answers nothing. */
  readonly method?: string;
  readonly params?: Parameters;
  readonly sessionId?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class Chromium {
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly tabs = new Map<string, Tab>();
  private sent = 0;

  private constructor(
    private readonly child: Bun.Subprocess<"pipe", "ignore", "pipe">,
    private readonly socket: WebSocket,
  ) {
    socket.onmessage = ({ data }: MessageEvent<string>) => this.receive(JSON.parse(data) as Message);
    socket.onclose = () => {
      for (const { reject } of this.waiting.values()) reject(new Error("chromium has gone"));
    };
  }

  /** `folder` is empty or one from before, and keeps the profile. */
  static async start(
    path: string,
    folder: string,
    args: readonly string[] = ["about:blank"],
  ): Promise<Chromium> {
    const command = [path, ...flags, `--user-data-dir=${folder}`, ...args];
    const child = Bun.spawn(["sh", "-c", heldScript, "sh", ...command], {
      stdio: ["pipe", "ignore", "pipe"],
      detached: true,
    });
    let said = "";
    const decoder = new TextDecoder();
    const reader = child.stderr.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`chromium ended before it listened: ${said}`);
      said += decoder.decode(value);
      const [, address] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
      if (address === undefined) continue;
      void drain(reader);
      const socket = new WebSocket(address);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
      });
      return new Chromium(child, socket);
    }
  }

  /** A tab in front of the others; `person` as `newPerson` gave it. */
  async open(url = "about:blank", person?: string): Promise<Tab> {
    const { targetId } = await this.call<{ targetId: string }>("Target.createTarget", {
      url,
      browserContextId: person,
    });
    return this.attach(targetId);
  }

  /** Somebody whose browser keeps nothing of others: a context with a cache of its own, and perhaps a proxy. */
  async newPerson(proxyServer?: string): Promise<string> {
    const { browserContextId } = await this.call<{ browserContextId: string }>(
      "Target.createBrowserContext",
      { proxyServer },
    );
    return browserContextId;
  }

  /** Tabs that are there without having been opened here, once there are so many. */
  async restored(count: number): Promise<Tab[]> {
    type Target = { targetId: string; type: string; url: string };
    let ids: string[] = [];
    const there = async () => {
      const { targetInfos } = await this.call<{ targetInfos: Target[] }>("Target.getTargets");
      ids = targetInfos
        .filter(({ type, url }) => type === "page" && url.startsWith("http"))
        .map(({ targetId }) => targetId);
      return ids.length === count;
    };
    await until(there, () => `${count} tabs are restored, there are ${ids.length}`);
    return Promise.all(ids.map((id) => this.attach(id)));
  }

  private async attach(targetId: string): Promise<Tab> {
    const attached = { targetId, flatten: true };
    const { sessionId } = await this.call<{ sessionId: string }>("Target.attachToTarget", attached);
    const tab = new Tab(this, targetId, sessionId);
    this.tabs.set(sessionId, tab);
    return tab;
  }

  async call<T>(method: string, params: Parameters = {}, sessionId?: string): Promise<T> {
    const id = ++this.sent;
    const answer = Promise.withResolvers<unknown>();
    this.waiting.set(id, answer);
    const hangs = setTimeout(() => answer.reject(new Error(`chromium has not answered ${method}`)), answerMs);
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return (await answer.promise.finally(() => clearTimeout(hangs))) as T;
  }

  /** Closes the browser. Killed, it would leave processes behind that still write into its profile. */
  async stop(): Promise<void> {
    const hangs = setTimeout(() => void this.child.stdin.end(), closingMs);
    await this.call("Browser.close").catch(() => undefined);
    await this.child.exited;
    clearTimeout(hangs);
  }

  private receive({ id, result, error, method, params, sessionId }: Message): void {
    if (method === "Page.javascriptDialogOpening")
      this.tabs.get(sessionId ?? "")?.answer(String(params?.["message"]));
    const answer = id === undefined ? undefined : this.waiting.get(id);
    if (id === undefined || answer === undefined) return;
    this.waiting.delete(id);
    if (error === undefined) answer.resolve(result);
    else answer.reject(new Error(error.message));
  }
}

export class Tab {
  /** An expression that is true while nothing is under way in the page; who clicks, types or reads waits for it. */
  atRest = "true";
  /** The questions that the page asked by `confirm`, and the answer that it gets, once the domain Page is enabled. */
  readonly asked: string[] = [];
  agrees = false;

  constructor(
    private readonly browser: Chromium,
    private readonly targetId: string,
    private readonly sessionId: string,
  ) {}

  call<T>(method: string, params?: Parameters): Promise<T> {
    return this.browser.call(method, params, this.sessionId);
  }

  answer(question: string): void {
    this.asked.push(question);
    void this.call("Page.handleJavaScriptDialog", { accept: this.agrees });
  }

  /** The value of an expression in the page. Throws what the page throws. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.call<{
      result: { value: T };
      exceptionDetails?: { text: string };
    }>("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result.value;
  }

  /**
   * Until the page is complete. The one before may have the same URL, and is still there for a moment. `referrer`: of a
   * page with a link that was followed.
   */
  async go(url: string, referrer?: string): Promise<void> {
    await this.evaluate("self.left = true");
    const { loaderId, errorText } = await this.call<{ loaderId?: string; errorText?: string }>(
      "Page.navigate",
      { url, ...(referrer !== undefined && { referrer, referrerPolicy: "unsafeUrl" }) },
    );
    if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
    // The page stays if only the fragment is another.
    if (loaderId !== undefined) await this.until("!self.left");
    await this.loaded(url);
  }

  /** Begins to go back. A script that left its own page would have no answer. */
  back(): Promise<void> {
    return this.evaluate("void setTimeout(() => history.back())");
  }

  async reload(options: { readonly ignoreCache?: boolean } = {}): Promise<void> {
    await this.evaluate("self.left = true");
    await this.call("Page.reload", options);
    await this.until("!self.left && document.readyState === 'complete'");
  }

  /** Until the page of this URL is complete, and what is deferred has run. */
  loaded(url: string): Promise<void> {
    return this.until(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`);
  }

  /** Until the expression is true, in this page or in the one that is coming. */
  until(expression: string): Promise<void> {
    return until(() => this.evaluate<boolean>(expression), `the page comes to ${expression}`);
  }

  still(): Promise<void> {
    return this.until(this.atRest);
  }

  /** A click of the mouse in the middle of an element, and everything that a browser makes of it. */
  async click(selector: string, button: MouseButton = "left"): Promise<void> {
    const [x, y] = await this.evaluate<[number, number]>(
      `(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
    );
    await this.clickAt(x, y, button);
  }

  /** A click on what a screen reader would call so, once it is there and stays where it is. */
  async choose(role: string, name: string | RegExp): Promise<void> {
    let [x, y] = [NaN, NaN];
    let node: number | undefined;
    const place = async () => {
      node ??= await this.named(role, name);
      return this.placeOf(node).catch((error) => {
        // Another may be in its place.
        node = undefined;
        throw error;
      });
    };
    const stays = async () => {
      await this.still();
      const [left, top] = await place();
      const same = x === left && y === top;
      [x, y] = [left, top];
      return same;
    };
    await until(stays, `the ${role} "${name}" stays where it is`);
    await this.clickAt(x, y);
  }

  /** Puts the text into a field in place of what is there. */
  async fill(role: string, name: string | RegExp, text: string): Promise<void> {
    await this.still();
    const backendNodeId = await this.named(role, name);
    await this.call("DOM.focus", { backendNodeId });
    await this.evaluate("document.activeElement.select?.()");
    await this.type(text);
  }

  /** The node that a screen reader would call so, once it is there; of several the first. */
  async named(role: string, name: string | RegExp): Promise<number> {
    const same = (text = "") => (typeof name === "string" ? text === name : name.test(text));
    let found: number | undefined;
    let others: unknown[] = [];
    const there = async () => {
      const nodes = await this.accessible(role);
      found = nodes.find((node) => same(node.name?.value))?.backendDOMNodeId;
      others = nodes.map((node) => node.name?.value);
      return found !== undefined;
    };
    await until(there, () => `the page has a ${role} "${name}"; it has ${JSON.stringify(others)}`);
    return found as number;
  }

  /** Names of everything with a role, in the order of the page. */
  async names(role: string): Promise<string[]> {
    return (await this.accessible(role)).map((node) => node.name?.value ?? "");
  }

  /** The middle of a node, in pixels of the window, which shows it then. */
  private async placeOf(backendNodeId: number): Promise<[x: number, y: number]> {
    await this.call("DOM.scrollIntoViewIfNeeded", { backendNodeId });
    const { model } = await this.call<{ model: { content: number[] } }>("DOM.getBoxModel", { backendNodeId });
    const [left = 0, top = 0, , , right = 0, bottom = 0] = model.content;
    return [(left + right) / 2, (top + bottom) / 2];
  }

  /** The process of a page that is asked for these while it changes may hang. */
  private async accessible(role: string): Promise<AccessibleNode[]> {
    await this.still();
    const { root } = await this.call<{ root: { backendNodeId: number } }>("DOM.getDocument", { depth: 0 });
    const asked = { backendNodeId: root.backendNodeId, role };
    const { nodes } = await this.call<{ nodes: AccessibleNode[] }>("Accessibility.queryAXTree", asked);
    return nodes.filter(({ ignored }) => !ignored);
  }

  private async clickAt(x: number, y: number, button: MouseButton = "left"): Promise<void> {
    const mouse = { x, y, button, clickCount: 1 };
    await this.call("Input.dispatchMouseEvent", { type: "mousePressed", ...mouse });
    await this.call("Input.dispatchMouseEvent", { type: "mouseReleased", ...mouse });
  }

  /** Keys by their names, as "Enter", "Escape", "ArrowDown", or a letter. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.still();
    for (const key of keys)
      for (const event of eventsOf(key)) await this.call("Input.dispatchKeyEvent", event);
  }

  /** Into the element that has the focus. */
  async type(text: string): Promise<void> {
    await this.call("Input.insertText", { text });
  }

  /** Width and height in CSS pixels. */
  async resize(width: number, height: number): Promise<void> {
    const mobile = width < 600;
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
  }

  async prefer(theme: "light" | "dark"): Promise<void> {
    const features = [{ name: "prefers-color-scheme", value: theme }];
    await this.call("Emulation.setEmulatedMedia", { features });
  }

  /** A PNG of what is in the window, or of the whole page. */
  async screenshot(whole = false): Promise<Uint8Array> {
    const { data } = await this.call<{ data: string }>("Page.captureScreenshot", {
      format: "png",
      captureBeyondViewport: whole,
    });
    return Uint8Array.fromBase64(data);
  }

  async toFront(): Promise<void> {
    await this.browser.call("Target.activateTarget", { targetId: this.targetId });
  }

  /** As a person closes it. Chromium ends a page that has not been told within half a second, as on a busy machine. */
  async close(): Promise<void> {
    await this.call("Page.close").catch(() => undefined);
  }

  /** Leaves the page for an empty one. While the tab stays open, the page is told, however busy the machine is. */
  leave(): Promise<void> {
    return this.go("about:blank");
  }
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
