/**
 * `bun test/siege/slow-connections.ts PORT COUNT`, a process of its own: keeps so many connections open that come to
 * nothing. By turns they say nothing, send a header a byte a second, or a body a byte a second. What the server ends is
 * opened again at once. It prints the numbers of those that are open and of those that were ended, each second.
 */
import type { Socket } from "bun";

const head = "POST /event/hit HTTP/1.1\r\nhost: siege\r\n";
const kinds = ["", `${head}x-slow: `, `${head}content-length: 4000\r\n\r\n`];
/** Connections that are being opened at a time. */
const openingMax = 256;

class SlowConnections {
  private readonly open = new Map<Socket, string>();
  private ended = 0;

  constructor(
    private readonly port: number,
    private readonly count: number,
  ) {}

  async run(): Promise<never> {
    for (let second = 0; ; second++) {
      const startMs = performance.now();
      for (const [socket, kind] of this.open) if (kind !== "" && second > 0) socket.write("a");
      while (this.open.size < this.count && performance.now() - startMs < 900) {
        const batch = Math.min(openingMax, this.count - this.open.size);
        await Promise.all(Array.from({ length: batch }, (_, at) => this.connect(at)));
      }
      console.log(JSON.stringify({ open: this.open.size, ended: this.ended }));
      await Bun.sleep(Math.max(0, startMs + 1_000 - performance.now()));
    }
  }

  private async connect(at: number): Promise<void> {
    const kind = kinds[at % kinds.length] as string;
    const gone = (socket: Socket) => {
      if (this.open.delete(socket)) this.ended++;
    };
    try {
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: this.port,
        socket: { data: () => {}, close: gone, error: gone },
      });
      this.open.set(socket, kind);
      if (kind !== "") socket.write(kind);
    } catch {
      this.ended++;
    }
  }
}

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
await new SlowConnections(port, count).run();
