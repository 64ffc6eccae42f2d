/** Standard output as a stream of bytes, for what is too long for lines of a terminal. */
import fs from "node:fs";
import { DiskError } from "../../lib/disk/disk.ts";

const standardOutputFile = 1;
/** The wait until a pipe that takes no more may take something again. */
const fullMs = 2;

/** Returns a function that writes all of the bytes. It throws DiskError, EPIPE if nobody reads them any more. */
export function standardOutput(): (bytes: Uint8Array) => Promise<void> {
  return async (bytes) => {
    for (let done = 0; done < bytes.length;)
      try {
        done += fs.writeSync(standardOutputFile, bytes, done);
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (typeof code !== "string") throw error;
        if (code !== "EAGAIN") throw new DiskError("write to", "standard output", code, error);
        await Bun.sleep(fullMs);
      }
  };
}
