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

type Parameters = Readonly<Record<string, unknown>>;

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
    const mouse = { x, y, button: "left", clickCount: 1 };
    await this.call("Input.dispatchMouseEvent", { type: "mousePressed", ...mouse });
    await this.call("Input.dispatchMouseEvent", { type: "mouseReleased", ...mouse });
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
