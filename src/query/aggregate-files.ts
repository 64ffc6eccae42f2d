/**
 * The aggregates of one website, in their files: found there, and made a step at a time where they are missing. They are
 * no part of the state. What is damaged is removed and made again from the rows.
 */
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { DiskError, type Disk } from "../lib/disk.ts";
import { aggregatesDirectory, chunkAggregatesName, monthAggregatesName } from "../snapshot/aggregates.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import type { MappedFiles } from "../snapshot/mapped-files.ts";
import { encodedPieces, SnapshotDamage, type Section } from "../snapshot/section.ts";
import { viewAggregates, viewMonthAggregates } from "../store/aggregate-sections.ts";
import type { Aggregates, AggregatesSource, MonthAggregates } from "../store/aggregates.ts";
import { aggregatesOf } from "../store/chunk-aggregates.ts";
import type { Chunk } from "../store/chunk.ts";
import { monthAggregates } from "../store/month-aggregates.ts";
import type { ReadSite } from "../store/read-site.ts";

/** How long questions may wait for a step, about. */
const stepMs = 20;
/** They only save time: a disk with less free space is left alone. */
const freeBytesMin = 256 * 1024 * 1024;

/** A website whose finished chunks are in files. */
export interface FiledSite extends ReadSite {
  /** By chunk number. */
  readonly files: ReadonlyMap<number, FileEntry>;
  /** Counts changes of these. */
  readonly filesVersion: number;
}

/** What is to be made of some chunks. */
interface Task {
  readonly name: string;
  readonly chunks: readonly Chunk[];
}

