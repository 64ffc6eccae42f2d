/**
 * All contact with the file system: one interface of synchronous calls, so that a disk that fails or loses power is
 * just another implementation. A failed call is a DiskError, and nothing here repeats one: a failed sync that is
 * repeated reports success although the bytes are lost. Files are readable and writable by their owner only.
 */
import fs from "node:fs";
import { join } from "node:path";
import { withReserve } from "./descriptors.ts";
import { unlinkIfThere } from "./unlink.ts";

/** A file that is open for appending; only the disk that opened it knows what the number means. */
export type FileHandle = number;

export interface Disk {
  /** Creates an empty file and opens it for appending; EEXIST if there is one. */
  create(path: string): FileHandle;
  /** Opens an existing file for appending. */
  open(path: string): FileHandle;
  /** Appends all of the bytes; after an error any number of them may have been written. */
  write(file: FileHandle, bytes: Uint8Array): void;
  /**
   * Returns when everything written to the file survives a power cut. After an error it must never be called again on
   * this file.
   */
  sync(file: FileHandle): void;
  close(file: FileHandle): void;
  /**
   * Returns at most `length` bytes from `start` on, fewer if the file ends; by default all of it. `into`: memory for so
   * many, which the result may be part of: new memory takes as long as the reading.
   */
  read(path: string, start?: number, length?: number, into?: Uint8Array): Uint8Array;
  /**
   * Maps the whole file, so that it takes no memory of its own; one that may only be read is read instead. The bytes
   * stay valid as long as somebody holds them, even if the file is removed. Nothing is read yet: `read` the file before
   * the first use, so that a failing device is an error there, and not a signal that ends the process. A truncation is
   * such a signal too, so map only files that nobody changes. Writes to the bytes stay in this process, and take memory
   * for each page that is written to.
   */
  map(path: string): Uint8Array;
  /** Returns the size in bytes. */
  size(path: string): number;
  /** Returns the names in a directory, sorted. */
  list(directory: string): string[];
  /**
   * Returns the sizes of all files below a directory, by their paths within it. What cannot be looked at is left out:
   * `lost+found`, a link into nothing, a file that somebody removes meanwhile.
   */
  sizesBelow(directory: string): Map<string, number>;
  /** Renames a file, and replaces a file with the new name in one step. */
  rename(from: string, to: string): void;
  /** Removes a file; succeeds if it does not exist. */
  remove(path: string): void;
  /** Creates a directory and its parents; succeeds if it exists. */
  makeDirectory(path: string): void;
  /** Returns when changes to the names in the directory (created, renamed, removed) survive a power cut. */
  syncDirectory(path: string): void;
  /** Cuts a file to `length` bytes; the change is durable when it returns. */
  truncate(path: string, length: number): void;
  /** Returns how many bytes the program may still write to the disk that holds `path`. */
  freeBytes(path: string): number;
  /** Returns the size of that disk in bytes. */
  totalBytes(path: string): number;
}

const hints: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: free some space, or files if `df -i` says 100 %",
  EDQUOT: "the disk quota is used up: raise it or free some space",
  EFBIG: "the file is larger than the system's limit for files allows",
  EACCES: "permission is denied: give the file to the user that runs the program",
  EPERM: "the system does not permit it: look at the owner and the attributes of the file",
  EROFS: "the file system is read-only: mount it writable and look into the system's log for the reason",
  EIO: "the device failed: look into the system's log, copy what can be read to another disk, and go on there",
  EMFILE: "the program has too many files open: raise its limit (ulimit -n)",
  ENFILE: "the system has too many files open: raise its limit (fs.file-max)",
  ENOENT: "there is no such file or folder",
  EEXIST: "there is such a file already",
  EPIPE: "whoever read it has ended",
  ENOTDIR: "a part of the path is no directory",
  EISDIR: "it is a directory",
  ENAMETOOLONG: "the name is too long for this file system",
};

/** A failed operation of the disk. `code` is the system's name of the error, such as ENOSPC. */
export class DiskError extends Error {
  override name = "DiskError";

  /** `hint`: explains in words what the error means and what to do. */
  constructor(
    readonly operation: string,
    readonly path: string,
    readonly code: string,
    cause?: unknown,
    hint = hints[code] ?? "the system refused",
  ) {
    super(`cannot ${operation} ${path}: ${hint} (${code})`, { cause });
  }
}

/** Runs a call of node:fs; what it throws becomes a DiskError. */
export function diskCall<T>(operation: string, path: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    const code = (cause as { code?: unknown }).code;
    if (typeof code !== "string") throw cause;
    throw new DiskError(operation, path, code, cause);
  }
}

/** Runs a call of node:fs that opens a file before it does anything: it may use the reserve of descriptors. */
function fileCall<T>(operation: string, path: string, call: () => T): T {
  return diskCall(operation, path, () => withReserve(call));
}

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
const fileMode = 0o600;
const directoryMode = 0o700;

class SystemDisk implements Disk {
  /** The paths of the open files, for error messages. */
  private readonly paths = new Map<FileHandle, string>();

