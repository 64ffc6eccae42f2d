/**
 * A reverse proxy in front of a server of the test, through which one person's browser goes: it adds the person's
 * address, keeps what was sent and answered, and can let pings wait.
 */
export class VisitorProxy {
  /** The hits that were answered, in the order of their answers. */
  readonly hits: Record<string, unknown>[] = [];
  /** Pings that wait for an answer, and those that the browser gave up. */
  waiting = 0;
  abandoned = 0;
  private held: PromiseWithResolvers<void> | undefined;
  private readonly listener: Bun.Server<undefined>;

  /** `port`: of the server; `addressOf` gives the address that a request comes from. */
  constructor(
    private readonly port: number,
    private readonly addressOf: () => string,
  ) {
    const fetch = (request: Request) => this.answer(request);
    this.listener = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch });
  }

  /** As browsers name a proxy. */
  get url(): string {
    return `http://127.0.0.1:${this.listener.port}`;
  }

  get isHolding(): boolean {
    return this.held !== undefined;
  }

  /** Pings wait from now on, until they are let go. */
  hold(): void {
    [this.held, this.waiting, this.abandoned] = [Promise.withResolvers(), 0, 0];
  }

  letGo(): void {
    this.held?.resolve();
    this.held = undefined;
  }

  async stop(): Promise<void> {
    await this.listener.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/event/ping" && this.held !== undefined) {
      this.waiting++;
      request.signal.addEventListener("abort", () => void this.abandoned++);
      await this.held.promise;
    }
    const { method, headers, signal } = request;
    headers.set("x-forwarded-for", this.addressOf());
    const body = method === "POST" ? await request.text() : undefined;
    const answer = await fetch(`http://127.0.0.1:${this.port}${pathname}${search}`, {
      method,
      headers,
      signal,
      redirect: "manual",
      decompress: false,
      ...(body !== undefined && { body }),
    });
    if (pathname === "/event/hit" && body !== undefined && answer.ok)
      this.hits.push(JSON.parse(body) as Record<string, unknown>);
    return answer;
  }
}
