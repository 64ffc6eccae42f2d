/** Backups that a server makes itself: when they are due, what stays of older ones, and what a failure does. */
import { expect, test } from "bun:test";
import {
  closeSync,
  constants,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BackupMetrics } from "../../src/cli/backup/backup-metrics.ts";
import { copyToStore, type Copying } from "../../src/cli/backup/copy.ts";
import { FolderStore } from "../../src/cli/backup/folder.ts";
import { restoreInto } from "../../src/cli/backup/restoration.ts";
import { BackupSchedule, type BackupScheduleOptions } from "../../src/cli/backup/schedule.ts";
import { incarnationFile, readStore } from "../../src/cli/backup/store.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { isListName, listTimeMs } from "../../src/snapshot/backup-list.ts";
import { useFolder } from "../support/folder.ts";
import { entriesOf } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { isWhole } from "../support/rounds.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { load, valuesOf } from "../support/records.ts";
import { startS3 } from "../support/s3-server.ts";
import { useExecutable } from "../support/executable.ts";
import { runToEnd, ServerProcess } from "../support/server.ts";
import { dumpOf } from "../support/sound-folder.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const executable = [useExecutable()];
const top = useFolder();

interface Opened {
  readonly folder: string;
  readonly destination: string;
  readonly clock: TestClock;
  readonly engine: RunningEngine;
}

let folders = 0;
async function open(): Promise<Opened> {
  const folder = join(top, String(++folders));
  const clock = new TestClock();
  const engine = await openFolder(folder, { clock, random: seededRandom(folders) });
  await addWebsites(engine, "a.example");
  return { folder, destination: `${folder}-backups`, clock, engine };
}

/** A page view, and a checkpoint that leaves no older file. */
async function change({ engine, clock }: Opened, name: string): Promise<void> {
  await engine.commit(load(name, { timeMs: clock.nowMs(), values: valuesOf(`/${name}`) }));
  await engine.purge();
}

function scheduleOf(
  { folder, destination, clock, engine }: Opened,
  more: Partial<BackupScheduleOptions> = {},
) {
  const { entries: lines, logger } = entriesOf();
  const pinFiles = () => engine.pinFiles();
  const metrics = new BackupMetrics();
  const options = { folder, destination, everyMs: dayMs, keep: 2, clock, logger, pinFiles, metrics, ...more };
  return { schedule: new BackupSchedule(options), lines, metrics };
}

function listsIn(destination: string): string[] {
  const names = readdirSync(destination, { recursive: true, encoding: "utf8" });
  return names.filter((name) => isListName(name.split("/").at(-1) as string)).sort();
}

/** The state that the newest backup in a store gives. */
async function restored(store: FolderStore): Promise<string[]> {
  const folder = join(top, `restored-${++folders}`);
  await restoreInto(folder, (put) => readStore(store, put));
  return dumpOf(folder);
}

test("a backup is made when the newest one is old enough, and older ones than the last two go", async () => {
  const opened = await open();
  const { folder, destination, clock, engine } = opened;
  const { schedule, lines } = scheduleOf(opened);
  for (let day = 1; day <= 4; day++) {
    await change(opened, `day-${day}`);
    await schedule.round();
    expect(lines.length).toBe(day);
    expect(lines.at(-1)).toMatchObject({
      level: "info",
      message: "made a backup",
      to: destination,
      removed: day > 2 ? 1 : 0,
    });
    clock.advance(dayMs - 1);
    await schedule.round();
    expect(lines.length).toBe(day);
    clock.advance(1);
  }
  await schedule.stop();
  expect(listsIn(destination).length).toBe(2);
  // Nothing is left that only the first backups named.
  const stored = readdirSync(destination, { recursive: true, encoding: "utf8" });
  expect(stored.filter((name) => name.includes(".manifest.")).length).toBe(2);
  expect(await restored(new FolderStore(destination))).toEqual(dumpOf(folder));

  // Another process of the same folder knows when the last one was made.
  clock.advance(-1);
  const next = scheduleOf(opened);
  await next.schedule.round();
  expect(next.lines).toEqual([]);
  const [, , newest] = next.metrics.lines();
  expect(newest).toBe(
    `footfall_backup_last_success_timestamp_seconds ${(clock.nowMs() + 1 - dayMs) / 1_000}`,
  );
  clock.advance(1);
  await next.schedule.round();
  expect(next.lines.length).toBe(1);
  await next.schedule.stop();
  await engine.stop();
});

