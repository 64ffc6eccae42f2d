/**
 * Measures a start after a crash, for a large website whose months are sealed, with nearly as much log after the newest
 * checkpoint as there ever is: the time from the start of the process to its first answers, and its memory before and
 * after every question.
 */
import { join } from "node:path";
import { openEngine } from "../src/engine/opening/open.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/log.ts";
import { systemRandom } from "../src/lib/random.ts";
import { withFolder } from "../test/support/folder.ts";
import { fromSource, ServerProcess } from "../test/support/server.ts";
import { pageViews, type PageViewRow } from "./data.ts";
import { answered, fillFolder, hostname, lists } from "./folder.ts";
import { build } from "./idle.ts";
import { median, table } from "./measure.ts";
import { memoryOf, type Memory } from "./memory.ts";

const batch = 1_000;

interface Start {
  readonly healthMs: number;
  readonly answerMs: number;
  readonly started: Memory;
  readonly asked: Memory;
}

export interface RestartResult {
  readonly what: string;
  readonly starts: readonly Start[];
}

export interface RestartOptions {
  readonly rows: number;
  /** How often each kind of start is measured. */
  readonly runs: number;
  /** Hits behind the newest checkpoint; below what makes one due, so that every start finds them. */
  readonly tail: number;
  /** Undefined: that of this checkout, built for this time. */
  readonly executable?: string;
}

export function benchRestart(options: RestartOptions): Promise<RestartResult[]> {
  const { rows, runs, tail } = options;
  return withFolder(async (folder) => {
    await inProcess("fill", folder, rows);
    await inProcess("tail", folder, tail);
    const executable = options.executable ?? build(join(folder, "footfall"));
    const cookie = await cookieOf(folder);
    const results: RestartResult[] = [];
    for (const [what, command] of [
      ["from source", fromSource],
      ["the executable", [executable]],
    ] as const) {
      const starts: Start[] = [];
      for (let run = 0; run < runs; run++) starts.push(await start(command, folder, cookie, rows + tail));
      results.push({ what, starts });
    }
    return results;
  });
}

/** A session is part of the tail from here on. */
async function cookieOf(folder: string): Promise<string> {
  const server = await ServerProcess.start(fromSource, folder);
  await server.logIn();
  await server.end("SIGKILL");
  return server.cookie;
}

async function start(
  command: readonly string[],
  folder: string,
  cookie: string,
  pageviews: number,
): Promise<Start> {
  const startMs = performance.now();
  const server = await ServerProcess.start(command, folder, [], {});
  try {
    server.cookie = cookie;
    await answered(server, "/healthz");
    const healthMs = performance.now() - startMs;
    await answered(server, `/website/${hostname}/pages?limit=100`);
    const answerMs = performance.now() - startMs;
    const started = memoryOf(server.pid);
    const summary = await server.get(`/website/${hostname}/summary`);
    const { current } = (await summary.json()) as { current: { pageviews: number } };
    if (current.pageviews !== pageviews)
      throw new Error(`the start has ${current.pageviews} of ${pageviews} page views`);
    for (const filter of ["", "&browser[eq]=Chrome&country[eq]=Germany"])
      for (const list of lists) await answered(server, `/website/${hostname}/${list}?limit=100${filter}`);
    return { healthMs, answerMs, started, asked: memoryOf(server.pid) };
  } finally {
    // A stop would take the tail into a checkpoint.
    await server.end("SIGKILL");
  }
}

/** In another process, which may use memory as it likes, and ends as if it were killed. */
async function inProcess(what: string, folder: string, rows: number): Promise<void> {
  const child = Bun.spawn(
    [process.execPath, import.meta.path, what, join(folder, "snapshots"), String(rows)],
    {
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 600_000,
    },
  );
  if ((await child.exited) !== 0) throw new Error(`the folder could not be made: ${what}`);
}

/** Page views of today, that are in the log only. */
async function addTail(folder: string, records: number): Promise<void> {
  const clock = systemClock;
  const options = { folder, clock, random: systemRandom, logger: silentLogger, demo: false };
  const engine = await openEngine({ ...options, checkpointRecords: Infinity });
  const commit = ({ values, unique, seen, properties }: PageViewRow, row: number) =>
    engine.commit({
      kind: "load",
      timeMs: clock.nowMs(),
      websiteId: 1,
      beacon: row.toString(36),
      unique,
      seen,
      values,
      properties,
    });
  const views = [...pageViews(records, 2)];
  for (let at = 0; at < records; at += batch)
    await Promise.all(views.slice(at, at + batch).map((view, row) => commit(view, at + row)));
}

export function restartTable(results: readonly RestartResult[]): string {
  const of = (starts: readonly Start[], pick: (start: Start) => number) => median(starts.map(pick));
  return table(
    [
      "start",
      "first answer ms",
      "first figures ms",
      "private MB",
      "private MB after every question",
      "resident MB after every question",
    ],
    results.map(({ what, starts }) => [
      what,
      of(starts, ({ healthMs }) => healthMs),
      of(starts, ({ answerMs }) => answerMs),
      of(starts, ({ started }) => started.anonymousMb),
      of(starts, ({ asked }) => asked.anonymousMb),
      of(starts, ({ asked }) => asked.residentMb),
    ]),
  );
}

if (import.meta.main) {
  const [what, folder, rows] = process.argv.slice(2) as [string, string, string];
  if (what === "fill") await fillFolder(folder, 1, Number(rows));
  else await addTail(folder, Number(rows));
  process.exit(0);
}
