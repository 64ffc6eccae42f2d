/**
 * The exclusive lock of a folder: flock(2) on a file that names the process. The kernel drops the lock when
 * the process ends, however it ends; the file itself stays. Bun has no flock, so libc is called directly.
 */
import { dlopen } from "bun:ffi";
import fs from "node:fs";
import { diskCall } from "./disk.ts";

/** Where flock is found: glibc, musl on both architectures, macOS. */
const libraries = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];
const symbols = { flock: { args: ["i32", "i32"], returns: "i32" } } as const;
const exclusive = 2;
const withoutWaiting = 4;

/** Another process has the folder. */
export class LockHeld extends Error {
  override name = "LockHeld";

  /** `holder` is what the file says: a process id, or "" while it is being written. */
  constructor(
    readonly path: string,
    readonly holder: string,
  ) {
    super(`${path} is locked by ${holder === "" ? "another process" : `the process ${holder}`}`);
  }
}

export interface Lock {
  release(): void;
}

/** Throws LockHeld, or DiskError if the file cannot be made. */
export function acquireLock(path: string): Lock {
  const file = diskCall("open", path, () => fs.openSync(path, "a+", 0o600));
  try {
    if (flock(file, exclusive | withoutWaiting) !== 0)
      throw new LockHeld(path, fs.readFileSync(path, "utf8").trim());
    diskCall("write", path, () => {
      fs.ftruncateSync(file, 0);
      fs.writeSync(file, `${process.pid}\n`);
    });
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
  return { release: () => fs.closeSync(file) };
}

function flock(file: number, operation: number): number {
  for (const library of libraries) {
    let libc;
    try {
      libc = dlopen(library, symbols);
    } catch {
      continue;
    }
    try {
      return libc.symbols.flock(file, operation);
    } finally {
      libc.close();
    }
  }
  throw new Error(`no C library with flock was found (looked for ${libraries.join(", ")})`);
}
