/**
 * Writes segments: one write and one sync a batch, in the calling thread. Any failure ends the segment: after a failed
 * sync nobody knows what the disk holds, and a second sync would report success.
 */
import { dirname, join } from "node:path";
import { assert } from "../lib/assert.ts";
import { type Disk, type FileHandle } from "../lib/disk/disk.ts";
import { unfinishedName } from "./segment.ts";

export class SegmentWriter {
  /** The open segment; undefined before the first and after a failure. */
  private file: FileHandle | undefined;
  /** The path of the segment that was begun last. */
  private path = "";

  constructor(private readonly disk: Disk) {}

  /**
   * Starts a segment with its header and first batch. Once its bytes are durable it gets its name, and replaces a start
   * that failed under that name. When this returns the name is durable too. Throws DiskError.
   */
  start(path: string, bytes: Uint8Array): void {
    this.close();
    const directory = dirname(path);
    const unfinished = join(directory, unfinishedName);
    this.path = path;
    this.disk.remove(unfinished);
    this.file = this.disk.create(unfinished);
    this.attempt((file) => {
      this.disk.write(file, bytes);
      this.disk.sync(file);
      this.disk.rename(unfinished, path);
      this.disk.syncDirectory(directory);
    });
  }

  /**
   * Appends one batch; it is durable when this returns. Throws DiskError, also where somebody has removed the segment: an open
   * file takes bytes without a name, and no start would find them.
   */
  append(bytes: Uint8Array): void {
    this.attempt((file) => {
      this.disk.write(file, bytes);
      this.disk.sync(file);
      this.disk.size(this.path);
    });
  }

  /** Closes the segment. Every acknowledged batch is durable already, so an error of closing is ignored. */
  close(): void {
    const file = this.file;
    this.file = undefined;
    if (file === undefined) return;
    try {
      this.disk.close(file);
    } catch {
      // The descriptor is closed either way.
    }
  }

  private attempt(write: (file: FileHandle) => void): void {
    assert(this.file !== undefined, "a batch needs a segment that has not failed");
    try {
      write(this.file);
    } catch (error) {
      this.close();
      throw error;
    }
  }
}
