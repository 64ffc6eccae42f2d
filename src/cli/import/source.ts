/**
 * Reads an access log from a file or standard input, plain or gzip as its first bytes show, of any size, as chunks of
 * text bytes.
 */
import { createReadStream, fstatSync, openSync } from "node:fs";
import { Refusal, shown } from "../../core/refusal.ts";
import { diskCall, DiskError } from "../../lib/disk.ts";

const chunkBytes = 256 * 1024;
const gzipMagic = [0x1f, 0x8b];

export class LogSource {
  /** The size of the file as stored, for the progress; undefined if it is not known. */
  readonly bytesTotal: number | undefined;
  bytesRead = 0;
  private readonly stored: AsyncIterable<Uint8Array>;

  /** `path` "-" is standard input. Throws DiskError. */
  constructor(
    readonly path: string,
    standardInput: AsyncIterable<Uint8Array>,
  ) {
    if (path === "-") {
      this.stored = standardInput;
      return;
    }
    const file = diskCall("open", path, () => openSync(path, "r"));
    const status = fstatSync(file);
    this.bytesTotal = status.isFile() ? status.size : undefined;
    this.stored = createReadStream(path, { fd: file, highWaterMark: chunkBytes });
  }

  /** Yields the text, unpacked. Throws DiskError, or Refusal for damaged gzip data. It can be read once. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      const stored = this.counted();
      const { head, ended } = await headOf(stored);
      const packed = gzipMagic.every((byte, at) => head[at] === byte);
      const all = ended ? [head] : joined(head, stored);
      yield* packed ? await unpacked(all) : all;
    } catch (error) {
      throw this.explained(error);
    }
  }

  private async *counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.stored) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }

  private explained(error: unknown): unknown {
    const code = (error as { code?: unknown }).code;
    if (typeof code !== "string") return error;
    if (!code.startsWith("Z_")) return new DiskError("read", this.path, code, error);
    return new Refusal(400, `${shown(this.path)}: the gzip data is cut off or damaged (${code})`);
  }
}

/** Reads the first bytes; a pipe may deliver them one by one. */
async function headOf(chunks: AsyncGenerator<Uint8Array>): Promise<{ head: Uint8Array; ended: boolean }> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < gzipMagic.length) {
    const { value, done } = await chunks.next();
    if (done) return { head, ended: true };
    head = Buffer.concat([head, value]);
  }
  return { head, ended: false };
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

async function unpacked(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  // Loading them takes some milliseconds, which a start of the server can do without.
  const { pipeline, Readable } = await import("node:stream");
  const { createGunzip } = await import("node:zlib");
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  // An error of either end destroys the other, and is thrown to the reader.
  pipeline(Readable.from(chunks), gunzip, () => {});
  return gunzip;
}
