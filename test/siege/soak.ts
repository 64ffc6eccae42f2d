/**
 * No attack, but long work: hits and questions at a fixed rate for an hour, on as little memory as a small virtual server
 * has. The memory stays where it is.
 */
import { percentile } from "../../bench/measure.ts";
import { memoryOf } from "../../bench/memory.ts";
import { load } from "../../bench/under-load.ts";
import { randomFrom } from "../support/random.ts";
import type { ServerProcess } from "../support/server.ts";
import { atMost, honestHostname, none, told, withServer, type Check } from "./attack.ts";
import { memoryLimit } from "./limited.ts";
import { Picker } from "./odd-values.ts";

export interface SoakOptions {
  readonly minutes: number;
  /** Hits a second. */
  readonly rate: number;
  /** Questions a second. */
  readonly questions: number;
  /** The bound of the server's control group. */
  readonly limitMb: number;
  readonly seed: number;
}

/** The memory is looked at each second; it counts after so long, or after a third of a shorter run. */
const settledMinutes = 10;
const flatMb = 5;
/** Hits are made before they are sent: one process does not hold those of an hour. */
const secondsOfLoadMax = 300;

export async function siegeSoak(command: readonly string[], options: SoakOptions): Promise<Check[]> {
  const limit = memoryLimit(options.limitMb * 1024 * 1024);
  try {
    return await withServer(limit?.wrap(command) ?? command, (server) => soaked(server, options));
  } finally {
    limit?.remove();
  }
}

async function soaked(server: ServerProcess, options: SoakOptions): Promise<Check[]> {
  const { minutes, rate, limitMb, seed } = options;
  const asking = new Asking(server, options.questions, new Picker(randomFrom(seed)));
  const megabytes: number[] = [];
  const watch = setInterval(() => megabytes.push(memoryOf(server.pid).anonymousMb), 1_000);
  const p99s: number[] = [];
  let hits = 0;
  for (let left = minutes * 60, run = 1; left > 0; left -= secondsOfLoadMax, run++) {
    const loaded = await load(server.port, rate, Math.min(left, secondsOfLoadMax), run);
    hits += loaded.hits;
    p99s.push(loaded.p99Ms);
  }
  clearInterval(watch);
  const latenciesMs = await asking.end();
  const byMinute = mediansByMinute(megabytes);
  const settled = byMinute.slice(Math.min(settledMinutes, Math.floor(minutes / 3)));
  return [
    told("minutes", minutes),
    told("limit, MB", limitMb),
    told("hits, all accepted", hits),
    told("p99 ms of a hit, worst five minutes", Math.max(...p99s)),
    told("questions", latenciesMs.length),
    told("p99 ms of a question", percentile(latenciesMs, 0.99)),
    none("questions without an answer of 200", asking.failed),
    told("MB of its own, median of each minute", byMinute.map(Math.round).join(" ")),
    told("MB more a minute, once settled", slopeOf(settled)),
    atMost(
      "MB between the least and the most once settled",
      Math.max(...settled) - Math.min(...settled),
      flatMb,
    ),
  ];
}

/** The slope of the line through values at 0, 1, 2 … that is nearest to them (least squares). */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const square = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return values.reduce((sum, value, at) => sum + (at - middle) * value, 0) / Math.max(1, square);
}

function mediansByMinute(bySecond: readonly number[]): number[] {
  const minutes = Array.from({ length: Math.ceil(bySecond.length / 60) }, (_, at) =>
    bySecond.slice(at * 60, (at + 1) * 60),
  );
  // The last one may be a few seconds.
  return minutes
    .filter(({ length }) => length >= Math.min(30, bySecond.length))
    .map((values) => values.toSorted((a, b) => a - b)[values.length >> 1] as number);
}

const lists = [
  "pages",
  "referrers",
  "browsers",
  "os",
  "devices",
  "countries",
  "languages",
  "time",
  "properties",
];
const filters = [
  "",
  "path[starts_with]=/docs/page-1",
  "browser[eq]=Firefox",
  "os[in]=Windows,Linux",
  "path[not_contains]=7",
  "language[eq]=German",
];

class Asking {
  readonly failed: string[] = [];
  private readonly times: number[] = [];
  private readonly asked = new Set<Promise<void>>();
  private readonly timer: Timer;

  constructor(
    private readonly server: ServerProcess,
    perSecond: number,
    private readonly picker: Picker,
  ) {
    this.timer = setInterval(() => {
      const asked = this.ask().finally(() => this.asked.delete(asked));
      this.asked.add(asked);
    }, 1_000 / perSecond);
  }

  /** Milliseconds of each question, rising. */
  async end(): Promise<Float64Array> {
    clearInterval(this.timer);
    await Promise.all(this.asked);
    return Float64Array.from(this.times).sort();
  }

  private async ask(): Promise<void> {
    const { picker } = this;
    const list = picker.chance(0.2) ? "summary?interval=hour" : `${picker.of(lists)}?limit=100`;
    const path = `/website/${honestHostname}/${list}&${picker.of(filters)}`;
    const startMs = performance.now();
    try {
      const answer = await this.server.get(path);
      const text = await answer.text();
      if (answer.status !== 200) this.failed.push(`${path}: ${answer.status} ${text}`);
    } catch (error) {
      this.failed.push(`${path}: ${String(error)}`);
    }
    this.times.push(performance.now() - startMs);
  }
}
