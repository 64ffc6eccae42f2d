/** Standard output, as a stream of bytes and as texts. A byte that is lost is an error. */
import fs from "node:fs";
import { DiskError } from "../../lib/disk/disk.ts";

const standardOutputFile = 1;
const standardOutputName = "standard output";
/** The wait until a pipe that takes no more may take something again. */
const fullMs = 2;

/** Returns a function that writes all of the bytes. It throws DiskError, EPIPE if nobody reads them any more. */
export function standardOutput(): (bytes: Uint8Array) => Promise<void> {
  return async (bytes) => {
    for (let done = 0; done < bytes.length;) {
      const taken = writeSome(bytes, done);
      if (taken === 0) await Bun.sleep(fullMs);
      done += taken;
    }
  };
}

/** Writes all of a text before it returns. Throws the same. */
export function writeOutput(text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    const taken = writeSome(bytes, done);
    if (taken === 0) Bun.sleepSync(fullMs);
    done += taken;
  }
}

/** Returns how many of the bytes from `start` on were written: 0 if a pipe is full. */
function writeSome(bytes: Uint8Array, start: number): number {
  try {
    return fs.writeSync(standardOutputFile, bytes, start);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== "string") throw error;
    if (code !== "EAGAIN") throw new DiskError("write to", standardOutputName, code, error);
    return 0;
  }
}
