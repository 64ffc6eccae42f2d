/** The attack of ten thousand slow connections: what honest hits wait for, before and while they are open. */
import { join } from "node:path";
import { memoryOf } from "../../bench/memory.ts";
import { load } from "../../bench/under-load.ts";
import { until } from "../support/until.ts";
import { atLeast, atMost, told, withServer, type Check } from "./attack.ts";

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
  const { connections, seconds, rate } = options;
  return withServer(command, async ({ port, pid }) => {
    await load(port, rate, seconds, 0);
    const before = await load(port, rate, seconds, 1);
    const beforeMb = memoryOf(pid).residentMb;
    const slow = new SlowProcess(port, connections);
    try {
      await until(() => slow.counts.open >= connections, "all slow connections are open");
      const openFew: number[] = [];
      const watch = setInterval(() => openFew.push(slow.counts.open), 1_000);
      const whileOpen = await load(port, rate, seconds, 2);
      clearInterval(watch);
      return [
        told("honest hits a second", rate),
        atLeast("slow connections open, median", median(openFew), connections * 0.9),
        told("ended by the server meanwhile", slow.counts.ended),
        told("p50 ms before, while", `${before.p50Ms.toFixed(2)}, ${whileOpen.p50Ms.toFixed(2)}`),
        told("p99 ms before", before.p99Ms),
        atMost("p99 ms while", whileOpen.p99Ms, 2 * before.p99Ms),
        told("slowest ms before, while", `${before.maxMs.toFixed(1)}, ${whileOpen.maxMs.toFixed(1)}`),
        told("resident MB before, while", `${Math.round(beforeMb)}, ${Math.round(memoryOf(pid).residentMb)}`),
      ];
    } finally {
      await slow.end();
    }
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
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
