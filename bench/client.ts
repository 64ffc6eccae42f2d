/**
 * A load generator of one process: keep-alive connections over raw sockets on the loopback, one request in
 * flight on each, answers counted by their status line. Bounded by the number of requests.
 */
import type { Socket } from "bun";

export interface LoadResult {
  readonly seconds: number;
  readonly accepted: number;
  readonly failed: number;
  /** Milliseconds from sending to the answer, one a request. */
  readonly latenciesMs: Float64Array;
}

interface Connection {
  sentMs: number;
  rest: string;
}

export async function sendAll(
  port: number,
  requests: number,
  connections: number,
  request: (at: number) => string,
): Promise<LoadResult> {
  const latenciesMs = new Float64Array(requests);
  let next = 0;
  let answered = 0;
  let accepted = 0;
  const done = Promise.withResolvers<void>();
  const send = (socket: Socket<Connection>) => {
    if (next >= requests) return;
    socket.data.sentMs = performance.now();
    socket.write(request(next++));
  };
  const socket = {
    open: send,
    data(socket: Socket<Connection>, bytes: Buffer) {
      socket.data.rest += bytes.toString("latin1");
      if (!isWhole(socket.data.rest)) return;
      if (isAccepted(socket.data.rest)) accepted++;
      socket.data.rest = "";
      latenciesMs[answered++] = performance.now() - socket.data.sentMs;
      if (answered === requests) done.resolve();
      else send(socket);
    },
    error: (_: Socket<Connection>, error: Error) => done.reject(error),
    close() {
      if (answered < requests) done.reject(new Error(`closed after ${answered} of ${requests} answers`));
    },
  };
  const startMs = performance.now();
  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Connection>({ hostname: "127.0.0.1", port, data: { sentMs: 0, rest: "" }, socket }),
    ),
  );
  await done.promise;
  const seconds = (performance.now() - startMs) / 1_000;
  for (const each of opened) each.end();
  return { seconds, accepted, failed: requests - accepted, latenciesMs };
}

/** Whether `text` is all of an answer with a length. */
export function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end >= 0 && text.length >= end + 4 + length;
}

/** Whether an answer says that the hit was accepted. */
export function isAccepted(answer: string): boolean {
  return answer.startsWith("HTTP/1.1 200") && answer.includes('"accepted":true');
}
