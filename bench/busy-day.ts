/**
 * A busy day: many page views within the last 24 hours, with their unloads, some of them hours later, all through the
 * engine and its log, and a clean stop. It measures the bytes on the disk besides the log; a start compared, in turn,
 * with one on an empty folder; and the memory that belongs to the executable alone, before the first hits and after
 * them.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { dayMs } from "../src/core/hit.ts";
import { addUser } from "../src/engine/admin/account/users.ts";
import { addWebsite } from "../src/engine/admin/websites.ts";
import { openEngine } from "../src/engine/opening/open.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/log.ts";
import { systemRandom } from "../src/lib/random.ts";
import type { LogRecord } from "../src/record/record.ts";
import { withFolder } from "../test/support/folder.ts";
import { randomFrom } from "../test/support/random.ts";
import { account, ServerProcess } from "../test/support/server.ts";
import { pageViews } from "./data.ts";
import { hostname } from "./folder.ts";
import { build } from "./idle.ts";
import { median, table } from "./measure.ts";
import { memoryOf } from "./memory.ts";

/** Records that are committed together. */
const batch = 1_000;
/** Most pages are left after some minutes, every so many-th within hours. */
const quickMs = 240_000;
const slowEvery = 20;
const slowMs = dayMs / 4;
const eventEvery = 20;
/** The last page views are still open, and their unloads are the first hits. */
const firstHits = 200;

export interface BusyDayOptions {
  readonly rows: number;
  /** How often each of the two folders is started. */
  readonly starts: number;
  /** Between the first answer and the look at the memory. */
  readonly waitMs: number;
  /** Records after which a checkpoint is due. */
  readonly checkpointRecords: number;
  /** Undefined: that of this checkout, built for this time. */
  readonly executable?: string;
}

export interface BusyDayResult {
  /** Bytes by the kind of file, without the log. */
  readonly disk: ReadonlyMap<string, number>;
  readonly emptyMs: number;
  readonly busyMs: number;
  /** Private memory on the empty folder; `restMb` is the busy folder's before its first hits. */
  readonly emptyMb: number;
  readonly restMb: number;
  readonly hitsMb: number;
}

export function benchBusyDay(options: BusyDayOptions): Promise<BusyDayResult> {
  return withFolder(async (top) => {
    const executable = options.executable ?? build(join(top, "footfall"));
    const [busy, empty] = ["busy", "empty"].map((name) => join(top, name)) as [string, string];
    for (const folder of [busy, empty]) mkdirSync(folder);
    const beacons = await fillInProcess(join(busy, "snapshots"), options);
    const disk = bytesByKind(join(busy, "snapshots"));
    const [emptyTimes, busyTimes]: [number[], number[]] = [[], []];
    let [emptyMb, restMb, hitsMb] = [0, 0, 0];
    for (let start = 1; start <= options.starts; start++) {
      const isLast = start === options.starts;
      rmSync(join(empty, "snapshots"), { recursive: true, force: true });
      await withStarted(executable, empty, async (server, ms) => {
        emptyTimes.push(ms);
        if (isLast) emptyMb = await memoryAfter(server, options.waitMs);
      });
      await withStarted(executable, busy, async (server, ms) => {
        busyTimes.push(ms);
        if (!isLast) return;
        restMb = await memoryAfter(server, options.waitMs);
        await leavePages(server, beacons);
        hitsMb = await memoryAfter(server, options.waitMs);
      });
    }
    return { disk, emptyMs: median(emptyTimes), busyMs: median(busyTimes), emptyMb, restMb, hitsMb };
  });
}

/** Returns how many milliseconds the start took. It ends as if it were killed, so that the folder stays as it is. */
async function withStarted(
  executable: string,
  folder: string,
  use: (server: ServerProcess, ms: number) => Promise<void>,
): Promise<void> {
  const startMs = performance.now();
  const server = await ServerProcess.start([executable], folder, [], {});
  try {
    const answer = await server.get("/healthz");
    if (answer.status !== 200) throw new Error(`/healthz answered ${answer.status}`);
    await use(server, performance.now() - startMs);
  } finally {
    await server.end("SIGKILL");
  }
}

async function memoryAfter(server: ServerProcess, waitMs: number): Promise<number> {
  await Bun.sleep(waitMs);
  return memoryOf(server.pid).anonymousMb;
}

