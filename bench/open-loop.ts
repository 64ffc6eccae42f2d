/**
 * Sends hits at a fixed rate, whatever the server does, as visitors do. `bun bench/open-loop.ts PORT RATE SECONDS RUN`
 * sends them from a process of its own and prints its LoadAtRate as JSON. A hit's latency counts from the time when it
 * was due, not from when it could be sent, so that a pause of the server is seen by every hit in it. Timers are as
 * precise as the system's: a hit leaves up to about a millisecond after it was due, which counts too. Hits of the
 * second before (or of as many seconds as are measured, if fewer) do not count: this process still warms up.
 */
import type { Socket } from "bun";
import { isAccepted, isWhole } from "./client.ts";
import { hitMix } from "./ingest.ts";
import { percentile } from "./measure.ts";

export interface LoadAtRate {
  readonly hits: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** The most hits that wait for an answer at once; later ones wait for a free connection, which counts. */
const connectionsMax = 2_000;
const warmUpSecondsMax = 1;
/** For the answers to the last hits. */
const patienceMs = 10_000;

interface Connection {
  hit: number;
  rest: string;
}

class OpenLoop {
  /** From when it was due to its answer, one a hit. */
  readonly latenciesMs: Float64Array;
  /** Each has its turn: the server closes one that is silent for long. */
  private readonly free: Socket<Connection>[] = [];
  private readonly done = Promise.withResolvers<void>();
  private startMs = 0;
  private sent = 0;
  private answered = 0;

  constructor(
    private readonly rate: number,
    private readonly hits: number,
    private readonly request: (at: number) => string,
  ) {
    this.latenciesMs = new Float64Array(hits);
  }

  async run(port: number): Promise<void> {
    const socket = {
      data: (socket: Socket<Connection>, bytes: Buffer) => this.received(socket, bytes),
      error: (_: Socket<Connection>, error: Error) => this.done.reject(error),
      close: () => this.done.reject(new Error(`closed after ${this.answered} of ${this.hits} answers`)),
    };
    const opened = await Promise.all(
      Array.from({ length: Math.min(connectionsMax, this.rate) }, () =>
        Bun.connect<Connection>({ hostname: "127.0.0.1", port, data: { hit: 0, rest: "" }, socket }),
      ),
    );
    this.free.push(...opened);
    this.startMs = performance.now();
    const timer = setInterval(() => this.sendDue(), 1);
    const deadline = setTimeout(
      () => this.done.reject(new Error(`${this.answered} of ${this.hits} hits were answered in time`)),
      (this.hits / this.rate) * 1_000 + patienceMs,
    );
    try {
      await this.done.promise;
    } finally {
      clearInterval(timer);
      clearTimeout(deadline);
      for (const each of opened) each.end();
    }
  }

  private sendDue(): void {
    const due = Math.min(this.hits, ((performance.now() - this.startMs) / 1_000) * this.rate);
    while (this.sent < due) {
      const socket = this.free.shift();
      if (socket === undefined) return;
      socket.data.hit = this.sent;
      socket.write(this.request(this.sent++));
    }
  }

  private received(socket: Socket<Connection>, bytes: Buffer): void {
    socket.data.rest += bytes.toString("latin1");
    if (!isWhole(socket.data.rest)) return;
    if (!isAccepted(socket.data.rest)) this.done.reject(new Error(`a hit was answered: ${socket.data.rest}`));
    socket.data.rest = "";
    const { hit } = socket.data;
    this.latenciesMs[hit] = performance.now() - this.startMs - (hit / this.rate) * 1_000;
    this.answered++;
    this.free.push(socket);
    if (this.answered === this.hits) this.done.resolve();
    else this.sendDue();
  }
}

/** Throws when a hit is not accepted, or not answered in time. */
export async function sendAtRate(
  port: number,
  rate: number,
  seconds: number,
  run: number,
): Promise<LoadAtRate> {
  const warmUp = Math.ceil(rate * Math.min(seconds, warmUpSecondsMax));
  const hits = warmUp + Math.ceil(rate * seconds);
  const loop = new OpenLoop(rate, hits, hitMix(hits, `-${run}`));
  await loop.run(port);
  const sorted = loop.latenciesMs.subarray(warmUp).sort();
  return {
    hits: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: percentile(sorted, 1),
  };
}

if (import.meta.main) {
  const [port, rate, seconds, run] = process.argv.slice(2).map(Number) as [number, number, number, number];
  console.log(JSON.stringify(await sendAtRate(port, rate, seconds, run)));
  process.exit();
}