test("a list of before that is damaged is said once a day, and has no further backups made", async () => {
  const opened = await open();
  const { destination, clock } = opened;
  const { schedule, lines, metrics } = scheduleOf(opened);
  await schedule.round();
  const [first = ""] = listsIn(destination);
  writeFileSync(join(destination, first), "damaged");
  clock.advance(dayMs);
  await schedule.round();
  expect(lines.slice(1)).toMatchObject([
    { level: "info", message: "made a backup", removed: 0 },
    {
      level: "warn",
      message: "older backups could not be removed",
      to: destination,
      error: expect.stringContaining(`${first} is damaged`),
    },
  ]);
  expect(metrics.lines()).toContain('footfall_backups_total{outcome="made"} 2');
  clock.advance(dayMs - 1);
  await schedule.round();
  expect(listsIn(destination).length).toBe(2);
  await schedule.stop();
  await opened.engine.stop();
});

test("after the folder was set back to an earlier state, the new backup stays and is the one that is restored", async () => {
  const opened = await open();
  const { folder, destination, clock } = opened;
  let { engine } = opened;
  const earlier = `${folder}-earlier`;
  const opening = () => openFolder(folder, { clock, random: systemRandom });
  const backUp = async (keep: number) => {
    const { release, ...files } = await engine.pinFiles();
    const copying = { disk: systemDisk, folder, files, isServed: false, clock, random: systemRandom };
    const store = new FolderStore(destination);
    const copied = await copyToStore(store, keep, { ...copying, onProgress: () => {} });
    release();
    return copied;
  };
  mkdirSync(destination);
  await change(opened, "kept");
  await engine.stop();
  cpSync(folder, earlier, { recursive: true });
  engine = await opening();
  for (let made = 0; made < 3; made++) {
    clock.advance(dayMs);
    await change({ ...opened, engine }, `lost-${made}`);
    await backUp(Infinity);
  }
  await engine.stop();
  // The file that names the folder keeps its inode when a machine is set back.
  for (const name of readdirSync(folder))
    if (name !== incarnationFile) rmSync(join(folder, name), { recursive: true });
  cpSync(earlier, folder, { recursive: true });
  engine = await opening();
  const own = dumpOf(folder);
  // The second time, the clock was set back too.
  for (const step of [dayMs, -365 * dayMs]) {
    clock.advance(step);
    const { removed, list } = await backUp(1);
    expect(removed).toBeGreaterThan(0);
    expect(listsIn(destination).map((name) => Number.parseInt(name.split("/")[1] as string, 10))).toEqual([
      list.seq,
    ]);
    expect(await restored(new FolderStore(destination))).toEqual(own);
    await backUp(Infinity);
  }
  await engine.stop();
});

