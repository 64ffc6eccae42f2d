/**
 * Checkpoint files that stay on the disk until they are needed. The first use of one reads it and compares it with
 * its checksum; then it is mapped, so that its pages are the kernel's to take back. Mappings that were not used for
 * longest are let go when they are more than the budget; the memory goes with the garbage.
 */
import { join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import type { FileEntry } from "./manifest.ts";
import { decodeSections, fileChecksum, locateSections, SnapshotDamage } from "./section.ts";

/** Linux gives a process 65,530. */
const mappingsMax = 16_384;

interface Mapping {
  readonly bytes: number;
  lastUsed: number;
  readonly forget: () => void;
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
  private readonly mappings = new Map<string, Mapping>();
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
  reader<T>(entry: FileEntry, decode: (sections: ReadonlyMap<string, Uint8Array>) => T): () => T {
    let value: T | undefined;
    let mapping: Mapping | undefined;
    let verified = false;
    const forget = () => (value = undefined);
    return () => {
      if (mapping === undefined || value === undefined) {
        const bytes = this.options.disk.map(join(this.options.folder, entry.name));
        if (!verified) this.verify(bytes, entry);
        verified = true;
        value = decode(locateSections(bytes));
        mapping = this.keep(entry, forget);
      }
      mapping.lastUsed = ++this.uses;
      return value;
    };
  }

  /** Lets go of all files but the named ones. */
  keepOnly(names: { has(name: string): boolean }): void {
    for (const name of [...this.mappings.keys()]) if (!names.has(name)) this.letGo(name);
  }

  private keep({ name, bytes }: FileEntry, forget: () => void): Mapping {
    const mapping = { bytes, lastUsed: ++this.uses, forget };
    this.mappings.set(name, mapping);
    this.mappedBytes += bytes;
    while (
      this.mappings.size > 1 &&
      (this.mappedBytes > this.options.bytesMax || this.mappings.size > mappingsMax)
    )
      this.letGo(this.leastRecentlyUsed());
    return mapping;
  }

  private leastRecentlyUsed(): string {
    let [least, leastUsed] = ["", Infinity];
    for (const [name, { lastUsed }] of this.mappings)
      if (lastUsed < leastUsed) [least, leastUsed] = [name, lastUsed];
    return least;
  }

  private letGo(name: string): void {
    const { bytes, forget } = this.mappings.get(name) as Mapping;
    this.mappings.delete(name);
    this.mappedBytes -= bytes;
    forget();
  }

  private verify(bytes: Uint8Array, entry: FileEntry): void {
    const damage = damageOf(bytes, entry);
    if (damage === undefined) return;
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