  create(path: string): FileHandle {
    return this.opened("create", path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
  }

  open(path: string): FileHandle {
    return this.opened("open", path, O_WRONLY | O_APPEND);
  }

  write(file: FileHandle, bytes: Uint8Array): void {
    diskCall("write", this.pathOf(file), () => {
      for (let done = 0; done < bytes.length;) done += fs.writeSync(file, bytes, done);
    });
  }

  sync(file: FileHandle): void {
    diskCall("sync", this.pathOf(file), () => fs.fdatasyncSync(file));
  }

  close(file: FileHandle): void {
    const path = this.pathOf(file);
    this.paths.delete(file);
    diskCall("close", path, () => fs.closeSync(file));
  }

  read(path: string, start = 0, length = Infinity, into?: Uint8Array): Uint8Array {
    return fileCall("read", path, () => {
      const file = fs.openSync(path, "r");
      try {
        const there = Math.min(length, Math.max(0, fs.fstatSync(file).size - start));
        return readRange(file, start, into?.subarray(0, there) ?? new Uint8Array(there));
      } finally {
        fs.closeSync(file);
      }
    });
  }

  map(path: string): Uint8Array {
    return fileCall("map", path, () => {
      try {
        return Bun.mmap(path, { shared: false });
      } catch (error) {
        // Bun opens the file for writing, which a disk that is mounted for reading alone refuses.
        const { code } = error as { code?: unknown };
        if (code !== "EROFS" && code !== "EACCES") throw error;
        return this.read(path);
      }
    });
  }

  size(path: string): number {
    return diskCall("inspect", path, () => fs.statSync(path).size);
  }

  list(directory: string): string[] {
    return fileCall("list", directory, () => fs.readdirSync(directory).sort());
  }

  sizesBelow(directory: string): Map<string, number> {
    this.list(directory);
    const sizes = new Map<string, number>();
    const measure = (below: string) => {
      const entries = () => fs.readdirSync(join(directory, below), { withFileTypes: true });
      for (const entry of orNone(entries) ?? []) {
        const name = join(below, entry.name);
        if (entry.isDirectory()) measure(name);
        const size = entry.isFile() ? orNone(() => this.size(join(directory, name))) : undefined;
        if (size !== undefined) sizes.set(name, size);
      }
    };
    measure("");
    return sizes;
  }

  rename(from: string, to: string): void {
    diskCall("rename", from, () => fs.renameSync(from, to));
    for (const [file, path] of this.paths) if (path === from) this.paths.set(file, to);
  }

  remove(path: string): void {
    diskCall("remove", path, () => unlinkIfThere(path));
  }

  makeDirectory(path: string): void {
    diskCall("make the directory", path, () => fs.mkdirSync(path, { recursive: true, mode: directoryMode }));
  }

  syncDirectory(path: string): void {
    this.withDescriptor("sync the directory", path, "r", (file) => fs.fsyncSync(file));
  }

  truncate(path: string, length: number): void {
    this.withDescriptor("truncate", path, "r+", (file) => {
      fs.ftruncateSync(file, length);
      fs.fdatasyncSync(file);
    });
  }

  freeBytes(path: string): number {
    return diskCall("measure the free space at", path, () => {
      const { bavail, bsize } = fs.statfsSync(path);
      return bavail * bsize;
    });
  }

  totalBytes(path: string): number {
    return diskCall("measure the disk at", path, () => {
      const { blocks, bsize } = fs.statfsSync(path);
      return blocks * bsize;
    });
  }

  private opened(operation: string, path: string, flags: number): FileHandle {
    const file = fileCall(operation, path, () => fs.openSync(path, flags, fileMode));
    this.paths.set(file, path);
    return file;
  }

  private withDescriptor(operation: string, path: string, flags: string, use: (file: number) => void): void {
    fileCall(operation, path, () => {
      const file = fs.openSync(path, flags);
      try {
        use(file);
      } finally {
        fs.closeSync(file);
      }
    });
  }

  private pathOf(file: FileHandle): string {
    return this.paths.get(file) ?? `descriptor ${file}`;
  }
}

/** Returns undefined where the system refuses. */
function orNone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === "string") return undefined;
    throw error;
  }
}

/** Fills `bytes`, and returns those that there were. */
function readRange(file: number, start: number, bytes: Uint8Array): Uint8Array {
  let done = 0;
  while (done < bytes.length) {
    const count = fs.readSync(file, bytes, done, bytes.length - done, start + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

export const systemDisk: Disk = new SystemDisk();

/** Writes and syncs a file in place of any other of that name. */
export function writeFile(disk: Disk, path: string, data: Uint8Array): void {
  disk.remove(path);
  const file = disk.create(path);
  try {
    disk.write(file, data);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

/** Does the same in one step: there is the old file or the new one, whatever happens. The directory is not synced. */
export function replaceFile(disk: Disk, path: string, data: Uint8Array): void {
  const unfinished = unfinishedName(path);
  writeFile(disk, unfinished, data);
  disk.rename(unfinished, path);
}

/** The file that `replaceFile` may leave when it fails. */
export const unfinishedName = (path: string) => `${path}.new`;
