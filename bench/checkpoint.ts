/**
 * Measures how long a checkpoint keeps the server from answering. A website with many pages has a million page views on
 * its last day, and the engine makes a checkpoint after every 100,000 of them, on real files and with the real worker.
 * A pause is the time that the main thread works without a break; the worker does the rest. Finally the oldest month is
 * dropped: everything that stays gets other ids then, and is written again.
 */
import { deadPercent } from "../src/engine/upkeep/retention.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../src/core/hit.ts";
import { CheckpointFiles } from "../src/engine/checkpoint/checkpoint.ts";
import { systemIo } from "../src/engine/checkpoint/io.ts";
import type { State } from "../src/engine/checkpoint/state.ts";
import { systemDisk } from "../src/lib/disk/disk.ts";
import { MemoryBudget } from "../src/lib/memory/memory-budget.ts";
import type { LogRecord, RecordOf } from "../src/record/record.ts";
import { MappedFiles } from "../src/snapshot/mapped-files.ts";
import { monthsFrom } from "../src/store/state/rebuilding/drop.ts";
import { isFresh } from "../src/engine/files/planned-checkpoint.ts";
import { endMs, pageViews, startMs, type PageViewRow } from "./data.ts";
import { median, table, type Cell } from "./measure.ts";

const rounds = 10;
const viewsADay = 1_000_000;
/** One page view in so many of a round is of a new page. */
const newPageEvery = 10;
/** Leaves room for the new pages of all rounds below the limit of a dictionary. */
const pagesMax = 900_000;

export interface CheckpointResult {
  readonly rows: number;
  readonly pages: number;
  /** Page views between two checkpoints. */
  readonly between: number;
  readonly first: Measured;
  readonly later: readonly Measured[];
  readonly drop: MeasuredDrop;
}

interface Measured {
  readonly pauseMs: number;
  readonly writeMs: number;
  readonly megabytes: number;
  readonly files: number;
}

interface MeasuredDrop {
  /** The longest of the steps before it. */
  readonly stepMs: number;
  readonly steps: number;
  readonly dropMs: number;
  readonly after: Measured;
}

const setUp: readonly LogRecord[] = [
  { kind: "userAdded", timeMs: startMs, userId: 1, username: "bench", passwordHash: "", firstOnly: true },
  { kind: "websiteAdded", timeMs: startMs, websiteId: 1, userId: 1, hostname: "bench.example" },
];

