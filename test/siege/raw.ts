/** Sends bytes to a server as they are, over a socket of its own. */
import type { Socket } from "bun";

export interface RawAnswer {
  /** Everything that came until the connection ended, or until `isWhole` held, in latin-1. */
  readonly text: string;
  /** Whether the other side closed it. */
  readonly closed: boolean;
  readonly ms: number;
}

interface Wanted {
  /** To be waited for, beside the end of the connection. */
  readonly isWhole: (text: string) => boolean;
  readonly msMax: number;
  readonly then?: "answered" | "open" | "end" | "reset";
}

/** `bytes`: latin-1, a character a byte, or several parts that are sent a moment apart. */
export async function sendRaw(
  port: number,
  bytes: string | readonly string[],
  wanted: Wanted,
): Promise<RawAnswer> {
  const startMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let text = "";
  let left = Buffer.alloc(0);
  const flush = (socket: Socket) => {
    left = left.subarray(Math.max(0, socket.write(left)));
    if (left.length > 0) return;
    if (wanted.then === "end") socket.shutdown();
    if (wanted.then === "reset") {
      socket.terminate();
      resolve(true);
    }
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_, part) {
        text += part.toString("latin1");
        if (wanted.isWhole(text)) resolve(false);
      },
      drain: flush,
      close: () => resolve(true),
      error: () => resolve(true),
    },
  });
  const timer = setTimeout(() => resolve(false), wanted.msMax);
  for (const [at, part] of [bytes].flat().entries()) {
    if (at > 0) await Bun.sleep(20);
    left = Buffer.concat([left, Buffer.from(part, "latin1")]);
    flush(socket);
  }
  const closed = await promise;
  clearTimeout(timer);
  socket.terminate();
  return { text, closed, ms: performance.now() - startMs };
}

/** The answers in a text, by their status. */
export function statusesIn(text: string): number[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status));
}