test("a failure is said, and tried again less and less often; a clock that goes back stops nothing", async () => {
  const opened = await open();
  const { destination, clock, engine } = opened;
  writeFileSync(destination, "");
  const { schedule, lines, metrics } = scheduleOf(opened);
  const failed = (count: number) =>
    expect(metrics.lines()).toContain(`footfall_backups_total{outcome="failed"} ${count}`);
  for (const [at, minutes] of [1, 2, 4].entries()) {
    await schedule.round();
    expect(lines.at(-1)).toMatchObject({
      level: "error",
      message: "a backup failed, and will be tried again",
      error: `${destination} is a file: expected a folder or s3://bucket`,
      minutes,
    });
    failed(at + 1);
    const count = lines.length;
    clock.advance(minutes * 60_000 - 1);
    await schedule.round();
    expect(lines.length).toBe(count);
    clock.advance(1);
  }
  rmSync(destination);
  await schedule.round();
  expect(lines.at(-1)).toMatchObject({ level: "info", newBytes: expect.any(Number) });
  const count = lines.length;
  clock.set(clock.nowMs() - 365 * dayMs);
  await schedule.round();
  clock.advance(dayMs);
  await schedule.round();
  expect(lines.length).toBe(count + 1);
  await schedule.stop();
  // However often the server starts again, the backups that the wrong clock made hold up none.
  clock.set(clock.nowMs() - 30 * dayMs);
  const next = scheduleOf(opened);
  await next.schedule.round();
  expect(next.lines.length).toBe(1);
  await next.schedule.stop();
  await engine.stop();
});

test("on the disk of the data a backup leaves what its server needs to take hits, and copies nothing otherwise", async () => {
  const opened = await open();
  const { destination, clock, engine } = opened;
  const { keptFreeBytes, release } = await engine.pinFiles();
  release();
  expect(keptFreeBytes).toBeGreaterThan(1024 * 1024);
  let kept = 1e15;
  const pinFiles = async () => ({ ...(await engine.pinFiles()), keptFreeBytes: kept });
  const { schedule, lines } = scheduleOf(opened, { pinFiles });
  await schedule.round();
  const text = `^${destination} has \\d+ free bytes: the backup takes \\d+, and the server needs ${kept} on the same disk`;
  expect(lines).toMatchObject([
    { message: "a backup failed, and will be tried again", error: expect.stringMatching(new RegExp(text)) },
  ]);
  expect(readdirSync(destination)).toEqual([]);
  kept = 1;
  clock.advance(60_000);
  await schedule.round();
  expect(lines.at(-1)).toMatchObject({ message: "made a backup" });
  await schedule.stop();
  await engine.stop();
});

/** Every read of it waits until somebody writes to it. */
function makeFifo(path: string): void {
  rmSync(path, { force: true });
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
}

/** Ends the wait of a thread for the other end of a pipe. One that was ended before it came there does not wait. */
function removeFifo(path: string): void {
  // Opened for both, it waits for nobody.
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  rmSync(path);
  closeSync(file);
}

test("a place that does not answer is given up, and the files of the moment are let go", async () => {
  const opened = await open();
  const { folder, destination, engine } = opened;
  await change(opened, "first");
  const fifo = join(folder, incarnationFile);
  const pinned: string[] = [];
  const files = () => readdirSync(folder, { recursive: true, encoding: "utf8" });
  const { schedule, lines, metrics } = scheduleOf(opened, {
    answerMs: 1_000,
    pinFiles() {
      makeFifo(fifo);
      pinned.push(...files().filter((name) => name.endsWith(".manifest")));
      return engine.pinFiles();
    },
  });
  const looked = schedule.round();
  await until(() => pinned.length > 0, "the files are pinned");
  await change(opened, "second");
  expect(files()).toEqual(expect.arrayContaining(pinned));
  await looked;
  const error = `${destination} has not answered for 0 minutes`;
  expect(lines).toMatchObject([{ message: "a backup failed, and will be tried again", error }]);
  expect(metrics.lines()).toContain('footfall_backups_total{outcome="failed"} 1');
  await until(() => !files().some((name) => pinned.includes(name)), "the files are let go");
  await schedule.stop();
  await engine.stop();
  removeFifo(fifo);
});

