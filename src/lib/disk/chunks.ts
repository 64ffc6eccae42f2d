/** Reads a file as a stream of bytes. An error of the system is a DiskError, also while it is read. */
import fs from "node:fs";
import { diskCall } from "./disk.ts";

/** Opens a file, and returns its bytes. Throws DiskError at once if it cannot be opened. */
export function fileChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = diskCall("open", path, () => fs.openSync(path, "r"));
  return chunksOf(path, fs.createReadStream(path, { fd: file }));
}

/** Returns the bytes of a stream that reads `path`, which only its errors say. */
export async function* chunksOf(path: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (cause) {
    diskCall("read", path, () => {
      throw cause;
    });
  }
}
