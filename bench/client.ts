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

/** `at`: the number of the request. The answer is latin-1, and "" where the connection ended without one. */
export type Answered = (at: number, answer: string) => void;

interface Connection {
  /** The number of the request in flight; -1 for none. */
  at: number;
  sentMs: number;
  /** The bytes that the system did not take yet. */
  left: Buffer;
  rest: string;
}

/** Throws when a connection ends without an answer, unless `answered` is there to be told: then it is opened again. */
export function sendAll(
  port: number,
  requests: number,
  connections: number,
  request: (at: number) => string | Buffer,
  answered?: Answered,
): Promise<LoadResult> {
  return new Sender(port, requests, request, answered).run(connections);
}

class Sender {
  private readonly latenciesMs: Float64Array;
  private readonly done = Promise.withResolvers<void>();
  private next = 0;
  private answers = 0;
  private accepted = 0;

  constructor(
    private readonly port: number,
    private readonly requests: number,
    private readonly request: (at: number) => string | Buffer,
    private readonly answered: Answered | undefined,
  ) {
    this.latenciesMs = new Float64Array(requests);
  }

  async run(connections: number): Promise<LoadResult> {
    const startMs = performance.now();
    for (let at = 0; at < connections; at++) void this.open();
    await this.done.promise;
    const seconds = (performance.now() - startMs) / 1_000;
    const { accepted, requests, latenciesMs } = this;
    return { seconds, accepted, failed: requests - accepted, latenciesMs };
  }

  private open(): Promise<unknown> {
    return Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port: this.port,
      data: { at: -1, sentMs: 0, left: Buffer.alloc(0), rest: "" },
      socket: {
        open: (socket) => this.send(socket),
        data: (socket, bytes) => this.received(socket, bytes),
        drain: flush,
        error: (_, error) => this.done.reject(error),
        close: (socket) => this.closed(socket),
      },
    }).catch(this.done.reject);
  }

  private send(socket: Socket<Connection>): void {
    const { data } = socket;
    data.at = -1;
    if (this.next >= this.requests) {
      socket.end();
      return;
    }
    data.at = this.next++;
    data.sentMs = performance.now();
    data.left = Buffer.from(this.request(data.at));
    flush(socket);
  }

  private received(socket: Socket<Connection>, bytes: Buffer): void {
    const { data } = socket;
    data.rest += bytes.toString("latin1");
    if (data.at < 0 || !isWhole(data.rest)) return;
    const answer = data.rest;
    data.rest = "";
    this.note(data.at, answer, data.sentMs);
    // An answer that came before all was sent ends the connection: what is left would be taken for another request.
    if (data.left.length > 0 || /^connection: close/im.test(answer)) {
      data.at = -1;
      socket.terminate();
    } else this.send(socket);
  }

  private note(at: number, answer: string, sentMs: number): void {
    if (isAccepted(answer)) this.accepted++;
    this.latenciesMs[this.answers++] = performance.now() - sentMs;
    this.answered?.(at, answer);
    if (this.answers === this.requests) this.done.resolve();
  }

  private closed({ data }: Socket<Connection>): void {
    const isOver = this.next >= this.requests;
    if (data.at >= 0 && this.answered === undefined)
      this.done.reject(new Error(`closed after ${this.answers} of ${this.requests} answers`));
    else if (data.at >= 0) this.note(data.at, "", data.sentMs);
    else if (isOver) return;
    if (!isOver) void this.open();
  }
}

function flush(socket: Socket<Connection>): void {
  const { data } = socket;
  data.left = data.left.subarray(Math.max(0, socket.write(data.left)));
}

/** Whether `text` is all of an answer with a length. */
export function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length >= end + 4 + length;
}

/** Whether an answer says that the hit was accepted. */
export function isAccepted(answer: string): boolean {
  return answer.startsWith("HTTP/1.1 200") && answer.includes('"accepted":true');
}
