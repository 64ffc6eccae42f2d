/**
 * Measures the most frequent questions of a dashboard: 30 days of a website with many page views, on a real server, in
 * milliseconds of the answer according to `Server-Timing`. They are filtered first with a filter that is always new,
 * then again with the same one.
 */
import { dimensions } from "../src/core/questions/dimension.ts";
import type { ServerProcess } from "../test/support/server.ts";
import { lastMonth } from "./data.ts";
import { hostname, withServerOf } from "./folder.ts";
import { median, table } from "./measure.ts";

export interface MonthResult {
  readonly name: string;
  readonly plainMs: number;
  readonly filteredMs: number;
  readonly againMs: number;
}

const lists = [...dimensions.map(({ list }) => list), "time", "properties", "summary"];
const start = new Date(lastMonth.startMs).toISOString();
const end = new Date(lastMonth.endMs).toISOString();
const warmUps = 2;

/** `command` starts the server; undefined: from source. */
export function benchMonth(rows: number, runs: number, command?: readonly string[]): Promise<MonthResult[]> {
  return withServerOf(rows, (server) => measured(server, runs), command);
}

async function measured(server: ServerProcess, runs: number): Promise<MonthResult[]> {
  const times = lists.map(() => ({ plain: [] as number[], filtered: [] as number[], again: [] as number[] }));
  for (let run = -warmUps; run < runs; run++) {
    for (const [at, list] of lists.entries()) {
      const filter = `&country[eq]=Germany&browser[neq]=run-${run}-${list}`;
      const plainMs = await ask(server, list, "");
      const filteredMs = await ask(server, list, filter);
      const againMs = await ask(server, list, filter);
      if (run < 0) continue;
      times[at]?.plain.push(plainMs);
      times[at]?.filtered.push(filteredMs);
      times[at]?.again.push(againMs);
    }
  }
  return times.map(({ plain, filtered, again }, at) => ({
    name: lists[at] as string,
    plainMs: median(plain),
    filteredMs: median(filtered),
    againMs: median(again),
  }));
}

async function ask(server: ServerProcess, list: string, filter: string): Promise<number> {
  const answer = await server.get(
    `/website/${hostname}/${list}?start=${start}&end=${end}&limit=100${filter}`,
  );
  await answer.arrayBuffer();
  const [, ms] = /answer;dur=([\d.]+)/.exec(answer.headers.get("server-timing") ?? "") ?? [];
  if (ms === undefined) throw new Error(`${list} answered ${answer.status}`);
  return Number(ms);
}

export function monthTable(results: readonly MonthResult[]): string {
  return table(
    ["30 days of", "ms", "filtered ms", "filtered again ms"],
    results.map(({ name, plainMs, filteredMs, againMs }) => [name, plainMs, filteredMs, againMs]),
  );
}