/** A process of its own makes a backup in a bucket each of whose puts waits for `ready`. Returns the lines of its log. */
async function linesInBucket(ready: () => Promise<void>, folder: string, ...times: readonly string[]) {
  const s3 = startS3("backups");
  const environment = Object.fromEntries(s3.environment.map((variable) => variable.split("=")));
  Object.defineProperty(s3, "ready", { get: ready });
  const script = join(import.meta.dir, "..", "support", "one-backup.ts");
  const command = [process.execPath, script, join(top, folder), "s3://backups/all", ...times];
  const { stdout } = Bun.spawn(command, { env: { ...process.env, ...environment }, stdout: "pipe" });
  const lines = (await stdout.text()).trim().split("\n");
  await s3.stop();
  return lines.map((line) => JSON.parse(line));
}

test("a place that is slow is not given up as long as it answers", async () => {
  const lines = await linesInBucket(() => Bun.sleep(1_500), "slow", "4000");
  expect(lines).toMatchObject([{ message: "made a backup" }]);
  expect(lines[0].ms).toBeGreaterThan(4_000);
});

test("a bucket that never answers once keeps no later backup from being made", async () => {
  const never = new Promise<void>(() => {});
  let puts = 0;
  const ready = async () => (++puts === 1 ? never : undefined);
  const lines = await linesInBucket(ready, "hung", "4000", "1");
  const silent = "s3://backups/all has not answered for 0 minutes";
  expect(lines[0]).toMatchObject({ error: silent });
  expect(lines.at(-1)).toMatchObject({ message: "made a backup" });
  // It may take a moment until the thread has ended, and a busy machine may be as slow again.
  for (const { error } of lines.slice(1, -1))
    expect([silent, "the thread of an earlier backup still waits for its place"]).toContain(error);
});

test("no second thread waits beside one that a system call keeps, and a stop waits for none", async () => {
  const opened = await open();
  const fifo = join(opened.folder, incarnationFile);
  makeFifo(fifo);
  const { schedule, lines } = scheduleOf(opened, { answerMs: 500 });
  const errors = () => lines.map(({ error }) => error);
  const stillWaits = "the thread of an earlier backup still waits for its place";
  // On a busy machine one may be given up before it comes to the pipe.
  await until(async () => {
    await schedule.round();
    opened.clock.advance(dayMs);
    return errors().at(-1) === stillWaits;
  }, "a thread waits");
  expect(new Set(errors())).toEqual(
    new Set([`${opened.destination} has not answered for 0 minutes`, stillWaits]),
  );
  // The thread that waits for the other end reads nothing, and ends.
  removeFifo(fifo);
  await until(async () => {
    await schedule.round();
    opened.clock.advance(dayMs);
    return lines.at(-1)?.message === "made a backup";
  }, "the thread has ended");
  makeFifo(fifo);
  void schedule.round();
  await Bun.sleep(200);
  await schedule.stop();
  removeFifo(fifo);
  await opened.engine.stop();
});

test("two backups of one folder to stores do not run at once", async () => {
  const opened = await open();
  const { folder, destination, clock, engine } = opened;
  const { release, ...files } = await engine.pinFiles();
  const copying = { disk: systemDisk, folder, files, isServed: false, clock, random: systemRandom };
  mkdirSync(destination);
  const second: Promise<unknown>[] = [];
  const onProgress = () => {
    const store = new FolderStore(destination);
    if (second.length === 0) second.push(copyToStore(store, 1, { ...copying, onProgress: () => {} }));
  };
  await copyToStore(new FolderStore(destination), Infinity, { ...copying, onProgress });
  expect(await Promise.allSettled(second)).toMatchObject([
    { status: "rejected", reason: { message: expect.stringContaining(`${process.pid} makes a backup`) } },
  ]);
  release();
  await engine.stop();
});

/** A store whose n-th removal fails, as if the process had ended there. */
class FailingStore extends FolderStore {
  removals = 0;
  constructor(
    place: string,
    private readonly failing: number,
  ) {
    super(place);
  }

  override remove(name: string): Promise<void> {
    if (++this.removals === this.failing) throw new Error("ended");
    return super.remove(name);
  }
}

