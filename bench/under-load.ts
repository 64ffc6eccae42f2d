/**
 * Measures how long hits wait while somebody asks. A real server has a website of many page views, and hits at a fixed
 * rate from a process of its own. Meanwhile this process asks nothing, or one long question after the other. The
 * question's filter is always a new one, so that no earlier answer helps.
 */
import { join } from "node:path";
import type { ServerProcess } from "../test/support/server.ts";
import { endMs, startMs } from "./data.ts";
import { hostname, withServerOf } from "./folder.ts";
import { median, mediansOf, table } from "./measure.ts";
import type { LoadAtRate } from "./open-loop.ts";

export interface LoadOptions {
  readonly rows: number;
  /** Hits a second. */
  readonly rate: number;
  /** The length of each load. */
  readonly seconds: number;
  /** In each, every kind of question has its turn. */
  readonly rounds: number;
  /** Starts the server; undefined: from source. */
  readonly command?: readonly string[];
}

export interface UnderLoadResult extends LoadAtRate {
  readonly what: string;
  readonly questions: number;
  /** Until the answer was there; not a number without questions. */
  readonly questionMs: number;
}

/** The slowest list that the API offers, and the slowest question of all. */
const kinds = [
  ["nothing", undefined],
  ["time on each page, filtered", "time?"],
  ["a chart of all hours, filtered", "summary?interval=hour&"],
] as const;
const period = `start=${new Date(startMs).toISOString()}&end=${new Date(endMs).toISOString()}`;

export function benchUnderLoad(options: LoadOptions): Promise<UnderLoadResult[]> {
  return withServerOf(options.rows, (server) => measured(server, options), options.command);
}

async function measured(server: ServerProcess, options: LoadOptions): Promise<UnderLoadResult[]> {
  const { rate, seconds, rounds } = options;
  const results = new Map<string, UnderLoadResult[]>();
  let run = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [what, question] of kinds) {
      const loaded = load(server.port, rate, seconds, ++run);
      const times = question === undefined ? [] : await askUntil(loaded, server, question, run);
      const result = { what, questions: times.length, questionMs: median(times), ...(await loaded) };
      results.set(what, [...(results.get(what) ?? []), result]);
    }
  }
  return [...results.values()].map(mediansOf);
}

/** Sends hits from a process of its own. */
export async function load(port: number, rate: number, seconds: number, run: number): Promise<LoadAtRate> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "open-loop.ts"), ...[port, rate, seconds, run].map(String)],
    { stdio: ["ignore", "pipe", "inherit"], timeout: seconds * 1_000 + 30_000 },
  );
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error("the hits were not all accepted in time");
  return JSON.parse(text);
}

/** Milliseconds of each question. */
async function askUntil(
  done: Promise<unknown>,
  server: ServerProcess,
  question: string,
  run: number,
): Promise<number[]> {
  const times: number[] = [];
  let over = false;
  const end = () => {
    over = true;
  };
  done.then(end, end);
  while (!over) {
    const askedMs = performance.now();
    const fresh = `path[not_contains]=run-${run}-${times.length}`;
    const answer = await server.get(`/website/${hostname}/${question}${period}&${fresh}&limit=100`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${question} answered ${answer.status}`);
    times.push(performance.now() - askedMs);
  }
  return times;
}

export function underLoadTable(results: readonly UnderLoadResult[]): string {
  return table(
    ["asked meanwhile", "questions", "ms each", "hits", "p50 ms", "p99 ms", "max ms"],
    results.map(({ what, questions, questionMs, hits, p50Ms, p99Ms, maxMs }) => [
      what,
      `${questions}`,
      questions === 0 ? "" : questionMs,
      `${hits}`,
      p50Ms,
      p99Ms,
      maxMs,
    ]),
  );
}