export class AggregateFiles implements AggregatesSource {
  private readonly directory: string;
  /** Of the files that are there, by name. */
  private readonly chunkReaders = new Map<string, () => Aggregates>();
  private readonly monthReaders = new Map<string, () => MonthAggregates>();
  /** Of the chunks that are in files; made again when these are others. */
  private tasks: {
    readonly filesVersion: number;
    readonly chunks: readonly Task[];
    readonly months: ReadonlyMap<number, Task>;
  };
  private making: { readonly name: string; readonly steps: Iterator<void, Section[]> } | undefined;
  /** Of which nothing can be made, for a file of theirs is damaged. */
  private readonly hopeless = new Set<string>();

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly folder: string,
    private readonly mapped: MappedFiles,
    private readonly site: FiledSite,
    /** Hears of each chunk whose aggregates were made. */
    private readonly onMade: (chunk: Chunk) => void,
  ) {
    this.directory = aggregatesDirectory(site.websiteId);
    this.tasks = { filesVersion: 0, chunks: [], months: new Map() };
    for (const name of this.list()) this.find(name);
  }

  ofChunk(chunk: Chunk): Aggregates | undefined {
    const file = this.site.files.get(chunk.number);
    return file && this.chunkReaders.get(chunkAggregatesName(file))?.();
  }

  ofMonth(monthMs: number): MonthAggregates | undefined {
    const task = this.currentTasks().months.get(monthMs);
    return task && this.monthReaders.get(task.name)?.();
  }

  /** Below the data folder, of all files that are there. */
  get names(): string[] {
    return [...this.chunkReaders.keys(), ...this.monthReaders.keys()].map((name) => this.path(name));
  }

  /** The file, below the data folder, that is damaged, cannot be read or is gone, if that is what an error says. */
  damagedBy(error: unknown): string | undefined {
    const own = (path: string) => (path.startsWith(`${this.directory}/`) ? path : undefined);
    if (error instanceof SnapshotDamage) return own(error.file);
    const isReading = error instanceof DiskError && (error.operation === "map" || error.operation === "read");
    const top = join(this.folder, "/");
    return isReading && error.path.startsWith(top) ? own(error.path.slice(top.length)) : undefined;
  }

  /** Forgets such a file. */
  discard(path: string): void {
    const name = path.slice(this.directory.length + 1);
    this.chunkReaders.delete(name);
    this.monthReaders.delete(name);
    this.making = undefined;
    this.disk.remove(join(this.folder, path));
  }

  /** Makes a part of what is missing. False: there is nothing to make. Throws DiskError and SnapshotDamage. */
  step(): boolean {
    const { chunks, months } = this.currentTasks();
    const isMissing = ({ name }: Task) =>
      !this.chunkReaders.has(name) && !this.monthReaders.has(name) && !this.hopeless.has(name);
    const isReady = (month: Task) => month.chunks.every((chunk) => this.ofChunk(chunk) !== undefined);
    const task =
      chunks.find(isMissing) ?? months.values().find((month) => isMissing(month) && isReady(month));
    if (task === undefined) this.removeOthers();
    if (task === undefined || this.disk.freeBytes(this.folder) < freeBytesMin) return false;
    try {
      this.make(task);
    } catch (error) {
      this.making = undefined;
      if (this.damagedBy(error) === undefined) this.hopeless.add(task.name);
      throw error;
    }
    return true;
  }

  private make({ name, chunks }: Task): void {
    const [chunk] = chunks;
    if (chunk !== undefined && isOfChunk(name)) {
      this.write(name, aggregatesOf(this.site, chunk));
      return this.onMade(chunk);
    }
    if (this.making?.name !== name) {
      const steps = monthAggregates(this.site, chunks, (chunk) => this.ofChunk(chunk) as Aggregates);
      this.making = { name, steps };
    }
    const endMs = this.clock.monotonicMs() + stepMs;
    let step = this.making.steps.next();
    while (!step.done && this.clock.monotonicMs() < endMs) step = this.making.steps.next();
    if (!step.done) return;
    this.making = undefined;
    this.write(name, step.value);
  }

  /** Nothing is synced: what a power cut spoils is found to be damaged. */
  private write(name: string, sections: readonly Section[]): void {
    const path = join(this.folder, this.path(name));
    this.disk.makeDirectory(join(this.folder, this.directory));
    this.disk.remove(`${path}.new`);
    const file = this.disk.create(`${path}.new`);
    try {
      for (const piece of encodedPieces(sections)) this.disk.write(file, piece);
    } finally {
      this.disk.close(file);
    }
    this.disk.rename(`${path}.new`, path);
    this.find(name);
  }

  private find(name: string): void {
    const path = this.path(name);
    if (isOfChunk(name)) this.chunkReaders.set(name, this.mapped.sectionReader(path, viewAggregates));
    else if (name.endsWith(".month"))
      this.monthReaders.set(name, this.mapped.sectionReader(path, viewMonthAggregates));
  }

  /** Those of chunks that were written anew, or are in no file any more. */
  private removeOthers(): void {
    const { chunks, months } = this.currentTasks();
    const wanted = new Set([...chunks, ...months.values()].map(({ name }) => name));
    for (const name of this.list()) if (!wanted.has(name)) this.discard(this.path(name));
  }

  /** None where they cannot be read. */
  private list(): string[] {
    try {
      return this.disk.list(join(this.folder, this.directory));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return [];
    }
  }

  private currentTasks() {
    if (this.tasks.filesVersion !== this.site.filesVersion) this.tasks = tasksOf(this.site);
    return this.tasks;
  }

  private path(name: string): string {
    return `${this.directory}/${name}`;
  }
}

function isOfChunk(name: string): boolean {
  return name.endsWith(".rollups");
}

/** Of the month that is not over: made again when there are a quarter more chunks. */
const growth = 1.25;
const firstChunks = 8;

/** How many of so many chunks of a month that is not over; 0 for none. */
function settledChunks(count: number): number {
  let settled = 0;
  for (let next = firstChunks; next <= count; next = Math.ceil(next * growth)) settled = next;
  return settled;
}

function tasksOf({ chunks, files, filesVersion }: FiledSite) {
  const filed = [...chunks.values()].filter(({ number }) => files.has(number));
  const ofChunks = filed.map((chunk): Task => {
    return { name: chunkAggregatesName(files.get(chunk.number) as FileEntry), chunks: [chunk] };
  });
  const newestMs = chunks.values().reduce((newest, { monthMs }) => Math.max(newest, monthMs), 0);
  const months = Map.groupBy(ofChunks, ({ chunks: [chunk] }) => (chunk as Chunk).monthMs);
  const ofMonths = [...months].flatMap(([monthMs, all]): [number, Task][] => {
    const own = all.slice(0, monthMs < newestMs ? all.length : settledChunks(all.length));
    if (own.length < 2) return [];
    const name = monthAggregatesName(own.map((task) => task.name));
    return [[monthMs, { name, chunks: own.flatMap((task) => task.chunks) }]];
  });
  return { filesVersion, chunks: ofChunks, months: new Map(ofMonths) };
}
