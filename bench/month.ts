/**
 * Measures the most frequent questions of a dashboard: 30 days of a website with many page views, on a real server, in
 * milliseconds of the answer according to `Server-Timing`. They are filtered first with a filter that is always new,
 * then again with the same one.
 */
import type { ServerProcess } from "../test/support/server.ts";
import { lastMonth } from "./data.ts";
import { hostname, lists, withServerOf } from "./folder.ts";
import { median, table } from "./measure.ts";
import { workOf } from "./server-timing.ts";

export interface MonthResult {
  readonly name: string;
  readonly plainMs: number;
  readonly filteredMs: number;
  readonly againMs: number;
}

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
  const path = `/website/${hostname}/${list}?start=${start}&end=${end}&limit=100${filter}`;
  return (await workOf(server, path)).ms;
}

export function monthTable(results: readonly MonthResult[]): string {
  return table(
    ["30 days of", "ms", "filtered ms", "filtered again ms"],
    results.map(({ name, plainMs, filteredMs, againMs }) => [name, plainMs, filteredMs, againMs]),
  );
}
