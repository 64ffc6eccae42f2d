/**
 * The attack of connections that hold memory: thousands that send the head of a request, as long as it may be, or the
 * head and a part of the body, and then nothing. What is cut is opened again.
 */
import type { Socket } from "bun";
import { memoryOf } from "../../bench/memory.ts";
import { withFolder } from "../support/folder.ts";
import { ServerProcess } from "../support/server.ts";
import { atLeast, atMost, told, type Check } from "./attack.ts";

export interface HeldOptions {
  readonly connections: number;
  readonly seconds: number;
  /** FOOTFALL_MEMORY, in MiB. */
  readonly memoryMb: number;
  /** The most memory of its own that the server may have. */
  readonly ownMbMax: number;
}

/** Bun takes heads of 16 KB. */
const fields = ["x-a", "x-b", "x-c", "x-d"].map((name) => `${name}: ${"a".repeat(3_400)}\r\n`).join("");
const head = `POST /event/hit HTTP/1.1\r\nhost: siege\r\n${fields}`;
const body = "a".repeat(3_900);

const kinds = {
  "heads that do not end": head,
  "small bodies that do not end": `${head}content-length: 4000\r\n\r\n${body}`,
  "large bodies that do not end": `${head}content-length: 60000\r\n\r\n${body}`,
};
/** Connections that are being opened at a time. */
const openingMax = 256;

export async function siegeHeld(command: readonly string[], options: HeldOptions): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [what, text] of Object.entries(kinds))
    checks.push(...(await held(command, options, what, text)));
  return checks;
}

function held(
  command: readonly string[],
  options: HeldOptions,
  what: string,
  text: string,
): Promise<Check[]> {
  const { connections, seconds, memoryMb, ownMbMax } = options;
  return withFolder(async (folder) => {
    const server = await ServerProcess.start(command, folder, [], { FOOTFALL_MEMORY: `${memoryMb}MiB` });
    let most = 0;
    const look = () => (most = Math.max(most, memoryOf(server.pid).anonymousMb));
    const holding = new Holding(server.port, connections, text);
    try {
      const before = look();
      const endMs = performance.now() + seconds * 1_000;
      while (performance.now() < endMs) {
        holding.open();
        look();
        await Bun.sleep(50);
      }
      const { size } = holding;
      return [
        atLeast(`${what}: open at the end`, size, Math.min(connections, 256)),
        told("MB of its own before", before),
        atMost("most MB of its own while", most, ownMbMax),
      ];
    } finally {
      holding.end();
      await server.end("SIGTERM");
    }
  });
}

class Holding {
  private readonly sockets = new Set<Socket>();
  private opening = 0;
  private ended = false;

  constructor(
    private readonly port: number,
    private readonly count: number,
    private readonly text: string,
  ) {}

  get size(): number {
    return this.sockets.size;
  }

  /** Opens some of those that are missing. A server with no room lets them wait. */
  open(): void {
    while (this.opening < openingMax && this.sockets.size + this.opening < this.count) {
      this.opening++;
      void this.connect().finally(() => this.opening--);
    }
  }

  end(): void {
    this.ended = true;
    for (const socket of this.sockets) socket.terminate();
  }

  private async connect(): Promise<void> {
    const gone = (socket: Socket) => void this.sockets.delete(socket);
    const handlers = { data: () => {}, close: gone, error: gone };
    const opened = Bun.connect({ hostname: "127.0.0.1", port: this.port, socket: handlers });
    const socket = await opened.catch(() => undefined);
    if (this.ended) socket?.terminate();
    if (socket === undefined || this.ended) return;
    this.sockets.add(socket);
    socket.write(this.text);
  }
}
