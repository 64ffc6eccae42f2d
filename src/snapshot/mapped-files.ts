/**
 * Checkpoint files that stay on the disk until they are needed. The first use of a file, or of a section of it, reads
 * it and compares it with its checksum; so does the first one after a day that finds it not mapped. Then it is mapped,
 * so that the kernel may take its pages back. If there is no room for all mappings, those not used for long are
 * dropped; the garbage collector frees their memory. The file of a month without rows is not mapped (`unmapped`): whoever
 * asks for a section decodes it at once, so that it is read, and compared with its checksum, each time.
 *
 * Damage that is found at the first use mostly has no older checkpoint to fall back to, because that one names the same
 * file: every question that needs it is a 500, the log names file and place once, and hits go on. The way back is the same
 * file from any backup, because a file never changes under its name.
 */
import { join } from "node:path";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import { once } from "../lib/lazy.ts";
import type { Disk } from "../lib/disk/disk.ts";
import type { MemoryBudget } from "../lib/memory/memory-budget.ts";
import type { MemoryPart } from "../lib/memory/scratch.ts";
import type { FileEntry } from "./manifest.ts";
import { namedContents, readContents } from "./contents.ts";
import type { Sections } from "./named-sections.ts";
import { locateSections, SnapshotDamage } from "./section.ts";
import {
  comparedForMs,
  damageOnDisk,
  indexSections,
  openSections,
  readSections,
  usedSections,
  type SectionIndex,
} from "./section-use.ts";

/** The limit on mappings. Linux allows a process 65,530. */
const mappingsMax = 16_384;
/** A mapping was not used for long if this many times the number of current mappings were made since. */
const longMaps = 4;
/** The bytes that count for a mapping itself: its first page. */
const headBytes = 4_096;

type Decode<T> = (sections: Sections) => T;

/** Reads one file. There may be ten thousand of them that nobody asks for. */
class Reader<T> {
  /** Undefined while the file is not mapped. */
  value: T | undefined;
  /** The bytes of the sections that were asked for: only these are in memory. */
  bytes = 0;
  lastUsed = 0;
  /** How many mappings had been made at the last use. */
  mapsBefore = 0;
  /** The positions of the sections, once the file was mapped; only for a file without an `entry`. */
  index: SectionIndex | undefined;

  /** `entry`: the manifest's entry with the file's checksum. */
  constructor(
    readonly name: string,
    readonly decode: Decode<T>,
    readonly entry: FileEntry | undefined,
    /** Whether each section is compared when it is first asked for, and not the whole file before. */
    readonly bySection: boolean,
  ) {}
}

export interface MappedFilesOptions {
  readonly disk: Disk;
  readonly folder: string;
  /** The budget in which mappings count; a file larger than its bound is mapped alone. */
  readonly budget: MemoryBudget;
  /** By which a file that is mapped again is compared again, at most once a day; without it, only once. */
  readonly clock?: Pick<Clock, "monotonicMs">;
  /** Receives each damaged file once. */
  readonly onDamage: (damage: SnapshotDamage) => void;
}

export class MappedFiles implements MemoryPart {
  /** By file name. */
  private readonly mappings = new Map<string, Reader<unknown>>();
  /** By name: when the file was compared with its checksum. */
  private readonly verified = new Map<string, number>();
  /** By name: where the sections of a file of a manifest are that are compared one by one. */
  private readonly indexes = new Map<string, SectionIndex>();
  /** The names of the files that were found to be damaged. They may have been put back since. */
  readonly damaged = new Set<string>();
  private uses = 0;
  private maps = 0;
  private mappedBytes = 0;
  /** The reader of the newest mapping. */
  private newest: Reader<unknown> | undefined;
  /** The reader that used memory last. */
  private inUse: Reader<unknown> | undefined;

  constructor(private readonly options: MappedFilesOptions) {
    options.budget.add("mapped", this);
  }

  /** The bytes of all current mappings. */
  get bytes(): number {
    return this.mappedBytes;
  }

