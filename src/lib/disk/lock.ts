/**
 * The exclusive lock of a folder: flock(2) on a file that names the process. The kernel drops the lock when the process
 * ends, however it ends; the file itself stays. Bun offers no flock, so libc is called directly.
 */
import fs from "node:fs";
import { dirname } from "node:path";
import { DiskError, diskCall } from "./disk.ts";
import { isFull } from "./full.ts";
import { errorOfLibc } from "./libc.ts";

const shared = 1;
const exclusive = 2;
const withoutWaiting = 4;
/** EWOULDBLOCK, under either of its names. */
const heldErrors: readonly string[] = ["EWOULDBLOCK", "EAGAIN"];
const noLocks =
  "the file system of this folder cannot lock files, and two servers on one folder would lose data: choose a folder on a " +
  "local disk";

/** The content of a file that this process has locked. In containers all have the same process id. */
const ownName = `${process.pid} ${crypto.getRandomValues(new Uint8Array(8)).toHex()}\n`;

/** Another process has locked the folder. */
export class LockHeld extends Error {
  override name = "LockHeld";

  /** Names the process in words, for messages. */
  readonly process: string;

  /** `content`: that of the file, which begins with a process id; "" while it is being written. */
  constructor(
    readonly path: string,
    content: string,
  ) {
    const holder = content.trim().split(" ", 1)[0]!;
    const process = holder === "" ? "another process" : `the process ${holder}`;
    super(`${path} is locked by ${process}`);
    this.process = process;
  }
}

export interface Lock {
  /**
   * Returns whether the file that is locked is still the one at its path: a process that finds another one there, or none, can
   * lock that. Throws DiskError, also while the folder is gone.
   */
  isInPlace(): boolean;
  release(): void;
}

/** A lock that `using` releases. */
export type ScopedLock = Lock & Disposable;

/** Locks the folder. Throws LockHeld, or DiskError if the file cannot be created or its file system has no locks. */
export function acquireLock(path: string): ScopedLock {
  const file = diskCall("open", path, () => fs.openSync(path, "a+", 0o600));
  return locked(file, path, exclusive, () => nameHolder(file, path));
}

/** On a full disk nobody is named: the lock holds all the same. */
function nameHolder(file: number, path: string): void {
  try {
    diskCall("write", path, () => {
      fs.ftruncateSync(file, 0);
      fs.writeSync(file, ownName);
    });
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

/**
 * Keeps others from locking the folder, and writes nothing. Readers do not exclude each other. A folder without the
 * file was never opened, and is not locked. Throws LockHeld or DiskError.
 */
export function acquireReadLock(path: string): ScopedLock {
  if (!fs.existsSync(path)) return { isInPlace: () => true, release: () => {}, [Symbol.dispose]: () => {} };
  const file = diskCall("open", path, () => fs.openSync(path, "r"));
  return locked(file, path, shared, () => {});
}

function locked(file: number, path: string, kind: number, then: () => void): ScopedLock {
  try {
    lockOpened(file, path, kind);
    then();
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
  const release = () => fs.closeSync(file);
  return { isInPlace: () => isAt(path, file), release, [Symbol.dispose]: release };
}

/**
 * Whether a locked file is the one at a path. Some network file systems give a file another number when they look again: then
 * it is the same if it names this process and cannot be locked once more.
 */
function isAt(path: string, file: number): boolean {
  return diskCall("inspect", path, () => {
    const there = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    const own = fs.fstatSync(file, { bigint: true });
    if (there?.ino === own.ino && there.dev === own.dev) return true;
    if (there === undefined) return !fs.statSync(dirname(path)).isDirectory();
    return fs.readFileSync(path, "utf8") === ownName && isLocked(path);
  });
}

function isLocked(path: string): boolean {
  const file = fs.openSync(path, "r");
  try {
    lockOpened(file, path);
    return false;
  } catch (error) {
    if (error instanceof LockHeld) return true;
    throw error;
  } finally {
    fs.closeSync(file);
  }
}

/** Locks an open file. Throws LockHeld or DiskError. Exported for tests. */
export function lockOpened(file: number, path: string, kind = exclusive): void {
  const error = errorOfLibc("flock", file, kind | withoutWaiting);
  if (error === undefined) return;
  if (heldErrors.includes(error)) throw new LockHeld(path, fs.readFileSync(path, "utf8"));
  throw new DiskError("lock", path, error, undefined, noLocks);
}
