/**
 * `npm run bench [-- --only query,ingest,…]` (`--help` says the rest): measures this machine, prints
 * tables, and writes each to a file of bench/results/.
 *
 * Other work slows DuckDB's two threads more than Footfall's one: the machine should have none, and the load that there
 * was stands beside the results.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { optionsOf } from "../test/support/options.ts";
import { rowsOfSmallMemory, smallMemory, type BuildOptions } from "./builds.ts";
import type { Times } from "./measure.ts";
import { intoPage } from "./readme.ts";

interface Section {
  /** Says what was measured, and how. */
  readonly about: string;
  readonly table: string;
  /** Is for whoever measured, and not for docs/performance.md. */
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
  visits: { byRows: true, run: visits },
  footprint: { byRows: true, run: footprint },
  ingest: { byRows: false, run: ingest },
  tokens: { byRows: false, run: tokens },
  load: { byRows: true, run: underLoad },
  idle: { byRows: false, run: idle },
  restart: { byRows: true, run: restart },
  "busy-day": { byRows: true, run: busyDay },
  checkpoint: { byRows: true, run: checkpoint },
  purge: { byRows: true, run: purge },
  backup: { byRows: true, run: backup },
  export: { byRows: true, run: exportRows },
  years: { byRows: true, run: years },
  page: { byRows: true, run: page },
  paint: { byRows: true, run: () => paint(false) },
  compared: { byRows: true, run: () => paint(true) },
  scale: { byRows: false, run: scale },
  beside: { byRows: false, run: beside },
};

/** It needs executables that are no part of this project. */
const withoutOthers = Object.keys(measurements).filter((name) => name !== "beside");

const values = optionsOf({
  name: "npm run bench",
  about: "Measures this machine, prints tables, and writes each to a file of bench/results/.",
  table: {
    only: {
      value: "NAMES",
      fallback: withoutOthers.join(),
      words: Object.keys(measurements),
      about: "Measures only these, with commas between them.",
    },
    rows: { value: "N", fallback: "1000000", about: "The page views of most of them." },
    runs: { value: "N", fallback: "25", about: "How often a question is asked; figures are medians." },
    hits: { value: "N", fallback: "200000", about: "The hits of ingest." },
    sizes: { value: "N,N,…", about: "The page views of scale." },
    folder: {
      value: "PATH",
      about: "Keeps the data folders of scale, page and paint, and uses those there.",
    },
    vs: {
      value: "PATH",
      about: "Another checkout, or an executable: scale, page and paint measure it in turn.",
    },
    "vs-folder": { value: "PATH", about: "Keeps the data folders of that checkout." },
    medama: { value: "FILE", about: "The executable of Medama that beside measures." },
    goatcounter: { value: "FILE", about: "The executable of GoatCounter that beside measures." },
    readme: { about: "Measures nothing: puts the results that there are into the pages of docs/." },
  },
});
const [rows, runs, hits] = [values.rows, values.runs, values.hits].map(Number) as [number, number, number];
const kept = values.folder === undefined ? undefined : resolve(values.folder);
const pageViews = `${rows.toLocaleString("en")} page views`;
const folder = join(import.meta.dir, "results");
const machine = [
  `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`,
  `${Math.round(totalmem() / 1024 ** 3)} GiB`,
  `Bun ${Bun.version}`,
  `load ${loadavg()[0]?.toFixed(1)} before`,
].join(", ");

if (values.readme)
  for (const page of ["performance.md", "comparison.md"])
    intoPage(join(import.meta.dir, "..", "docs", page), folder);
else await measure(values.only.split(","));

async function measure(names: readonly string[]): Promise<void> {
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
    about: `Questions about ${pageViews} of 12 months, with a limit of 100 rows. Medians of ${runs}; hash of the answers: \`${hash}\``,
    table: queryTable(results),
    note: `Below the goal, times faster than DuckDB: ${missed(results) || "none"}`,
  };
}

