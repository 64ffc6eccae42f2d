/**
 * The life of a data folder on a disk in memory, with everything that touches its files: two starts, hits, imports,
 * rotations, checkpoints, sealing, facts, merges, questions, deletions, a purge, a month that gives up its rows, backups,
 * clean stops. A ledger says at
 * which moment each step was asked for and acknowledged, and so what the folder must hold and may hold.
 */
import { ArchiveTarget } from "../../src/cli/backup/archive.ts";
import { replacing } from "../../src/cli/output-file.ts";
import { copyTo, type Copying } from "../../src/cli/backup/copy.ts";
import { FolderStore } from "../../src/cli/backup/folder.ts";
import { StoreTarget } from "../../src/cli/backup/store.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { monthsFrom } from "../../src/store/state/rebuilding/drop.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import type { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { event, imported, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { everything, filter, listOf } from "../support/site.ts";
import { turns } from "../support/turns.ts";

const aprilMs = Date.UTC(2026, 3, 2);
const monthMs = (month: number) => Date.UTC(2026, month, 10);
export const archive = "/backup/one.tar";
export const store = "/backup/store";

/** Steps that take page views away, by what the paths of these begin with. */
const removals = ["/gone", "/two", "/january"] as const;
type Prefix = (typeof removals)[number] | "/keep" | "/february";

export interface Step {
  /** The moments at which it was asked for and acknowledged; Infinity for never. */
  sentAt: number;
  doneAt: number;
  readonly paths: readonly string[];
  /** The paths that it removes begin so. */
  readonly removes?: (typeof removals)[number];
  readonly isBackup?: true;
}

/** All steps of a life. Time is counted: each question and each answer is a moment. */
export class Ledger {
  now = 0;
  readonly steps: Step[] = [];

  /** Returns whether the step was acknowledged. `act` may fail, and resolves to whether it was done. */
  async step(
    about: Pick<Step, "paths" | "removes" | "isBackup">,
    act: () => Promise<unknown>,
  ): Promise<boolean> {
    const step: Step = { ...about, sentAt: ++this.now, doneAt: Infinity };
    this.steps.push(step);
    try {
      if ((await act()) === false) return false;
    } catch {
      return false;
    }
    step.doneAt = ++this.now;
    return true;
  }

  /** The ledger of a life that ended at that moment. */
  until(now: number): Ledger {
    const until = new Ledger();
    until.now = now;
    for (const step of this.steps)
      if (step.sentAt <= now)
        until.steps.push({ ...step, doneAt: step.doneAt <= now ? step.doneAt : Infinity });
    return until;
  }

  /** The paths that must be there if everything up to `least` was acknowledged, and may be if all up to `most` was asked for. */
  pathsAt(least: number, most: number): { readonly must: Set<string>; readonly may: Set<string> } {
    const removalsOf = (path: string) =>
      this.steps.filter(({ removes }) => removes !== undefined && path.startsWith(removes));
    const paths = (isSo: (step: Step, path: string) => boolean) =>
      this.steps.flatMap((step) => step.paths.filter((path) => isSo(step, path)));
    // A page view after a removal stays, and one beside it may.
    const mayGo = ({ sentAt }: Step, path: string) =>
      removalsOf(path).some((removal) => removal.sentAt <= most && sentAt < removal.doneAt);
    const isGone = ({ doneAt }: Step, path: string) =>
      removalsOf(path).some((removal) => removal.doneAt <= least && doneAt < removal.sentAt);
    const must = paths((step, path) => step.doneAt <= least && !mayGo(step, path));
    const may = paths((step, path) => step.sentAt <= most && !isGone(step, path));
    return { must: new Set(must), may: new Set(may) };
  }

  /** The first moment of the first backup that was complete by then. */
  backupBefore(now: number): number | undefined {
    return this.steps.find(({ isBackup, doneAt }) => isBackup === true && doneAt <= now)?.sentAt;
  }
}

/** `smallRows`: websites with more have facts, and are asked about as in their Worker. */
export function openLife(
  disk: MemoryDisk,
  smallRows = 2,
  more: Partial<OpenOptions> = {},
): Promise<RunningEngine> {
  return openInMemory(disk, {
    io: memoryIo(disk),
    clock: new TestClock(aprilMs),
    ...more,
    checkpointRecords: 14,
    smallRows,
    fileMinimums: { beaconRunMin: 2, openRowsMin: 3, basedRowsMin: 5 },
  });
}

/** Lets the threads that make facts go on to their end. */
async function settled(disk: MemoryDisk): Promise<void> {
  for (let calls = -1; calls !== disk.history.length; await turns(8)) calls = disk.history.length;
}

export class Life {
  private beacons = 0;

  constructor(
    private readonly disk: MemoryDisk,
    private readonly ledger: Ledger,
    private readonly random: () => number,
  ) {}

  /** Resolves when all is done, or was tried. Rejects if the folder could not be opened. */
  async run(): Promise<void> {
    await this.first(await openLife(this.disk));
    const clock = new TestClock(aprilMs);
    await this.second(await openLife(this.disk, undefined, { clock, rowsMonths: 1 }), clock);
  }

  private async first(engine: RunningEngine): Promise<void> {
    for (const record of [userAdded(1, "ada"), websiteAdded(1, "a.example"), websiteAdded(2, "b.example")])
      await this.insist(engine, record);
    await this.hits(engine, 4, noonMs);
    await this.pastViews(engine, "/january", 0);
    await this.pastViews(engine, "/february", 1);
    await this.ledger.step({ paths: [] }, () => engine.purge());
    await this.hits(engine, 3, noonMs + 60_000);
    await Promise.all([this.backUp(engine, 1), this.hits(engine, 2, noonMs + 90_000)]);
    await settled(this.disk);
    await engine.stop();
  }

  private async second(engine: RunningEngine, clock: TestClock): Promise<void> {
    await this.hits(engine, 2, aprilMs);
    await this.pastViews(engine, "/february", 1);
    await this.hits(engine, 2, aprilMs + 1_000);
    await engine.ask(1, listOf("pages")).catch(() => {});
    const gone = { ...everything, filters: [filter("path", "starts_with", "/gone")] };
    await this.remove(engine, "/gone", () => engine.removeRows(1, gone, false));
    await settled(this.disk);
    await this.remove(engine, "/two", () =>
      engine.commit({ kind: "websiteRemoved", timeMs: aprilMs, websiteId: 2 }),
    );
    const beforeMs = Date.UTC(2026, 1, 1);
    await this.remove(engine, "/january", async () => {
      // As retention does: what cannot be read now is not dropped.
      const { store } = engine["state"];
      for (const site of [...store.sites.values()])
        for (const _ of store.drops.readWhatStays(site, monthsFrom(beforeMs))) await turns(8);
      await engine.commit({ kind: "monthsDropped", timeMs: aprilMs, beforeMs });
    });
    // February gives up its rows once the clock has gone right for a day.
    clock.advance(dayMs + 1);
    await engine["intake"]["upkeep"]?.reduction?.round();
    await Promise.all([this.backUp(engine, 2), this.hits(engine, 1, aprilMs + 2_000)]);
    await settled(this.disk);
    await engine.stop();
  }

  /** Sends a record until it is taken, as a person would. */
  private async insist(engine: RunningEngine, record: LogRecord): Promise<void> {
    for (let time = 0; time < 5; time++)
      if (await this.ledger.step({ paths: [] }, () => engine.commit(record))) return;
  }

  /** Loads, durations and events, a few of them at once. */
  private async hits(engine: RunningEngine, rounds: number, timeMs: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      const one = this.load(engine, "/keep", timeMs);
      const others = [this.load(engine, "/gone", timeMs), this.load(engine, "/two", timeMs, 2)];
      const beacon = `b${this.beacons}`;
      const more = [unload(beacon, { timeMs, visibleMs: 1_000 }), event(beacon, { timeMs })];
      await Promise.all([one, ...others, ...more.map((record) => engine.commit(record).catch(() => {}))]);
      if (this.random() < 0.3) await turns(8);
    }
  }

  private load(engine: RunningEngine, prefix: Prefix, timeMs: number, websiteId = 1): Promise<boolean> {
    const path = `${prefix}/${++this.beacons}`;
    const record = load(`b${this.beacons}`, { timeMs, websiteId, values: valuesOf(path) });
    return this.ledger.step({ paths: [path] }, async () => (await engine.commit(record)) === "done");
  }

  /** An import into a month that is over. */
  private pastViews(engine: RunningEngine, prefix: Prefix, month: number): Promise<boolean> {
    const from = ++this.beacons;
    const times = Array.from({ length: 4 }, (_, at) => monthMs(month) + at * 60_000);
    const record = imported(times, { file: `${from}.log` });
    const loads = record.loads.map((one, at) => ({ ...one, values: valuesOf(`${prefix}/${from}-${at}`) }));
    const paths = loads.map(({ values }) => values[0] as string);
    return this.ledger.step({ paths }, async () => (await engine.commit({ ...record, loads })) === "done");
  }

  /** Removes, and waits until it is gone from every file. */
  private async remove(
    engine: RunningEngine,
    removes: (typeof removals)[number],
    act: () => Promise<unknown>,
  ): Promise<void> {
    if (await this.ledger.step({ paths: [], removes }, act))
      await this.ledger.step({ paths: [] }, () => engine.purge());
  }

  /** The first backup is an archive too; the second one of the store takes the place of the first. */
  private async backUp(engine: RunningEngine, number: number): Promise<void> {
    const { disk, random } = this;
    await this.ledger.step({ paths: [], isBackup: true }, async () => {
      for (const directory of ["/backup", store]) disk.makeDirectory(directory);
      const { release, ...files } = await engine.pinFiles();
      const clock = { nowMs: () => noonMs + number, monotonicMs: () => 0 };
      const copying: Copying = {
        disk,
        folder: "/data",
        files,
        isServed: random() < 0.5,
        clock,
        onProgress: turns,
      };
      try {
        if (number === 1)
          await copyTo(({ madeMs }) => new ArchiveTarget(replacing(disk, archive), madeMs), copying);
        const incarnation = (id: string) => `${id}-0123456789abcdef`;
        await copyTo(
          ({ folderId }) => StoreTarget.open(new FolderStore(store, disk), incarnation(folderId), 1),
          copying,
        );
        disk.syncDirectory("/backup");
      } finally {
        release();
      }
    });
  }
}
