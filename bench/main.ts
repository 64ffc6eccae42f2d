/**
 * `npm run bench [-- --rows 1000000] [--runs 25] [--hits 200000] [--only query,ingest,…]`: measures this machine, prints
 * tables, and writes each to a file of bench/results/. Of `scale`, `--sizes 1000000,10000000,…` are the page views, and
 * `--folder PATH` keeps the data folders of these sizes, and uses them where they are kept. `npm run bench -- --readme` measures nothing: it puts these
 * files into the README. Other work slows DuckDB's two threads more than Footfall's one: the machine should have none,
 * and the load that there was stands beside the results.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { table } from "./measure.ts";
import { intoReadme } from "./readme.ts";

interface Section {
  /** What was measured, and how. */
  readonly about: string;
  readonly table: string;
  /** For who measured, not for the README. */
  readonly note?: string;
}

interface Measurement {
  /** The number of page views makes another measurement of it. */
  readonly byRows: boolean;
  run(): Promise<Section>;
}

const measurements: Readonly<Record<string, Measurement>> = {
  query: { byRows: true, run: query },
  month: { byRows: true, run: month },
  footprint: { byRows: true, run: footprint },
  ingest: { byRows: false, run: ingest },
  load: { byRows: true, run: underLoad },
  idle: { byRows: false, run: idle },
  restart: { byRows: true, run: restart },
  "busy-day": { byRows: true, run: busyDay },
  checkpoint: { byRows: true, run: checkpoint },
  paint: { byRows: true, run: paint },
  threads: { byRows: true, run: threads },
  scale: { byRows: false, run: scale },
};

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    runs: { type: "string", default: "25" },
    hits: { type: "string", default: "200000" },
    only: { type: "string", default: Object.keys(measurements).join() },
    sizes: { type: "string" },
    folder: { type: "string" },
    readme: { type: "boolean", default: false },
  },
});
const [rows, runs, hits] = [values.rows, values.runs, values.hits].map(Number) as [number, number, number];
const pageViews = `${rows.toLocaleString("en")} page views`;
const folder = join(import.meta.dir, "results");
const machine = [
  `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`,
  `${Math.round(totalmem() / 1024 ** 3)} GiB`,
  `Bun ${Bun.version}`,
  `load ${loadavg()[0]?.toFixed(1)} before`,
].join(", ");

if (values.readme) intoReadme(join(import.meta.dir, "..", "README.md"), folder);
else await measure(values.only.split(","));

async function measure(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !(name in measurements));
  if (unknown !== undefined) throw new Error(`no "${unknown}": ${Object.keys(measurements).join(", ")}`);
  if (names.includes("query") || names.includes("footprint")) withDuckDb();
  mkdirSync(folder, { recursive: true });
  console.log(machine);
  for (const name of names) {
    const { byRows, run } = measurements[name] as Measurement;
    const { about, table, note } = await run();
    console.log(`\n${about}\n\n${table}${note === undefined ? "" : `\n\n${note}`}`);
    const file = `${byRows ? `${name}-${rows}` : name}.md`;
    writeFileSync(join(folder, file), `${about} (${machine}):\n\n${table}\n`);
  }
}

/** DuckDB is a package of the benchmark alone. */
function withDuckDb(): void {
  if (existsSync(join(import.meta.dir, "node_modules"))) return;
  const { exitCode } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], {
    cwd: import.meta.dir,
  });
  if (exitCode !== 0) throw new Error("the benchmark's own packages could not be installed");
  // A process that did not find a package does not find it later either.
  const again = Bun.spawnSync([process.execPath, ...process.argv.slice(1)], {
    stdio: ["inherit", "inherit", "inherit"],
  });
  process.exit(again.exitCode);
}

async function query(): Promise<Section> {
  const { benchQueries, missed, queryTable } = await import("./query.ts");
  const { results, hash } = await benchQueries(rows, runs);
  return {
    about: `Questions over ${pageViews} of 12 months, limit 100, medians of ${runs}, hash of the answers \`${hash}\``,
    table: queryTable(results),
    note: `Less ahead of DuckDB than they have to be: ${missed(results) || "none"}`,
  };
}

async function month(): Promise<Section> {
  const { benchMonth, monthTable } = await import("./month.ts");
  return {
    about: `The last 30 days of a website of ${pageViews} of 12 months, limit 100, in the server, medians of ${runs}`,
    table: monthTable(await benchMonth(rows, runs)),
  };
}

async function footprint(): Promise<Section> {
  const { benchFootprint, footprintTable } = await import("./footprint.ts");
  return {
    about: `Memory with a website of ${pageViews} of 12 months`,
    table: footprintTable(await benchFootprint(rows)),
  };
}