async function beside(): Promise<Section> {
  const { benchBeside, besideTable } = await import("./beside.ts");
  const { build } = await import("./idle.ts");
  const measured = { hits: 10_000, connections: 16, rounds: 5 };
  const { medama, goatcounter } = values;
  const results = await benchBeside({
    footfall: build(join(folder, "footfall")),
    medama,
    goatcounter,
    ...measured,
  });
  return {
    about: `Over HTTP, with the settings of a first start: ${measured.hits.toLocaleString("en")} page views over ${measured.connections} connections, then kill -9, a start, and a list of its pages. Medians of ${measured.rounds}, in turn`,
    table: besideTable(results, measured.hits),
  };
}

async function month(): Promise<Section> {
  const { benchMonth, monthTable } = await import("./month.ts");
  return {
    about: `Questions about the last 30 days of a website that has ${pageViews} of 12 months, with a limit of 100 rows, in the server. Medians of ${runs}`,
    table: monthTable(await benchMonth(rows, runs)),
  };
}

async function visits(): Promise<Section> {
  const { benchVisits, visitsTable } = await import("./visits.ts");
  return {
    about: `Questions about visits, of a website that has ${pageViews} of 12 months, in the server: asked for the first time since its start, again, about the last 30 days, and about 12 months with two filters that are new. Medians of ${runs}`,
    table: visitsTable(await benchVisits(rows, runs)),
  };
}

async function footprint(): Promise<Section> {
  const { benchFootprint, footprintTable } = await import("./footprint.ts");
  return {
    about: `Memory of the server and of DuckDB with ${pageViews} of 12 months`,
    table: footprintTable(await benchFootprint(rows)),
  };
}

async function ingest(): Promise<Section> {
  const { benchIngest, ingestTable } = await import("./ingest.ts");
  const options = { hits, warmUp: 90_000, connections: 64, rounds: 3 };
  return {
    about: `Hits from 500 user agents over ${options.connections} connections, each answered after the log is synced. The kinds are measured in turn; medians of ${options.rounds}`,
    table: ingestTable(await benchIngest(options)),
  };
}

async function tokens(): Promise<Section> {
  const { benchTokens, tokensTable } = await import("./tokens.ts");
  const options = { hits: 20_000, batch: 1_000, questions: 5_000, rounds: 5 };
  return {
    about: `What API tokens save and cost, in turn on one server: ${options.hits.toLocaleString("en")} page views of each kind, and ${options.questions.toLocaleString("en")} questions. Medians of ${options.rounds}`,
    table: tokensTable(await benchTokens(options)),
  };
}

async function underLoad(): Promise<Section> {
  const { benchUnderLoad, underLoadTable } = await import("./under-load.ts");
  const load = { rows, rate: 5_000, seconds: 4, rounds: 5 };
  return {
    about: `Latency of ${load.rate} hits a second, from when each is due until its answer, while the server answers one question after the other about ${pageViews}. Measured in turn; medians of ${load.rounds}`,
    table: underLoadTable(await benchUnderLoad(load)),
  };
}

async function idle(): Promise<Section> {
  const { benchIdle, idleTable } = await import("./idle.ts");
  // The runtime collects the garbage of a start when it was left alone for some seconds.
  const starts = { runs: 10, waitMs: 15_000, websites: 1_000, rows: 1_000 };
  return {
    about: `The executable from its start to its first answer, median of ${starts.runs}, and its memory ${starts.waitMs / 1_000} s later`,
    table: idleTable(await benchIdle(starts)),
  };
}