  /**
   * Returns a function that returns the result of `decode` for the file's sections, and maps the file if it is not
   * mapped. It throws SnapshotDamage or DiskError, and tries again at the next call. The whole file is compared before,
   * because `apply` may read columns that nobody has read when its record was prepared: damage that is first found inside
   * `apply` ends the process.
   */
  reader<T>(entry: FileEntry, decode: Decode<T>): () => T {
    return this.readerOf(new Reader(entry.name, decode, entry, false));
  }

  /**
   * Does the same as `reader`, but compares each section when it is first asked for: a question needs few of them. So the
   * result of `decode` may throw SnapshotDamage or DiskError too. `entry`: undefined for a file that no manifest names.
   */
  sectionReader<T>(name: string, decode: Decode<T>, entry?: FileEntry): () => T {
    return this.readerOf(new Reader(name, decode, entry, true));
  }

  /**
   * Returns a function that returns the result of `decode`, made once, for the sections of a file that is never mapped:
   * each section is read, and compared, whenever it is asked for. So both may throw SnapshotDamage or DiskError. The
   * function tries again at the next call.
   */
  unmapped<T extends NonNullable<unknown>>(entry: FileEntry, decode: Decode<T>): () => T {
    const { disk, folder } = this.options;
    const { name } = entry;
    const path = join(folder, name);
    return once(() => {
      const index = namedContents(disk, path, entry) ?? this.comparedIndex(path, entry);
      return decode(readSections({ disk, path, file: name, index }, (damage) => this.report(damage, name)));
    });
  }

  /**
   * Returns the sections of a file. The caller keeps them as long as it likes, and their memory does not count. Nothing of
   * the mapping is looked at, for that may bring the whole file into memory; the section `copied` is none of it. Throws
   * SnapshotDamage or DiskError.
   */
  kept(entry: FileEntry, copied?: string): Sections {
    const { disk, folder } = this.options;
    const path = join(folder, entry.name);
    const bytes = disk.map(path);
    this.verify(bytes, entry);
    const sections = new Map<string, Uint8Array>();
    for (const [name, { dataAt, length }] of indexSections(disk, path, entry.name))
      sections.set(
        name,
        name === copied ? disk.read(path, dataAt, length) : bytes.subarray(dataAt, dataAt + length),
      );
    return sections;
  }

  /** Reads all of a file, which has that length, and compares it with its checksum. Throws SnapshotDamage or DiskError. */
  compare(entry: FileEntry, length?: number): void {
    const { disk, folder } = this.options;
    const path = join(folder, entry.name);
    const damage = damageOnDisk(disk, path, length ?? disk.size(path), entry);
    if (damage === undefined) return;
    this.report(damage, entry.name);
    throw damage;
  }

  /** Drops the mappings of all files but the named ones. */
  keepOnly(names: { has(name: string): boolean }): void {
    for (const [name, reader] of [...this.mappings]) if (!names.has(name)) this.letGo(reader);
    for (const known of [this.verified, this.indexes])
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
  }

  /** Takes note of damage that was found elsewhere: the file is compared with its checksum again before the next use. */
  distrust(name: string): void {
    this.damaged.add(name);
    this.verified.delete(name);
    this.indexes.delete(name);
    const reader = this.mappings.get(name);
    if (reader !== undefined) this.letGo(reader);
  }

  shed(bytes: number): void {
    const enough = this.mappedBytes - bytes;
    while (this.mappings.size > 1 && this.mappedBytes > enough) this.letGo(this.leastUseful());
  }

  private readerOf<T>(reader: Reader<T>): () => T {
    return () => {
      reader.lastUsed = ++this.uses;
      reader.mapsBefore = this.maps;
      return reader.value ?? this.map(reader);
    };
  }

