/**
 * Measures how long the server takes for everything that a website's page asks at once, over HTTP: from the first
 * request until the last answer has been read. First with filters that are new, then again with the same ones.
 */
import type { Filter } from "../src/core/questions/query.ts";
import type { ServerProcess } from "../test/support/server.ts";
import { startsInTurn, withBuilds, type Build, type BuildOptions } from "./builds.ts";
import { answered } from "./folder.ts";
import { Times, timesTable } from "./measure.ts";
import { pageQuestion, tabsAsked } from "./page-questions.ts";

export interface PageOptions extends BuildOptions {
  /** How often each server is measured. */
  readonly starts: number;
  /** How often each selection is new, after each start. */
  readonly runs: number;
}

const goalRowsMax = 10_000_000;
/** How often each selection is asked again. */
const againRuns = 2;

interface Selection {
  readonly name: string;
  /** The same rows for each `run`, by filters that are others. */
  readonly filters: (run: number) => readonly Filter[];
  /** Milliseconds that all answers may take the first time, at up to ten million page views. */
  readonly goalMs?: number;
}

/** The shares are those of the rows of bench/data.ts. */
export const selections: readonly Selection[] = [
  {
    name: "8 % of the rows",
    filters: (run) => [
      { name: "browser", operator: "in", operands: ["Chrome", `none-${run}`] },
      { name: "country", operator: "eq", operands: ["Germany"] },
    ],
    goalMs: 100,
  },
  {
    name: "53 % of the rows",
    filters: (run) => [
      { name: "device", operator: "not_in", operands: ["Mobile", `none-${run}`] },
      { name: "country", operator: "neq", operands: ["Germany"] },
    ],
    goalMs: 250,
  },
];
const everything: Selection = { name: "all rows, first after a start", filters: () => [] };

/** A browser has six connections to a server of HTTP/1.1, and the page's live stream holds one of them. */
const browserConnections = 5;
/** Goals are for the first of them. */
const shapes = [
  { name: "every tab, a connection for each", tabs: tabsAsked.every, connections: Infinity, compared: false },
  {
    name: `every tab, over ${browserConnections} connections`,
    tabs: tabsAsked.every,
    connections: browserConnections,
    compared: false,
  },
  {
    name: `the open tabs, over ${browserConnections} connections`,
    tabs: tabsAsked.open,
    connections: browserConnections,
    compared: false,
  },
  {
    name: `the open tabs compared with as many rows, over ${browserConnections} connections`,
    tabs: tabsAsked.open,
    connections: browserConnections,
    compared: true,
  },
] as const;

export async function benchPage(options: PageOptions): Promise<Times> {
  return withBuilds(options, async (builds) => {
    const times = new Times(builds.map(({ name }) => name));
    await startsInTurn(builds, options.starts, (server, build) => measured(server, build, times, options));
    return times;
  });
}

async function measured(
  server: ServerProcess,
  build: Build,
  times: Times,
  { rows, runs }: PageOptions,
): Promise<void> {
  let fresh = 0;
  const measure = async (shape: (typeof shapes)[number], { name, filters, goalMs }: Selection) => {
    const paths = build.way(pageQuestion(filters(++fresh), shape.compared), shape.tabs);
    const goals = shape === shapes[0] && rows <= goalRowsMax ? { first: goalMs } : {};
    const row = times.row(`${shape.name}: ${name}`, goals);
    row.note(build.name, "first", await untilAnswered(server, paths, shape.connections));
    for (let run = 0; run < againRuns; run++)
      row.note(build.name, "again", await untilAnswered(server, paths, shape.connections));
  };
  await measure(shapes[0], everything);
  for (let run = 0; run < runs; run++)
    for (const selection of selections) for (const shape of shapes) await measure(shape, selection);
}

/** Milliseconds until all have been read, with so many requests under way at once, on connections that are kept. */
async function untilAnswered(
  server: ServerProcess,
  paths: readonly string[],
  connections: number,
): Promise<number> {
  const waiting = paths.values();
  const connection = async () => {
    for (const path of waiting) await answered(server, path);
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: Math.min(connections, paths.length) }, connection));
  return performance.now() - startMs;
}

export function pageTable(times: Times): string {
  return timesTable("asked at once", times);
}
