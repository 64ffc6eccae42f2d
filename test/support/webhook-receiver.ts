/** A receiver of webhooks on a port of its own, which keeps what came. */
export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The answer from now on. */
  answer: () => Response = () => new Response("fine");
  private readonly server: Bun.Server<undefined>;

  constructor(private readonly tls?: { readonly key: string; readonly cert: string }) {
    this.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      ...(tls && { tls }),
      fetch: (request): Promise<Response> => this.take(request),
    });
  }

  get url(): string {
    return `${this.tls ? "https" : "http"}://localhost:${this.server.port}`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async take(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    this.received.push({ path: pathname + search, headers: request.headers, body: await request.text() });
    return this.answer();
  }
}
