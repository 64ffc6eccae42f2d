/**
 * All contact with the file system: one interface of synchronous calls, so that a disk that fails or loses
 * power is just another implementation. A failed call is a DiskError, and nothing here tries one again: a
 * failed sync that is repeated reports success and has lost the bytes. Files are made for their owner alone.
 */
import fs from "node:fs";

/** A file that is open for appending; only the disk that opened it knows what the number means. */
export type FileHandle = number;

export interface Disk {
  /** Makes an empty file and opens it for appending; EEXIST if there is one. */
  create(path: string): FileHandle;
  /** Opens a file that exists for appending. */
  open(path: string): FileHandle;
  /** Appends all of the bytes; after an error any number of them may have been written. */
  write(file: FileHandle, bytes: Uint8Array): void;
  /** Returns when what was written to the file survives a power cut. After an error: never again on this file. */
  sync(file: FileHandle): void;
  close(file: FileHandle): void;
  /** At most `length` bytes from `start`, fewer where the file ends; by default all of it. */
  read(path: string, start?: number, length?: number): Uint8Array;
  /**
   * The whole file without memory of its own, for as long as somebody has it, even when the file is removed. It is read
   * through once, so that a device that fails is an error here: later it would be a signal, and the end of the
   * process. So is a truncation: only for files that nobody changes. What is written to the bytes stays in this process.
   */
  map(path: string): Uint8Array;
  /** As `map`, but nothing is read: for what was read before, or is by `read` before it is used. */
  mapUnread(path: string): Uint8Array;
  /** Bytes. */
  size(path: string): number;
  /** The names in a directory, sorted. */
  list(directory: string): string[];
  /** Takes the place of a file that is there under the new name, in one step. */
  rename(from: string, to: string): void;
  /** A file that is not there is removed already. */
  remove(path: string): void;
  /** With its parents; one that is there stays. */
  makeDirectory(path: string): void;
  /** Returns when the names of the directory (made, renamed, removed) survive a power cut. */
  syncDirectory(path: string): void;
  /** Cuts a file to `length` bytes; durable when it returns. */
  truncate(path: string, length: number): void;
  /** Bytes that the program may still write on the disk that holds `path`. */
  freeBytes(path: string): number;
}

const hints: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the disk quota is used up: raise it or free some space",
  EFBIG: "the file is larger than the system's limit for files allows",
  EACCES: "permission is denied: give the file to the user that runs the program",
  EPERM: "the system does not permit it: look at the owner and the attributes of the file",
  EROFS: "the file system is read-only: mount it writable and look into the system's log for the reason",
  EIO: "the device failed: look into the system's log, and replace the disk before going on",
  EMFILE: "the program has too many files open: raise its limit (ulimit -n)",
  ENFILE: "the system has too many files open: raise its limit (fs.file-max)",
  ENOENT: "there is no such file",
  EEXIST: "there is such a file already",
  ENOTDIR: "a part of the path is no directory",
  EISDIR: "it is a directory",
  ENAMETOOLONG: "the name is too long for this file system",
};

/** An operation of the disk that failed. `code` is the system's name of the error, such as ENOSPC. */
export class DiskError extends Error {
  override name = "DiskError";
  /** What it means and what to do, in words. */
  readonly hint: string;

  constructor(
    readonly operation: string,
    readonly path: string,
    readonly code: string,
    cause?: unknown,
  ) {
    const hint = hints[code] ?? "the system refused";
    super(`cannot ${operation} ${path}: ${hint} (${code})`, { cause });
    this.hint = hint;
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

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
const fileMode = 0o600;
const directoryMode = 0o700;
/** Where files are read to that are read for nothing but the sake of it. */
const throughput = new Uint8Array(64 * 1024);

class SystemDisk implements Disk {
  /** For error messages: where the open files are. */
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

  read(path: string, start = 0, length = Infinity): Uint8Array {
    return diskCall("read", path, () => {
      const file = fs.openSync(path, "r");
      try {
        return readRange(file, start, Math.min(length, Math.max(0, fs.fstatSync(file).size - start)));
      } finally {
        fs.closeSync(file);
      }
    });
  }

  map(path: string): Uint8Array {
    return diskCall("map", path, () => {
      const file = fs.openSync(path, "r");
      try {
        for (let at = 0, count = -1; count !== 0; at += count)
          count = fs.readSync(file, throughput, 0, throughput.length, at);
      } finally {
        fs.closeSync(file);
      }
      return Bun.mmap(path, { shared: false });
    });
  }

  mapUnread(path: string): Uint8Array {
    return diskCall("map", path, () => Bun.mmap(path, { shared: false }));
  }

  size(path: string): number {
    return diskCall("measure", path, () => fs.statSync(path).size);
  }

  list(directory: string): string[] {
    return diskCall("list", directory, () => fs.readdirSync(directory).sort());
  }

  rename(from: string, to: string): void {
    diskCall("rename", from, () => fs.renameSync(from, to));
    for (const [file, path] of this.paths) if (path === from) this.paths.set(file, to);
  }

  remove(path: string): void {
    diskCall("remove", path, () => fs.rmSync(path, { force: true }));
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

  private opened(operation: string, path: string, flags: number): FileHandle {
    const file = diskCall(operation, path, () => fs.openSync(path, flags, fileMode));
    this.paths.set(file, path);
    return file;
  }

  private withDescriptor(operation: string, path: string, flags: string, use: (file: number) => void): void {
    diskCall(operation, path, () => {
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

function readRange(file: number, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const count = fs.readSync(file, bytes, done, length - done, start + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

export const systemDisk: Disk = new SystemDisk();