/** The unloads of the last page views find them, and so do loads that come again. */
async function leavePages(server: ServerProcess, beacons: readonly string[]): Promise<void> {
  for (const beacon of beacons) {
    const unload = await server.post("/event/hit", { b: beacon, e: "unload", m: 1_000 });
    const answer = (await unload.json()) as { accepted?: boolean };
    if (!answer.accepted) throw new Error(`an unload was not accepted: ${JSON.stringify(answer)}`);
    const again = await server.hit(`https://${hostname}/`, beacon);
    const { reason } = (await again.json()) as { reason?: string };
    if (reason !== "duplicate") throw new Error(`a page view counts twice: ${reason}`);
  }
}

/** In another process, which may use memory as it likes. Returns beacons of page views that are open. */
async function fillInProcess(folder: string, options: BusyDayOptions): Promise<string[]> {
  const child = Bun.spawn(
    [process.execPath, import.meta.path, folder, String(options.rows), String(options.checkpointRecords)],
    { stdio: ["ignore", "pipe", "inherit"], timeout: 900_000 },
  );
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error("the folder could not be made");
  return JSON.parse(text) as string[];
}

async function fill(folder: string, rows: number, checkpointRecords: number): Promise<string[]> {
  const options = { folder, clock: systemClock, random: systemRandom, logger: silentLogger, demo: false };
  const engine = await openEngine({ ...options, checkpointRecords });
  const { userId } = await addUser(engine, account);
  await addWebsite(engine, { userId, sessionId: "" }, { hostname });
  let waiting: Promise<unknown>[] = [];
  const last: string[] = [];
  for (const record of records(rows, systemClock.nowMs())) {
    if (record.kind === "load" && last.push(record.beacon) > firstHits) last.shift();
    waiting.push(engine.commit(record));
    if (waiting.length < batch) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
  await engine.stop();
  return last;
}

/** Loads at equal distances within a day that ends now, and what follows each, in the order of their times. */
function* records(rows: number, nowMs: number): Generator<LogRecord> {
  const random = randomFrom(3);
  const step = (dayMs - quickMs) / rows;
  /** Each entry holds the records of one of many equal parts of the day, which keeps the order well enough. */
  const due: LogRecord[][] = Array.from({ length: Math.ceil(rows / batch) + 1 }, () => []);
  const beginMs = nowMs - dayMs + quickMs;
  const later = (record: LogRecord) =>
    due[Math.floor((record.timeMs - beginMs) / (step * batch)) + 1]?.push(record);
  let row = 0;
  for (const { values, unique, seen, properties } of pageViews(rows, 2)) {
    if (row % batch === 0) yield* due[row / batch] as LogRecord[];
    const timeMs = Math.floor(beginMs + row * step);
    const beacon = Array.from({ length: 2 }, () => Math.floor(random() * 2 ** 40).toString(36)).join("");
    yield { kind: "load", timeMs, websiteId: 1, beacon, unique, seen, values, properties };
    const visibleMs = Math.floor(random() * (random() * slowEvery < 1 ? slowMs : quickMs));
    if (row < rows - firstHits && random() < 0.9)
      later({ kind: "unload", timeMs: timeMs + visibleMs, websiteId: 1, beacon, visibleMs });
    if (random() * eventEvery < 1)
      later({
        kind: "event",
        timeMs: timeMs + 1_000,
        websiteId: 1,
        beacon,
        values,
        properties: [["plan", "pro"]],
      });
    row++;
  }
}

function bytesByKind(folder: string): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = statSync(join(folder, name));
    if (!file.isFile() || name.startsWith("wal/")) continue;
    const kind = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : name;
    kinds.set(kind, (kinds.get(kind) ?? 0) + file.size);
  }
  return kinds;
}

export function busyDayTable({ disk, emptyMs, busyMs, emptyMb, restMb, hitsMb }: BusyDayResult): string {
  const kinds = [...disk].filter(([, bytes]) => bytes > 0).toSorted(([, a], [, b]) => b - a);
  const total = kinds.reduce((sum, [, bytes]) => sum + bytes, 0);
  return table(
    ["of the busy day", "", "of an empty folder"],
    [
      ["on the disk without the log, MB", total / 1e6, ""],
      ...kinds.map(([kind, bytes]) => [`of it ${kind}`, bytes / 1e6, ""]),
      ["first answer, ms", busyMs, emptyMs],
      ["its own memory, MB", restMb, emptyMb],
      ["its own memory after the first hits, MB", hitsMb, ""],
    ],
  );
}

if (import.meta.main) {
  const [folder, rows, checkpointRecords] = process.argv.slice(2) as [string, string, string];
  console.log(JSON.stringify(await fill(folder, Number(rows), Number(checkpointRecords))));
  process.exit(0);
}
