/**
 * The checkpoints that are kept, with the log after them, and those that are pinned because somebody copies their files.
 * Whatever none of them needs is removed.
 */
import { join } from "node:path";
import { DiskError } from "../../lib/disk/disk.ts";
import type { Logger } from "../../lib/log.ts";
import type { FileEntry, Manifest } from "../../snapshot/manifest.ts";
import { damageOnDisk } from "../../snapshot/section-use.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import { removeOthers } from "../../snapshot/write-checkpoint.ts";
import { logPath, removeSegments, removeSegmentsBefore } from "../../wal/segment.ts";
import type { FolderHold } from "../files/folder-hold.ts";
import { monthsBeside } from "../files/month-files.ts";
import type { CheckpointFiles } from "./checkpoint.ts";
import type { EngineIo } from "./io.ts";

const damagedText =
  "it is damaged or gone, but an older checkpoint and the log have what was in it, and stay: " +
  "stop the server and run 'footfall repair'; a node of a cluster starts with an empty folder instead";

export interface KeptOptions {
  readonly io: EngineIo;
  readonly folder: string;
  readonly hold: FolderHold;
  readonly logger: Logger;
  readonly files: CheckpointFiles;
  /** The checkpoints that are kept, oldest first. */
  readonly manifests: readonly Manifest[];
  /** Returns the checkpoint that has the websites that are unavailable, if some are: it and the log after it stay. */
  readonly base: () => Manifest | undefined;
}

export interface Pin {
  readonly manifest: Manifest;
  /** The files of months without rows that the log after the checkpoint names. */
  readonly months: readonly FileEntry[];
}

export class KeptCheckpoints {
  private manifests: readonly Manifest[];
  private readonly pins = new Set<Pin>();

  constructor(private readonly options: KeptOptions) {
    this.manifests = options.manifests;
  }

  get newest(): Manifest {
    return this.manifests.at(-1) as Manifest;
  }

  get count(): number {
    return this.manifests.length;
  }

  add(manifest: Manifest): void {
    this.manifests = [...this.manifests.filter(({ seq }) => seq !== manifest.seq), manifest];
  }

  /** Keeps the newest ones, and removes what the others needed. Throws DiskError or FolderLost. */
  keep(count: number): void {
    this.manifests = this.manifests.slice(-count);
    this.removeUnneeded();
  }

  /**
   * Throws SnapshotDamage if a file of the newest checkpoint is damaged or gone that an older one does without, and that the next
   * one cannot write again from memory. What was in it is in the older one and in the log after it, which the next one would
   * let go. Throws DiskError.
   */
  expectOlderToSpare(): void {
    const { files } = this.options;
    for (const entry of this.newest.files.filter(({ name }) => files.damaged.has(name))) {
      const isInAll = this.manifests.every((manifest) =>
        manifest.files.some(({ name }) => name === entry.name),
      );
      if (!isInAll && this.isDamaged(entry) && files.rewrite(entry.name) === false)
        throw new SnapshotDamage(entry.name, undefined, damagedText);
    }
  }

  /** Returns whether it still is: somebody may have put the file back. */
  private isDamaged(entry: FileEntry): boolean {
    const { io, folder } = this.options;
    const path = join(folder, entry.name);
    try {
      return damageOnDisk(io.disk, path, io.disk.size(path), entry) !== undefined;
    } catch (error) {
      if (error instanceof DiskError && error.code === "ENOENT") return true;
      throw error;
    }
  }

  /** Lets all go but the newest; what cannot be removed goes after the next one. */
  keepNewest(): void {
    this.manifests = this.manifests.slice(-1);
    this.tidy();
  }

  pin(): Pin {
    const manifest = this.options.base() ?? this.newest;
    const pin = { manifest, months: monthsBeside(manifest, this.options.files.namedFiles) };
    this.pins.add(pin);
    return pin;
  }

  /** Returns whether it was pinned. */
  unpin(pin: Pin): boolean {
    return this.pins.delete(pin);
  }

  /** Removes files that belong to no kept checkpoint; those that cannot be removed go after the next one. */
  tidy(): void {
    try {
      this.removeUnneeded();
    } catch (error) {
      const text = "files that no checkpoint needs could not be removed yet";
      this.options.logger.warn(text, { error: String(error) });
    }
  }

  private removeUnneeded(): void {
    const { io, folder, hold } = this.options;
    hold.expect();
    const pinned = [...this.pins].map(({ manifest }) => manifest).concat(this.options.base() ?? []);
    const months = [...this.pins].flatMap((pin) => pin.months).concat(this.options.files.namedFiles);
    const kept = [...this.manifests, ...pinned];
    removeOthers(io.disk, folder, kept, months);
    const directory = logPath(folder);
    // The log is elsewhere then.
    if (kept.every(({ stream }) => stream !== undefined)) return removeSegments(io.disk, directory);
    // A pin may have the segment that ends with its checkpoint, where none had begun after it.
    const seqs = [...this.manifests.map(({ seq }) => seq + 1), ...pinned.map(({ seq }) => seq)];
    removeSegmentsBefore(io.disk, directory, Math.min(...seqs));
  }
}
