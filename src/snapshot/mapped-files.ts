/**
 * Checkpoint files that stay on the disk until they are needed. The first use of one reads it and compares it with
 * its checksum; then it is mapped, so that its pages are the kernel's to take back. When there is no room for all
 * mappings, what was not used for long is let go; the memory goes with the garbage.
 */
import { join } from "node:path";
import { assert } from "../lib/assert.ts";
import type { Disk } from "../lib/disk.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import type { MemoryPart } from "../lib/scratch.ts";
import type { FileEntry } from "./manifest.ts";
import { decodeSections, fileChecksum, locateSections, SnapshotDamage } from "./section.ts";
import { indexSections, openSections, usedSections, type SectionIndex } from "./section-use.ts";

/** Linux gives a process 65,530. */
const mappingsMax = 16_384;
/** A file is long unused when so many times as many were mapped since as there are. */
const longMaps = 4;
/** What a mapping itself counts for: its first page. */
const headBytes = 4_096;

type Decode<T> = (sections: ReadonlyMap<string, Uint8Array>) => T;

/** Of one file. There may be ten thousand that nobody asks for. */
class Reader<T> {
  /** Undefined while the file is not mapped. */
  value: T | undefined;
  /** Of the sections that were asked for: only these are in memory. */
  bytes = 0;
  lastUsed = 0;
  /** How many files had been mapped by then. */
  mapsBefore = 0;
  /** Of a file that nothing but itself vouches for, once it was mapped. */
  index: SectionIndex | undefined;

  /** `entry`: what vouches for the file; without it each section does for itself. */
  constructor(
    readonly name: string,
    readonly decode: Decode<T>,
    readonly entry?: FileEntry,
  ) {}
}

export interface MappedFilesOptions {
  readonly disk: Disk;
  readonly folder: string;
  /** Where mappings count; a file that is larger than its bound is mapped alone. */
  readonly budget: MemoryBudget;
  /** Hears of each damaged file once. */
  readonly onDamage: (damage: SnapshotDamage) => void;
  /** Called after letting go of so many bytes, which are the garbage's until then. */
  readonly release?: { readonly bytes: number; readonly collect: () => void };
}

export class MappedFiles implements MemoryPart {
  /** By name. */
  private readonly mappings = new Map<string, Reader<unknown>>();
  /** Names of files that are what the manifest says. */
  private readonly verified = new Set<string>();
  private readonly damaged = new Set<string>();
  private uses = 0;
  private maps = 0;
  private mappedBytes = 0;
  /** Since the last collection. */
  private releasedBytes = 0;
  /** The last that was mapped. */
  private newest: Reader<unknown> | undefined;
  /** The last of which more was used. */
  private inUse: Reader<unknown> | undefined;

  constructor(private readonly options: MappedFilesOptions) {
    options.budget.add("mapped", this);
  }

  /** Of the mappings that are there. */
  get bytes(): number {
    return this.mappedBytes;
  }

  /**
   * What `decode` makes of a file's sections, by a function that maps the file when it has to. That one throws
   * SnapshotDamage or DiskError, and tries again the next time.
   */
  reader<T>(entry: FileEntry, decode: Decode<T>): () => T {
    return this.readerOf(new Reader(entry.name, decode, entry));
  }

  /**
   * As `reader`, for a file that nothing but itself vouches for. Each section is checked when it is first asked for, so
   * what `decode` makes may throw SnapshotDamage or DiskError too.
   */
  sectionReader<T>(name: string, decode: Decode<T>): () => T {
    return this.readerOf(new Reader(name, decode));
  }

  /**
   * The sections of a file that the caller keeps for as long as it likes, and whose memory counts for nothing. Throws
   * SnapshotDamage or DiskError.
   */
  kept(entry: FileEntry): ReadonlyMap<string, Uint8Array> {
    const { disk, folder } = this.options;
    const bytes = disk.map(join(folder, entry.name));
    this.verify(bytes, entry);
    return locateSections(bytes);
  }

  /** Lets go of all files but the named ones. */
  keepOnly(names: { has(name: string): boolean }): void {
    for (const [name, reader] of [...this.mappings]) if (!names.has(name)) this.letGo(reader);
    for (const name of this.verified) if (!names.has(name)) this.verified.delete(name);
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
    // Of the file that had this name before.
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

  /** So many bytes more of a mapping are used; others go where they are too many. */
  private count(reader: Reader<unknown>, bytes: number): void {
    const { budget, release } = this.options;
    this.inUse = reader;
    budget.makeRoom(bytes);
    if (this.mappings.size > mappingsMax) this.letGo(this.leastUseful());
    reader.bytes += bytes;
    this.mappedBytes += bytes;
    if (release === undefined || this.releasedBytes < release.bytes) return;
    this.releasedBytes = 0;
    release.collect();
  }

  /**
   * What was not used for longest, if that is long. Else questions go round over more than fits, and each would let go
   * of what the next needs: then the last that was mapped, so that the others stay.
   */
  private leastUseful(): Reader<unknown> {
    const oldest = this.leastRecentlyUsed();
    const isLong = this.maps - oldest.mapsBefore > longMaps * this.mappings.size;
    return isLong || this.newest === undefined || this.newest === this.inUse ? oldest : this.newest;
  }

  private sections(reader: Reader<unknown>): ReadonlyMap<string, Uint8Array> {
    const { name, entry } = reader;
    // Who still has sections of a mapping that was let go uses what counts for nothing.
    const onUse = (bytes: number) => this.mappings.get(name) === reader && this.count(reader, bytes);
    const { disk, folder } = this.options;
    const path = join(folder, name);
    if (entry === undefined) {
      reader.index ??= indexSections(disk, path, name);
      return openSections(disk, path, name, reader.index, onUse);
    }
    if (this.verified.has(name)) return usedSections(locateSections(disk.mapUnread(path)), onUse);
    const bytes = disk.map(path);
    this.verify(bytes, entry);
    return usedSections(locateSections(bytes), onUse);
  }

  /** But the one in use. */
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
    this.releasedBytes += reader.bytes;
    reader.bytes = 0;
    reader.value = undefined;
    if (this.newest === reader) this.newest = undefined;
  }

  private verify(bytes: Uint8Array, entry: FileEntry): void {
    const damage = damageOf(bytes, entry);
    if (damage === undefined) {
      this.verified.add(entry.name);
      return;
    }
    if (!this.damaged.has(entry.name)) this.options.onDamage(damage);
    this.damaged.add(entry.name);
    throw damage;
  }
}

/** The search for the place is only worth it when there is one. */
function damageOf(bytes: Uint8Array, { name, bytes: length, checksum }: FileEntry) {
  if (bytes.length === length && fileChecksum(bytes) === checksum) return undefined;
  try {
    decodeSections(bytes, name);
  } catch (error) {
    if (error instanceof SnapshotDamage) return error;
    throw error;
  }
  return new SnapshotDamage(name, 0, "other bytes than the manifest says");
}
