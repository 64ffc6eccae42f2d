/**
 * Standard output, as a stream of bytes and as texts, and other streams. A byte that is lost is an error. A file or a pipe
 * gets each byte as it is; a terminal gets what would steer it written out.
 */
import fs from "node:fs";
import { Refusal } from "../../core/refusal.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import { callLibc } from "../../lib/disk/libc.ts";
import { once } from "../../lib/lazy.ts";
import { isBuilt } from "../version.ts";
import { steers, visible, visibleJson } from "./visible.ts";

const standardOutputFile = 1;
const standardOutputName = "standard output";
/** The wait until a pipe that takes no more may take something again. */
const fullMs = 2;
/** The system is asked directly: creating `process.stdout` for it would take some milliseconds. */
const isTerminal = once(() => callLibc("isatty", standardOutputFile) === 1);

/**
 * Returns `streamTo` for standard output. `isJson`: what is written out to a terminal stays JSON. Throws Refusal 400 where
 * npm has written lines of its own into the file or pipe.
 */
export function standardOutput(isJson: boolean): (bytes: Uint8Array) => Promise<void> {
  const write = streamTo(standardOutputFile, standardOutputName);
  if (!isTerminal()) {
    if (!isBuilt && npmSpoke(process.env))
      throw new Refusal(
        400,
        "npm has written lines of its own to standard output, and what follows them could not be read: " +
          "write npm start --silent -- before the command",
      );
    return write;
  }
  const decoder = new TextDecoder();
  const shown = isJson ? visibleJson : visible;
  return (bytes) => write(Buffer.from(shown(decoder.decode(bytes, { stream: true }))));
}

/** Returns whether `npm start` runs the program, and was not told to be silent. Other package managers name themselves. */
function npmSpoke(environment: Readonly<Record<string, string | undefined>>): boolean {
  const {
    npm_config_user_agent: manager,
    npm_lifecycle_event: script,
    npm_config_loglevel: level,
  } = environment;
  return (manager?.startsWith("npm/") ?? false) && script === "start" && level !== "silent";
}

/**
 * Returns a function that writes all of the bytes to a file that is open; `name` is its name in messages. It throws
 * DiskError, EPIPE if nobody reads them any more.
 */
export function streamTo(file: number, name: string): (bytes: Uint8Array) => Promise<void> {
  return async (bytes) => {
    for (let done = 0; done < bytes.length;) {
      const taken = writeSome(file, name, bytes, done);
      if (taken === 0) await Bun.sleep(fullMs);
      done += taken;
    }
  };
}

/** The reader of the text, such as `head`, has ended: nothing is wrong, and nobody needs a message. */
export class ReaderGone extends DiskError {
  constructor(cause: unknown) {
    super("write to", standardOutputName, "EPIPE", cause);
  }
}

/** Writes all of a text to standard output before it returns. Throws DiskError, of which ReaderGone is one. */
export function writeOutput(text: string): void {
  const bytes = Buffer.from(steers(text) && isTerminal() ? visible(text) : text);
  try {
    for (let done = 0; done < bytes.length;) {
      const taken = writeSome(standardOutputFile, standardOutputName, bytes, done);
      if (taken === 0) Bun.sleepSync(fullMs);
      done += taken;
    }
  } catch (error) {
    if (error instanceof DiskError && error.code === "EPIPE") throw new ReaderGone(error);
    throw error;
  }
}

/** Returns how many of the bytes from `start` on were written: 0 if a pipe is full. */
function writeSome(file: number, name: string, bytes: Uint8Array, start: number): number {
  try {
    return fs.writeSync(file, bytes, start);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== "string") throw error;
    if (code !== "EAGAIN") throw new DiskError("write to", name, code, error);
    return 0;
  }
}
