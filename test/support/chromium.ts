/**
 * A real browser, headless, driven over its DevTools protocol. Looks like anybody's: says nothing of being
 * automated, and finds every host that ends in `.example` on this machine.
 */
import { existsSync } from "node:fs";

export const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);

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
  `--user-agent=${userAgent}`,
];

/** Of keys that are no letter. */
const keyCodes: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  "?": 191,
  "[": 219,
  "]": 221,
};

type Parameters = Readonly<Record<string, unknown>>;

interface AccessibleNode {
  readonly backendDOMNodeId: number;
  readonly ignored: boolean;
  readonly name?: { readonly value: string };
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class Chromium {
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private sent = 0;

  private constructor(
    private readonly child: Bun.Subprocess<"ignore", "ignore", "pipe">,
    private readonly socket: WebSocket,
  ) {
    socket.onmessage = ({ data }: MessageEvent<string>) => this.receive(JSON.parse(data) as Message);
  }

  /** `folder` is empty, and keeps the profile. */
  static async start(path: string, folder: string): Promise<Chromium> {
    const child = Bun.spawn([path, ...flags, `--user-data-dir=${folder}`, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe"],
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

  /** A tab in front of the others. */
  async open(url = "about:blank"): Promise<Tab> {
    const { targetId } = await this.call<{ targetId: string }>("Target.createTarget", { url });
    const attached = { targetId, flatten: true };
    const { sessionId } = await this.call<{ sessionId: string }>("Target.attachToTarget", attached);
    return new Tab(this, targetId, sessionId);
  }

  async call<T>(method: string, params: Parameters = {}, sessionId?: string): Promise<T> {
    const id = ++this.sent;
    const answer = Promise.withResolvers<unknown>();
    this.waiting.set(id, answer);
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return (await answer.promise) as T;
  }

  async stop(): Promise<void> {
    this.socket.close();
    this.child.kill("SIGKILL");
    await this.child.exited;
  }

  private receive({ id, result, error }: Message): void {
    const answer = id === undefined ? undefined : this.waiting.get(id);
    if (id === undefined || answer === undefined) return;
    this.waiting.delete(id);
    if (error === undefined) answer.resolve(result);
    else answer.reject(new Error(error.message));
  }
}

export class Tab {
  constructor(
    private readonly browser: Chromium,
    private readonly targetId: string,
    private readonly sessionId: string,
  ) {}

  call<T>(method: string, params?: Parameters): Promise<T> {
    return this.browser.call(method, params, this.sessionId);
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

  async go(url: string): Promise<void> {
    await this.call("Page.navigate", { url });
    await this.loaded(url);
  }

  async reload(): Promise<void> {
    await this.evaluate("self.old = true");
    await this.call("Page.reload");
    await this.until("!self.old && document.readyState === 'complete'");
  }

  /** Until the page of this URL is complete, and what is deferred has run. */
  loaded(url: string): Promise<void> {
    return this.until(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`);
  }

  /** Until the expression is true, in this page or in the one that is coming. */
  async until(expression: string): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      if (await this.evaluate<boolean>(expression).catch(() => false)) return;
      await Bun.sleep(10);
    }
    throw new Error(`the page never came to ${expression}`);
  }

  /** A click of the mouse in the middle of an element, and everything that a browser makes of it. */
  async click(selector: string): Promise<void> {
    const [x, y] = await this.evaluate<[number, number]>(
      `(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
    );
    await this.clickAt(x, y);
  }

  /** A click on what a screen reader would call so, once it is there. */
  async choose(role: string, name: string | RegExp): Promise<void> {
    const backendNodeId = await this.named(role, name);
    await this.call("DOM.scrollIntoViewIfNeeded", { backendNodeId });
    const { model } = await this.call<{ model: { content: number[] } }>("DOM.getBoxModel", { backendNodeId });
    const [left = 0, top = 0, , , right = 0, bottom = 0] = model.content;
    await this.clickAt((left + right) / 2, (top + bottom) / 2);
  }

  /** Puts the text into a field in place of what is there. */
  async fill(role: string, name: string | RegExp, text: string): Promise<void> {
    const backendNodeId = await this.named(role, name);
    await this.call("DOM.focus", { backendNodeId });
    await this.evaluate("document.activeElement.select?.()");
    await this.type(text);
  }

  /** The node that a screen reader would call so, once it is there; of several the first. */
  async named(role: string, name: string | RegExp): Promise<number> {
    for (let tries = 0; tries < 300; tries++) {
      const found = await this.find(role, name).catch(() => undefined);
      if (found !== undefined) return found;
      await Bun.sleep(10);
    }
    const others = (await this.accessible(role)).map((node) => node.name?.value);
    throw new Error(`the page has no ${role} "${name}"; it has ${JSON.stringify(others)}`);
  }

  /** Names of everything with a role, in the order of the page. */
  async names(role: string): Promise<string[]> {
    return (await this.accessible(role)).map((node) => node.name?.value ?? "");
  }

  private async find(role: string, name: string | RegExp): Promise<number | undefined> {
    const nodes = await this.accessible(role);
    const same = (text = "") => (typeof name === "string" ? text === name : name.test(text));
    return nodes.find((node) => same(node.name?.value))?.backendDOMNodeId;
  }

  private async accessible(role: string): Promise<AccessibleNode[]> {
    const { root } = await this.call<{ root: { backendNodeId: number } }>("DOM.getDocument", { depth: 0 });
    const asked = { backendNodeId: root.backendNodeId, role };
    const { nodes } = await this.call<{ nodes: AccessibleNode[] }>("Accessibility.queryAXTree", asked);
    return nodes.filter(({ ignored }) => !ignored);
  }

  private async clickAt(x: number, y: number): Promise<void> {
    const mouse = { x, y, button: "left", clickCount: 1 };
    await this.call("Input.dispatchMouseEvent", { type: "mousePressed", ...mouse });
    await this.call("Input.dispatchMouseEvent", { type: "mouseReleased", ...mouse });
  }

  /** Keys by their names, as "Enter", "Escape", "ArrowDown", or a letter. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
      const code = keyCodes[key] ?? key.toUpperCase().charCodeAt(0);
      const press = { key, code: key, windowsVirtualKeyCode: code, ...(text !== undefined && { text }) };
      await this.call("Input.dispatchKeyEvent", {
        type: text === undefined ? "rawKeyDown" : "keyDown",
        ...press,
      });
      await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...press });
    }
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

  /** As a person closes it: the page is told. */
  async close(): Promise<void> {
    await this.call("Page.close").catch(() => undefined);
  }
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