async function restart(): Promise<Section> {
  const { benchRestart, restartTable } = await import("./restart.ts");
  const [starts, tail] = [5, 99_000];
  return {
    about: `A start after a crash, with ${pageViews} of 12 months and ${tail.toLocaleString("en")} hits in the log after the newest checkpoint: from the start of the process to its first answers, and its memory. Medians of ${starts}`,
    table: restartTable(await benchRestart({ rows, runs: starts, tail })),
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

async function purge(): Promise<Section> {
  const { benchPurge, purgeTable } = await import("./purge.ts");
  // More would be a flood: they come from one network.
  const load = { rows, rate: 100, seconds: 45 };
  return {
    about: `Latency of ${load.rate} hits a second, from when each is due until its answer, while the page views of a browser are removed from a website of ${pageViews}`,
    table: purgeTable(await benchPurge(load)),
  };
}

async function backup(): Promise<Section> {
  const { backupTable, benchBackup } = await import("./backup.ts");
  const load = { rows, rate: 500, seconds: 20 };
  return {
    about: `Latency of ${load.rate} hits a second, from when each is due until its answer, while backups of ${pageViews} are made`,
    table: backupTable(await benchBackup(load)),
  };
}

async function exportRows(): Promise<Section> {
  const { benchExport, exportTable } = await import("./export.ts");
  const load = { rows, rate: 200, seconds: 5 };
  return {
    about: `A website with ${pageViews} goes out of a server from source, and into an empty folder: rows a second, the processor's time and the memory of the server alone, and the latency of ${load.rate} hits a second meanwhile`,
    table: exportTable(await benchExport(load), rows),
  };
}

async function years(): Promise<Section> {
  const { benchYears, yearsTable } = await import("./years.ts");
  return {
    about: `Months that gave up their rows: one month of ${pageViews}, and ten years of copies of it. Medians of processor time`,
    table: yearsTable(benchYears(rows, Math.min(runs, 5))),
  };
}

async function page(): Promise<Section> {
  const { benchPage, pageTable } = await import("./page.ts");
  const times = await benchPage({ ...builds(), starts: Math.min(runs, 3), runs: Math.min(runs, 5) });
  return {
    about: `All that a website's page asks, sent at once over HTTP to a server with ${pageViews} of 12 months, until the last answer has been read: the first time with two filters that are new, then again with the same. Medians. ${buildsText(times)}`,
    table: pageTable(times),
  };
}

async function paint(compared: boolean): Promise<Section> {
  const { benchPaint, paintTable } = await import("./paint.ts");
  const times = await benchPaint({ ...builds(), starts: Math.min(runs, 5), again: 2, compared });
  if (times === undefined)
    return { about: "The dashboard in Chromium", table: "There is no chromium on this machine." };
  return {
    about: `The dashboard in Chromium, until all figures are drawn, from a server with ${pageViews} of 12 months${compared ? ", of which the last six are compared with the six before," : ""} that was started on a data folder as a server leaves it. First: asked for the first time since the start, and what is changed a second after the first figures. Again: asked before, but shown in a page that was opened anew. Medians. ${buildsText(times)}`,
    table: paintTable(times),
  };
}

/** Which servers are measured, and where their data folders are kept. */
function builds(): BuildOptions {
  const { vs, "vs-folder": otherFolder } = values;
  return {
    rows,
    kept,
    versus: vs === undefined ? undefined : { path: resolve(vs), kept: otherFolder && resolve(otherFolder) },
  };
}

function buildsText({ builds }: Times): string {
  const memory = rows >= rowsOfSmallMemory ? `, with FOOTFALL_MEMORY=${smallMemory.FOOTFALL_MEMORY}` : "";
  const which =
    builds.length === 1 ? "The executable" : `The executable, in turn with that of commit ${builds[1]}`;
  return `${which}${memory}`;
}

async function scale(): Promise<Section> {
  const { benchScale } = await import("./scale.ts");
  const { dropPageCache } = await import("./page-cache.ts");
  const { missedGoals, scaleTables } = await import("./scale-table.ts");
  const sizes = values.sizes?.split(",").map(Number) ?? [...new Set([1_000_000, Math.max(1_000_000, rows)])];
  const times = { starts: Math.min(runs, 3), runs: Math.min(runs, 5) };
  const result = await benchScale({ ...builds(), sizes, ...times, settleMs: 2_000, drop: dropPageCache });
  return {
    about: `Questions about websites of ${sizes.map((size) => size.toLocaleString("en")).join(", ")} page views of 12 months, with a limit of 100 rows, in the executable with FOOTFALL_MEMORY=1GiB. First: for the first time since a start, or with filters that are new. Again: asked before. Medians of ${times.starts} starts with ${times.runs} runs each. Pages is the first question of a start, so its time includes opening the files and checking their checksums`,
    table: scaleTables(result),
    note: `Above the goals for 100,000,000 page views: ${missedGoals(result) || "none"}`,
  };
}