export async function benchCheckpoints(rows: number, between: number): Promise<CheckpointResult> {
  const folder = mkdtempSync(join(tmpdir(), "footfall-bench-"));
  try {
    const mapped = new MappedFiles({
      disk: systemDisk,
      folder,
      budget: new MemoryBudget(Infinity),
      onDamage: () => {},
    });
    const { state, files } = CheckpointFiles.empty("00".repeat(16), mapped);
    for (const record of setUp) state.apply(record);
    const pages = Math.min(rows, pagesMax);
    const views = pageViews(rows + rounds * between);
    const spread = Math.max(0.9 * rows, rows - viewsADay);
    const timeOf = (row: number) =>
      Math.floor(
        row < spread
          ? startMs + (row / spread) * (endMs - startMs)
          : endMs + ((row - spread) / viewsADay) * dayMs,
      );
    for (let row = 0; row < rows; row++)
      state.apply({ ...pageLoad(next(views), row, row % pages), timeMs: timeOf(row) });
    const seal = (seq: number) => {
      state.apply({ kind: "checkpoint", timeMs: timeOf(seq), manifestSeq: seq });
      files.chunks.releaseSealed();
    };
    // A folder of this many rows has seen many checkpoints, each of which has sealed what it found.
    seal(rows);
    const first = await measured(files, folder, rows, seal);
    const later: Measured[] = [];
    for (let row = rows; row < rows + rounds * between; row++) {
      const fresh = row % newPageEvery === 0;
      const page = fresh ? pages + (row - rows) / newPageEvery : row % pages;
      state.apply({ ...pageLoad(next(views), row, Math.floor(page)), timeMs: timeOf(row) });
      if ((row + 1 - rows) % between === 0) later.push(await measured(files, folder, row + 1, seal));
    }
    const drop = await measuredDrop(state, files, folder, rows + rounds * between + 1, seal);
    state.check();
    return { rows, pages, between, first, later, drop };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function next(views: Generator<PageViewRow>): PageViewRow {
  return views.next().value as PageViewRow;
}

/** The page view of that number, of the page of that number. */
function pageLoad(view: PageViewRow, row: number, page: number): RecordOf<"load"> {
  const { timeMs, values, unique, seen, properties } = view;
  const path = `/${page % 3 === 0 ? "blog" : "docs"}/chapter-${page % 97}/page-${page}`;
  const beacon = row.toString(36);
  return {
    kind: "load",
    timeMs,
    websiteId: 1,
    beacon,
    unique,
    seen,
    values: [path, ...values.slice(1)],
    properties,
  };
}

async function measured(
  files: CheckpointFiles,
  folder: string,
  seq: number,
  seal: (seq: number) => void,
): Promise<Measured> {
  const startedMs = performance.now();
  const { checkpoint, settle } = files.collect(seq, startMs, false);
  const names = new Set(checkpoint.files.filter(isFresh).map(({ name }) => name));
  const writing = systemIo.writeCheckpoint(folder, checkpoint);
  const pausedMs = performance.now();
  const manifest = await writing;
  const writtenMs = performance.now();
  settle(manifest);
  seal(seq);
  const settledMs = performance.now();
  const bytes = manifest.files.reduce((sum, { name, bytes }) => (names.has(name) ? sum + bytes : sum), 0);
  return {
    pauseMs: Math.max(pausedMs - startedMs, settledMs - writtenMs),
    writeMs: writtenMs - pausedMs,
    megabytes: bytes / 1e6,
    files: names.size,
  };
}

async function measuredDrop(
  { store }: State,
  files: CheckpointFiles,
  folder: string,
  seq: number,
  seal: (seq: number) => void,
): Promise<MeasuredDrop> {
  const first = new Date(startMs);
  const beforeMs = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
  const stepsMs: number[] = [];
  const reading = store.drops.readWhatStays([...store.sites.values()][0]!, monthsFrom(beforeMs));
  for (let done: boolean | undefined = false; !done;) {
    const stepStartMs = performance.now();
    ({ done } = reading.next());
    stepsMs.push(performance.now() - stepStartMs);
  }
  const dropStartMs = performance.now();
  store.apply({ kind: "monthsDropped", timeMs: endMs, beforeMs, deadPercent });
  const dropMs = performance.now() - dropStartMs;
  const after = await measured(files, folder, seq, seal);
  return { stepMs: Math.max(...stepsMs), steps: stepsMs.length, dropMs, after };
}

export function checkpointTable({ between, first, later, drop }: CheckpointResult): string {
  const of = (name: keyof Measured) => later.map((each) => each[name]);
  const row = (what: string, pick: (values: readonly number[]) => number): Cell[] => [
    what,
    pick(of("pauseMs")),
    pick(of("writeMs")),
    pick(of("megabytes")),
    pick(of("files")),
  ];
  const checkpoints = table(
    ["checkpoint", "pause ms", "worker ms", "MB written", "files"],
    [
      ["the first, of everything", ...cellsOf(first)],
      row(`after ${between} more, median of ${rounds}`, median),
      row("the greatest of them", (values) => Math.max(...values)),
      ["after the oldest month was dropped", ...cellsOf(drop.after)],
    ],
  );
  const { steps, stepMs, dropMs } = drop;
  return `${checkpoints}

Dropping that month: ${steps} steps of at most ${stepMs.toFixed(1)} ms that read what stays, and ${dropMs.toFixed(0)} ms in which nothing else is done.`;
}

function cellsOf({ pauseMs, writeMs, megabytes, files }: Measured): Cell[] {
  return [pauseMs, writeMs, megabytes, files];
}
