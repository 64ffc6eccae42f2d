/** Standard output as a stream of bytes, for what is too long for lines of a terminal. */
import { DiskError } from "../lib/disk.ts";

/** Returns a function that writes, and waits until there is room for more. It throws DiskError. */
export function standardOutput(): (bytes: Uint8Array) => Promise<void> {
  const writer = Bun.stdout.writer();
  return async (bytes) => {
    try {
      writer.write(bytes);
      await writer.flush();
    } catch (error) {
      const { code } = error as { code?: unknown };
      throw typeof code === "string" ? new DiskError("write to", "standard output", code, error) : error;
    }
  };
}
