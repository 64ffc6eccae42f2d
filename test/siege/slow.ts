/** The attack of ten thousand slow connections: what honest hits wait for, before and while they are open. */
import { join } from "node:path";
import { median } from "../../bench/measure.ts";
import { memoryOf } from "../../bench/memory.ts";
import type { LoadAtRate } from "../../bench/open-loop.ts";
import { load } from "../../bench/under-load.ts";
import { until } from "../support/until.ts";
import { atLeast, atMost, told, withServer, type Check } from "./attack.ts";
import { withNginx } from "./nginx.ts";

export interface SlowOptions {
  readonly connections: number;
  /** Honest hits are sent for so long before and while. */
  readonly seconds: number;
  /** Honest hits a second. */
  readonly rate: number;
}

interface Counts {
  readonly open: number;
  readonly ended: number;
}

export function siegeSlow(command: readonly string[], options: SlowOptions): Promise<Check[]> {
  return withServer(command, async ({ port, pid }) => {
    const own = await attacked(port, pid, options);
    const { before, whileOpen, openFew, ended } = own;
    const bare = await withBareServer((port, pid) => attacked(port, pid, options));
    const behind = await withNginx(port, (port) => attacked(port, pid, options, 3));
    return [
      told("honest hits a second", options.rate),
      atLeast("slow connections open, median", median(openFew), options.connections * 0.9),
      told("ended by the server meanwhile", ended),
      told("p50 ms before, while", both("p50Ms", own)),
      told("p99 ms before", before.p99Ms),
      atMost("p99 ms while", whileOpen.p99Ms, 2 * before.p99Ms),
      told("p99 ms before, while, of a bare Bun.serve", both("p99Ms", bare)),
      told("slowest ms before, while", both("maxMs", own)),
      told("slowest ms before, while, of a bare Bun.serve", both("maxMs", bare)),
      told("resident MB before, while", own.residentMb.map(Math.round).join(", ")),
      ...(behind === undefined ? [] : behindNginx(behind)),
    ];
  });
}

/** The same attack on an nginx in front of the server. */
function behindNginx({ before, whileOpen }: Attacked): Check[] {
  return [
    told("p99 ms before, behind nginx", before.p99Ms),
    atMost("p99 ms while, behind nginx", whileOpen.p99Ms, 2 * before.p99Ms),
    told("slowest ms before, while, behind nginx", both("maxMs", { before, whileOpen })),
  ];
}

interface Attacked {
  readonly before: LoadAtRate;
  readonly whileOpen: LoadAtRate;
}

function both(what: "p50Ms" | "p99Ms" | "maxMs", { before, whileOpen }: Attacked): string {
  return [before, whileOpen].map((load) => load[what].toFixed(1)).join(", ");
}

/** `run`: the number of the first of three loads; no two at one server may have the same. */
async function attacked(port: number, pid: number, { connections, seconds, rate }: SlowOptions, run = 0) {
  await load(port, rate, seconds, run);
  const before = await load(port, rate, seconds, run + 1);
  const beforeMb = memoryOf(pid).residentMb;
  const slow = new SlowProcess(port, connections);
  try {
    await until(() => slow.counts.open >= connections, "all slow connections are open");
    const openFew: number[] = [];
    const watch = setInterval(() => openFew.push(slow.counts.open), 1_000);
    const whileOpen = await load(port, rate, seconds, run + 2);
    clearInterval(watch);
    const residentMb = [beforeMb, memoryOf(pid).residentMb];
    return { before, whileOpen, openFew, ended: slow.counts.ended, residentMb };
  } finally {
    await slow.end();
  }
}

async function withBareServer<T>(use: (port: number, pid: number) => Promise<T>): Promise<T> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare-server.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const { value } = await child.stdout.getReader().read();
    return await use(Number(new TextDecoder().decode(value)), child.pid);
  } finally {
    child.kill();
    await child.exited;
  }
}

class SlowProcess {
  counts: Counts = { open: 0, ended: 0 };
  private readonly child: Bun.Subprocess<"ignore", "pipe", "inherit">;

  constructor(port: number, connections: number) {
    this.child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "slow-connections.ts"), `${port}`, `${connections}`],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    void this.read();
  }

  async end(): Promise<void> {
    this.child.kill();
    await this.child.exited;
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.child.stdout) {
      const line = decoder.decode(bytes).trimEnd().split("\n").at(-1) as string;
      this.counts = JSON.parse(line) as Counts;
    }
  }
}