  private map<T>(reader: Reader<T>): T {
    const { name, decode } = reader;
    const sections = this.sections(reader);
    // This may be a mapping of an earlier file of the same name.
    const before = this.mappings.get(name);
    if (before !== undefined) this.letGo(before);
    this.mappings.set(name, reader);
    this.maps++;
    this.count(reader, headBytes);
    let value: T;
    try {
      value = reader.value = decode(sections);
    } catch (error) {
      this.letGo(reader);
      throw error;
    }
    this.newest = reader;
    return value;
  }

  /** Counts so many more bytes of a mapping as used, and drops other mappings if there are too many. */
  private count(reader: Reader<unknown>, bytes: number): void {
    this.inUse = reader;
    this.options.budget.makeRoom(bytes);
    if (this.mappings.size > mappingsMax) this.letGo(this.leastUseful());
    reader.bytes += bytes;
    this.mappedBytes += bytes;
  }

  /**
   * Returns the least recently used mapping, if it was not used for long. Otherwise the questions cycle through more
   * files than fit, and dropping the oldest would each time drop what is needed next. Then it returns the newest
   * mapping, so that the others stay.
   */
  private leastUseful(): Reader<unknown> {
    const oldest = this.leastRecentlyUsed();
    const isLong = this.maps - oldest.mapsBefore > longMaps * this.mappings.size;
    return isLong || this.newest === undefined || this.newest === this.inUse ? oldest : this.newest;
  }

  private sections(reader: Reader<unknown>): Sections {
    const { name, entry } = reader;
    // Sections of a dropped mapping may still be in use; they do not count.
    const onUse = (bytes: number) => this.mappings.get(name) === reader && this.count(reader, bytes);
    const { disk, folder } = this.options;
    const path = join(folder, name);
    const onDamage = (damage: SnapshotDamage) => this.report(damage, name);
    if (entry === undefined) {
      const index = (reader.index ??= readContents(disk, path) ?? indexSections(disk, path, name));
      return openSections({ disk, path, file: name, index }, onUse, this.nowMs);
    }
    if (reader.bySection) {
      const index = this.comparedIndex(path, entry);
      return openSections({ disk, path, file: name, index }, onUse, this.nowMs, onDamage);
    }
    const bytes = disk.map(path);
    if (this.nowMs - (this.verified.get(name) ?? -Infinity) >= comparedForMs) this.verify(bytes, entry);
    return usedSections(locateSections(bytes), onUse);
  }

  /** Returns where the sections of a file are, by their heads. Throws SnapshotDamage or DiskError. */
  private comparedIndex(path: string, entry: FileEntry): SectionIndex {
    const { name } = entry;
    try {
      const look = () => indexSections(this.options.disk, path, name, entry);
      return this.indexes.getOrInsertComputed(name, look);
    } catch (error) {
      if (error instanceof SnapshotDamage) this.report(error, name);
      throw error;
    }
  }

  private get nowMs(): number {
    return this.options.clock?.monotonicMs() ?? 0;
  }

  /** Returns the least recently used mapping except the one in use. */
  private leastRecentlyUsed(): Reader<unknown> {
    let least: Reader<unknown> | undefined;
    for (const reader of this.mappings.values())
      if (reader !== this.inUse && (least === undefined || reader.lastUsed < least.lastUsed)) least = reader;
    assert(least !== undefined, "there is another mapping than the one in use");
    return least;
  }

  private letGo(reader: Reader<unknown>): void {
    this.mappings.delete(reader.name);
    this.mappedBytes -= reader.bytes;
    reader.bytes = 0;
    reader.value = undefined;
    if (this.newest === reader) this.newest = undefined;
  }

  /** Reads the file, so that a device that fails is an error, and none of the mapping is in memory before it is used. */
  private verify(mapping: Uint8Array, entry: FileEntry): void {
    this.compare(entry, mapping.length);
    this.verified.set(entry.name, this.nowMs);
  }

  private report(damage: SnapshotDamage, name: string): void {
    if (!this.damaged.has(name)) this.options.onDamage(damage);
    this.damaged.add(name);
  }
}