test("whatever interrupts the removal of older backups, each one that is left is whole", async () => {
  const opened = await open();
  const { folder, destination, clock, engine } = opened;
  mkdirSync(destination);
  let done = false;
  let interrupted = 0;
  for (let failing = 1; !done; failing += isWhole ? 2 : 5) {
    for (let made = 0; made < 2; made++) {
      clock.advance(dayMs);
      await change(opened, `${failing}-${made}`);
      const { release, ...files } = await engine.pinFiles();
      const copying: Copying = {
        disk: systemDisk,
        folder,
        files,
        isServed: false,
        clock,
        onProgress: () => {},
      };
      const store = new FailingStore(destination, made === 1 ? failing : Infinity);
      const keep = made === 1 ? 1 : Infinity;
      done = await copyToStore(store, keep, { ...copying, random: systemRandom }).then(
        ({ trouble }) => trouble === undefined,
      );
      release();
    }
    const [incarnation = ""] = readdirSync(destination);
    const lists = listsIn(destination);
    if (!done) interrupted++;
    else expect(lists.length).toBe(1);
    // Each list is tried as the newest one.
    for (const list of lists.toReversed()) {
      await readStore(new FolderStore(join(destination, incarnation)), () => {});
      rmSync(join(destination, list));
    }
  }
  expect(interrupted).toBeGreaterThan(2);
  await engine.stop();
});

test("a server makes backups in a bucket as its settings say", async () => {
  const folder = join(top, "served");
  mkdirSync(folder);
  const s3 = startS3("backups");
  const environment = Object.fromEntries(s3.environment.map((variable) => variable.split("=")));
  const token = "a-secret-of-monitoring";
  const own = ["--data", "data", "--metrics-token", token];
  const args = [...own, "--backup", "s3://backups/all", "--backup-keep", "1"];
  const server = await ServerProcess.start(executable, folder, args, environment);
  const lists = () => [...s3.objects.keys()].filter((key) => key.endsWith(".backup"));
  await until(() => lists().length === 1, "the first backup is there");
  const overSocket = () => fetch("http://localhost/metrics", { unix: join(folder, "data", "control.sock") });
  const figures = async (
    ask = () => fetch(server.url("/metrics"), { headers: { authorization: `Bearer ${token}` } }),
  ) => {
    const answer = await ask();
    const lines = (await answer.text()).split("\n").filter((line) => line.startsWith("footfall_backup"));
    return new Map(lines.map((line) => [line.split(" ")[0], Number(line.split(" ")[1])]));
  };
  await until(
    async () => (await figures()).get('footfall_backups_total{outcome="made"}') === 1,
    "it is told",
  );
  const told = await figures();
  expect(await figures(overSocket)).toEqual(told);
  expect(told.get('footfall_backups_total{outcome="failed"}')).toBe(0);
  const madeMs = 1_000 * (told.get("footfall_backup_last_success_timestamp_seconds") ?? 0);
  expect(listTimeMs((lists()[0] as string).split("/").at(-1) as string)).toBe(madeMs);
  expect(await server.end("SIGTERM")).toBe(0);
  expect(lists()[0]).toStartWith("all/");
  await s3.stop();

  // Without a key there is no start, and the refusal names the variable.
  const { S3_SECRET_ACCESS_KEY: _, ...some } = environment;
  const lacking = ServerProcess.start(executable, folder, args, some);
  await expect(lacking).rejects.toThrow("the server ended before it listened");
  const command = ["env", ...Object.entries(some).map((pair) => pair.join("=")), ...executable];
  const words = ["backup", "s3://backups/all", "--data", "data"];
  const { errors } = await runToEnd(command, folder, words);
  expect(errors).toBe(
    "footfall: s3://backups/all: the environment lacks S3_SECRET_ACCESS_KEY (or AWS_SECRET_ACCESS_KEY); " +
      "S3_ENDPOINT says where a bucket is that is not one of Amazon's\n",
  );
});