async function ingest(): Promise<Section> {
  const { benchIngest } = await import("./ingest.ts");
  const result = await benchIngest(hits, 64);
  const { hitsPerSecond, cpuMicrosecondsPerHit, p50Ms, p99Ms, bytesPerHit } = result;
  return {
    about: `Durable hits, answered after the log is synced, 50 loads, 45 unloads and 5 events of a hundred from 500 user agents over 64 connections`,
    table: table(
      ["hits", "hits/s", "CPU µs/hit", "p50 ms", "p99 ms", "log bytes/hit"],
      [[String(result.hits), hitsPerSecond, cpuMicrosecondsPerHit, p50Ms, p99Ms, bytesPerHit]],
    ),
  };
}

async function underLoad(): Promise<Section> {
  const { benchUnderLoad, underLoadTable } = await import("./under-load.ts");
  const load = { rows, rate: 5_000, seconds: 4, rounds: 5 };
  return {
    about: `Durable hits at ${load.rate} a second, latency from when each was due, while the server answers one question after the other over ${pageViews}, in turn, medians of ${load.rounds}`,
    table: underLoadTable(await benchUnderLoad(load)),
  };
}

async function idle(): Promise<Section> {
  const { benchIdle, idleTable } = await import("./idle.ts");
  // The runtime collects the garbage of a start when it was left alone for some seconds.
  const starts = { runs: 10, waitMs: 15_000, websites: 1_000, rows: 1_000 };
  return {
    about: `The executable: from its start to its first answer, median of ${starts.runs}, and its memory ${starts.waitMs / 1_000} s later`,
    table: idleTable(await benchIdle(starts)),
  };
}

async function restart(): Promise<Section> {
  const { benchRestart, restartTable } = await import("./restart.ts");
  const starts = 5;
  return {
    about: `A start after a crash with ${pageViews} of 12 months and a log tail of 99,000 hits: from the start of the process to its first answers, and its memory, medians of ${starts}`,
    table: restartTable(await benchRestart(rows, starts)),
  };
}

async function busyDay(): Promise<Section> {
  const { benchBusyDay, busyDayTable } = await import("./busy-day.ts");
  const result = await benchBusyDay({ rows, starts: 15, waitMs: 3_000, checkpointRecords: 100_000 });
  return {
    about: `A day of ${pageViews}, 90 unloads of a hundred, every twentieth up to six hours late, and 5 events, stopped; the executable, medians of 15 starts`,
    table: busyDayTable(result),
  };
}

async function checkpoint(): Promise<Section> {
  const { benchCheckpoints, checkpointTable } = await import("./checkpoint.ts");
  const result = await benchCheckpoints(rows, 100_000);
  return {
    about: `Checkpoints of ${pageViews} of 12 months and ${result.pages} pages`,
    table: checkpointTable(result),
  };
}

async function paint(): Promise<Section> {
  const { benchPaint, paintTable } = await import("./paint.ts");
  const results = await benchPaint(rows, 15);
  return {
    about: `A website of ${pageViews} in the dashboard, in Chromium, medians of 15`,
    table: results === undefined ? "There is no chromium on this machine." : paintTable(results),
  };
}

async function scale(): Promise<Section> {
  const { benchScale } = await import("./scale.ts");
  const { dropPageCache } = await import("./page-cache.ts");
  const { missedGoals, scaleTables } = await import("./scale-table.ts");
  const sizes = values.sizes?.split(",").map(Number) ?? [...new Set([1_000_000, Math.max(1_000_000, rows)])];
  const kept = values.folder === undefined ? undefined : resolve(values.folder);
  const times = { starts: Math.min(runs, 3), runs: Math.min(runs, 5) };
  const result = await benchScale({ sizes, kept, ...times, settleMs: 2_000, drop: dropPageCache });
  return {
    about: `Websites of ${sizes.map((size) => size.toLocaleString("en")).join(", ")} page views of 12 months, limit 100, in the server with FOOTFALL_MEMORY=1GiB: first after a start, or with filters that are new, and again; medians, starts: ${times.starts}, runs after each: ${times.runs}. The first question of a start, pages, also reads the files and compares their checksums`,
    table: scaleTables(result),
    note: `More than is allowed at 100,000,000 page views: ${missedGoals(result) || "nothing"}`,
  };
}

async function threads(): Promise<Section> {
  const { benchThreads, threadsTable } = await import("./threads.ts");
  return {
    about: `A list with two filters that are new each time, over ${pageViews} in memory, medians of ${runs}: by one thread, and by two that have half of them each`,
    table: threadsTable(await benchThreads(rows, runs)),
  };
}
