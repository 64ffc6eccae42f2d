/**
 * Checkpoint files that stay on the disk until they are needed. The first use of one reads it and compares it with
 * its checksum; then it is mapped, so that its pages are the kernel's to take back. Mappings that were not used for
 * longest are let go when they are more than the budget; the memory goes with the garbage.
 */
import { join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import type { FileEntry } from "./manifest.ts";
import { decodeSections, fileChecksum, locateSections, openSections, SnapshotDamage } from "./section.ts";

/** Linux gives a process 65,530. */
const mappingsMax = 16_384;

type Decode<T> = (sections: ReadonlyMap<string, Uint8Array>) => T;

type MappedFile = Pick<FileEntry, "name" | "bytes">;

/** Of one file. There may be ten thousand that nobody asks for. */
class Reader<T> {
  /** Undefined while the file is not mapped. */
  value: T | undefined;
  lastUsed = 0;

  /** `entry`: what vouches for the file; without it each section does for itself. */
  constructor(
    readonly file: MappedFile,
    readonly decode: Decode<T>,
    readonly entry?: FileEntry,
  ) {}
}

export interface MappedFilesOptions {
  readonly disk: Disk;
  readonly folder: string;
  /** Of all mappings; a file that is larger is mapped alone. */
  readonly bytesMax: number;
  /** Hears of each damaged file once. */
  readonly onDamage: (damage: SnapshotDamage) => void;
}

export class MappedFiles {
  /** By name. */
  private readonly mappings = new Map<string, Reader<unknown>>();
  /** Names of files that are what the manifest says. */
  private readonly verified = new Set<string>();
  private readonly damaged = new Set<string>();
  private uses = 0;
  private mappedBytes = 0;

  constructor(private readonly options: MappedFilesOptions) {}

  /** Of the mappings that are there. */
  get bytes(): number {
    return this.mappedBytes;
  }

  /**
   * What `decode` makes of a file's sections, by a function that maps the file when it has to. That one throws
   * SnapshotDamage or DiskError, and tries again the next time.
   */
  reader<T>(entry: FileEntry, decode: Decode<T>): () => T {
    return this.readerOf(new Reader(entry, decode, entry));
  }

  /**
   * As `reader`, for a file that nothing but itself vouches for. Each section is checked when it is first asked for, so
   * what `decode` makes may throw SnapshotDamage or DiskError too.
   */
  sectionReader<T>(file: MappedFile, decode: Decode<T>): () => T {
    return this.readerOf(new Reader(file, decode));
  }

  /** Lets go of all files but the named ones. */
  keepOnly(names: { has(name: string): boolean }): void {
    for (const name of [...this.mappings.keys()]) if (!names.has(name)) this.letGo(name);
    for (const name of this.verified) if (!names.has(name)) this.verified.delete(name);
  }

  private readerOf<T>(reader: Reader<T>): () => T {
    return () => {
      reader.lastUsed = ++this.uses;
      return reader.value ?? this.map(reader);
    };
  }

  private map<T>(reader: Reader<T>): T {
    const { file, decode } = reader;
    const value = decode(this.sections(reader));
    reader.value = value;
    this.mappings.set(file.name, reader);
    this.mappedBytes += file.bytes;
    while (
      this.mappings.size > 1 &&
      (this.mappedBytes > this.options.bytesMax || this.mappings.size > mappingsMax)
    )
      this.letGo(this.leastRecentlyUsed());
    return value;
  }

  private sections({ file: { name }, entry }: Reader<unknown>): ReadonlyMap<string, Uint8Array> {
    const { disk, folder } = this.options;
    const path = join(folder, name);
    if (entry === undefined) return openSections(disk, path, name);
    if (this.verified.has(name)) return locateSections(disk.mapUnread(path));
    const bytes = disk.map(path);
    this.verify(bytes, entry);
    return locateSections(bytes);
  }

  private leastRecentlyUsed(): string {
    let [least, leastUsed] = ["", Infinity];
    for (const [name, { lastUsed }] of this.mappings)
      if (lastUsed < leastUsed) [least, leastUsed] = [name, lastUsed];
    return least;
  }

  private letGo(name: string): void {
    const reader = this.mappings.get(name) as Reader<unknown>;
    this.mappings.delete(name);
    this.mappedBytes -= reader.file.bytes;
    reader.value = undefined;
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
