/**
 * The file that a command writes where somebody says so. A regular file takes the place of an earlier one when it is
 * complete. A device or a named pipe is never replaced: it gets the bytes as they come. A link is followed, also one to
 * a file that is not there yet.
 */
import fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { Refusal, shown } from "../core/refusal.ts";
import { DiskError, diskCall, systemDisk, type Disk } from "../lib/disk/disk.ts";
import { standardOutput, streamTo } from "./terminal/output.ts";
import { whenInterrupted } from "./terminal/stop-signal.ts";

const standard = "-";
/** As many as Linux follows. */
const linksMax = 40;

/** Its functions throw DiskError. */
export interface OutputFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Lets the device write what it got so far. */
  settle(): void;
  /** Makes the file complete and durable. */
  finish(): void;
  /** Leaves an earlier file as it was. */
  abandon(): void;
}

/**
 * Opens the file at a path, `-` for standard output. `isJson`: it gets JSON. Throws DiskError, and Refusal 400 that names
 * `field` without a folder.
 */
export function outputAt(path: string, field: string, isJson = false): OutputFile {
  if (path === standard) return streamed(standardOutput(isJson));
  if (isStream(path)) return opened(path);
  const place = linkAt(path) === undefined ? path : realPlace(path);
  try {
    return replacing(systemDisk, place);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    if (error.code !== "ENOENT") throw new DiskError("create", path, error.code, error);
    const folder = shown(dirname(resolve(place)));
    throw new Refusal(400, `${field}: there is no folder ${folder} for ${basename(place)}: make it first`);
  }
}

/** Returns whether what is written to the path goes on to somebody else: standard output, a device or a named pipe. */
export function isStream(path: string): boolean {
  if (path === standard) return true;
  const found = fs.statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Returns a new file that is renamed to the path when it is complete. Throws DiskError. Exported for tests. */
export function replacing(disk: Disk, path: string): OutputFile {
  const unfinished = `${path}.${process.pid}.new`;
  disk.remove(unfinished);
  const file = disk.create(unfinished);
  const stopWaiting = whenInterrupted(() => disk.remove(unfinished));
  let isOpen = true;
  const close = () => {
    if (isOpen) disk.close(file);
    isOpen = false;
  };
  return {
    write: async (bytes) => disk.write(file, bytes),
    settle: () => disk.sync(file),
    finish: () => {
      disk.sync(file);
      close();
      disk.rename(unfinished, path);
      stopWaiting();
      disk.syncDirectory(dirname(path));
    },
    abandon: () => {
      close();
      disk.remove(unfinished);
      stopWaiting();
    },
  };
}

/** Opens a device or a named pipe, which waits for a reader. */
function opened(path: string): OutputFile {
  const file = diskCall("open", path, () => fs.openSync(path, fs.constants.O_WRONLY));
  const close = () => diskCall("close", path, () => fs.closeSync(file));
  return streamed(streamTo(file, path), close);
}

function streamed(write: OutputFile["write"], close = () => {}): OutputFile {
  return { write, settle: () => {}, finish: close, abandon: close };
}

/** Throws Refusal if a path leads to a folder or below it. */
export function expectOutside(path: string, folder: string): void {
  const [place, own] = [realPlace(path), realPlace(folder)];
  if (place === own || place.startsWith(`${own}/`))
    throw new Refusal(
      400,
      `${path} is in the data folder: choose a place on another disk, or at least beside it`,
    );
}

/** Returns the absolute path to which a path leads by links, whether or not there is something. Throws DiskError. */
export function realPlace(path: string, links = linksMax): string {
  if (links === 0) throw new DiskError("follow the links of", path, "ELOOP");
  const folder = realFolder(dirname(path), links);
  const place = join(folder, basename(path));
  const target = linkAt(place);
  if (target === undefined) return place;
  return realPlace(isAbsolute(target) ? target : `${folder}/${target}`, links - 1);
}

/** The system knows folders that are there; of others the path up to where they would be. */
function realFolder(path: string, links: number): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return realPlace(path, links);
  }
}

/** Returns what a link names; undefined for anything else, and where there is nothing. */
function linkAt(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}
