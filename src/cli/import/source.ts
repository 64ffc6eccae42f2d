/**
 * Reads a file of an import, or standard input, plain or packed as its first bytes show, of any size, as chunks of text
 * bytes. Its first lines can be looked at before.
 */
import { createReadStream, openSync, statSync } from "node:fs";
import { Refusal, shown } from "../../core/refusal.ts";
import { diskCall, DiskError } from "../../lib/disk/disk.ts";
import { shellWord } from "../callable.ts";

/** The name of an upload in messages. */
export const uploadName = "the file";
const unpackFirst = "the file is packed in a way that is not read here: unpack it first";

const chunkBytes = 256 * 1024;
/** The most that zstd keeps of an upload, as a power of two: 8 MiB are the most of levels up to 19; --long has 128. */
const uploadWindowLogMax = 23;
/** The most bytes of text in which the first lines are looked for. */
const headBytes = 64 * 1024;
/** The most lines that the format is told by: a log may begin with lines that no format reads. */
const firstLinesMax = 50;

/** Text that no file ends with. */
const endMark = Buffer.from("\0the end of what was packed\0");

interface Packing {
  readonly name: string;
  /** The first bytes of a file. */
  readonly magic: readonly number[];
  /** The command that unpacks to standard output; undefined for what is unpacked here, null for what is read as a file only. */
  readonly command?: string | null;
}

const packings: readonly Packing[] = [
  { name: "gzip", magic: [0x1f, 0x8b] },
  { name: "zstd", magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "bzip2", magic: [0x42, 0x5a, 0x68], command: "bzip2 -dc" },
  { name: "xz", magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], command: "xz -dc" },
  { name: "lz4", magic: [0x04, 0x22, 0x4d, 0x18], command: "lz4 -dc" },
  { name: "ZIP", magic: [0x50, 0x4b, 0x03, 0x04], command: null },
  { name: "7-Zip", magic: [0x37, 0x7a, 0xbc, 0xaf], command: "7z e -so" },
];
const magicBytesMax = Math.max(...packings.map(({ magic }) => magic.length));

/** An archive of files, whose first block says so at this place (POSIX pax, "ustar Interchange Format"; GNU's begins alike). */
const tar = { name: "tar", command: "tar -xOf" } as const;
const tarMagic = Buffer.from("ustar");
const tarMagicAt = 257;

/** The first bytes of text in UTF-16, as `>` of Windows PowerShell 5 writes it; nothing else begins like that. */
const wideMarks: readonly Uint8Array[] = [Uint8Array.of(0xff, 0xfe), Uint8Array.of(0xfe, 0xff)];

export class LogSource {
  /** Its name in messages. */
  readonly shownPath: string;
  /** The size of the file as stored, for the progress; undefined if it is not known. */
  readonly bytesTotal: number | undefined;
  bytesRead = 0;
  /** The name of its packing, once it has been read from; undefined if it is plain. */
  packing: string | undefined;
  private readonly stored: AsyncIterable<Uint8Array>;
  private readonly text = this.unpacked();
  /** The chunks that were read for the first lines. */
  private readonly head: Uint8Array[] = [];

  /** `path` "-" is standard input. Throws DiskError, and Refusal 400 for a pipe: opened again, it goes on where it was left. */
  constructor(
    readonly path: string,
    standardInput: AsyncIterable<Uint8Array>,
    /** The command that imports standard input into the website; null for a file that came by the dashboard, whose users have no command line. */
    private readonly importLine: string | null = "footfall import HOST -",
  ) {
    this.shownPath = importLine === null ? uploadName : path === "-" ? "standard input" : shown(path);
    if (path === "-") {
      this.stored = standardInput;
      return;
    }
    // A pipe would be waited for until somebody writes to it.
    const status = diskCall("open", path, () => statSync(path));
    if (!status.isFile() && !status.isDirectory())
      throw new Refusal(
        400,
        `${this.shownPath} is no file, and can be read only once; pipe what is in it: … | ${this.importLine}`,
      );
    this.bytesTotal = status.isFile() ? status.size : undefined;
    const file = diskCall("open", path, () => openSync(path, "r"));
    this.stored = createReadStream(path, { fd: file, highWaterMark: chunkBytes });
  }

  /** Returns the first complete lines, also the last one of a file that ends with them; no byte order mark. Throws as `chunks` does. */
  async firstLines(): Promise<readonly string[]> {
    let bytes = 0;
    let lines: string[] = [];
    while (bytes < headBytes) {
      const { value, done } = await this.text.next();
      if (!done) this.head.push(value);
      const complete = new TextDecoder().decode(Buffer.concat(this.head)).split(/\r?\n/);
      // A line that is longer than what is looked at is of no format; its beginning is for the message.
      const isLast = complete.at(-1) !== "" && (done || complete.length === 1);
      lines = isLast ? complete : complete.slice(0, -1);
      if (done || lines.length > firstLinesMax) break;
      bytes += value.length;
    }
    return lines.slice(0, firstLinesMax);
  }

  /** Yields the text, unpacked. Throws DiskError, or Refusal for damaged or unknown packings. It can be read once. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    yield* this.head;
    yield* this.text;
  }

  /** Closes a file of which only the first lines were wanted. */
  async close(): Promise<void> {
    await this.text.return(undefined);
  }

  private async *unpacked(): AsyncGenerator<Uint8Array> {
    try {
      const stored = this.counted();
      const head = await headOf(stored);
      const packing = packings.find(({ magic }) => magic.every((byte, at) => head[at] === byte));
      if (packing?.command !== undefined) throw this.unknownPacking(packing);
      this.packing = packing?.name;
      const all = joined(head, stored);
      const text = (packing === undefined ? all : await this.unpackedBy(packing, all))[
        Symbol.asyncIterator
      ]();
      const tarMagicEnd = tarMagicAt + tarMagic.length;
      const first = await headOf(text, tarMagicEnd);
      if (tarMagic.equals(first.subarray(tarMagicAt, tarMagicEnd))) throw this.unknownPacking(tar);
      if (wideMarks.some((mark) => mark.every((byte, at) => first[at] === byte)))
        throw new Refusal(400, `${this.shownPath} is UTF-16: save it as UTF-8`);
      yield* joined(first, { [Symbol.asyncIterator]: () => text });
    } catch (error) {
      throw this.explained(error);
    }
  }

  private unknownPacking({ name, command }: Pick<Packing, "name" | "command">): Refusal {
    if (this.importLine === null) return new Refusal(400, unpackFirst);
    if (command === null)
      return new Refusal(
        400,
        `${this.shownPath} is a ${name}, which is read from a file only: name it in place of -, or choose it on the set-up page of the website`,
      );
    const path = this.path === "-" ? "FILE" : shellWord(this.path);
    return new Refusal(
      400,
      `${this.shownPath} is packed with ${name}; pipe it: ${command} ${path} | ${this.importLine}`,
    );
  }

  private async unpackedBy(
    { name }: Packing,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<AsyncIterable<Uint8Array>> {
    // Loading them takes some milliseconds, which a start of the server can do without.
    const { pipeline, Readable } = await import("node:stream");
    const { constants, createGunzip, createZstdDecompress } = await import("node:zlib");
    const params = this.importLine === null ? { [constants.ZSTD_d_windowLogMax]: uploadWindowLogMax } : {};
    const isZstd = name === "zstd";
    const unpacker = isZstd ? createZstdDecompress({ params }) : createGunzip({ chunkSize: chunkBytes });
    const stored = isZstd ? followed(chunks, Bun.zstdCompressSync(endMark)) : chunks;
    // An error of either end destroys the other, and is thrown to the reader.
    pipeline(Readable.from(stored), unpacker, () => {});
    return isZstd ? upToMark(unpacker) : unpacker;
  }

  private async *counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.stored) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }

  private explained(error: unknown): unknown {
    const code = (error as { code?: unknown }).code;
    if (typeof code !== "string" || error instanceof DiskError) return error;
    if (!/^Z(?:_|STD)/.test(code)) return new DiskError("read", this.path, code, error);
    if (this.importLine === null)
      return new Refusal(400, /windowTooLarge/.test(code) ? unpackFirst : "the file is cut off or damaged");
    return new Refusal(400, `${this.shownPath}: the ${this.packing} data is cut off or damaged (${code})`);
  }
}

/**
 * Yields the text before `endMark`, which was packed behind all of it: the runtime takes zstd that is cut off for whole, and
 * only then the mark does not come out.
 */
async function* upToMark(text: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let kept = Buffer.alloc(0);
  for await (const chunk of text) {
    const all = Buffer.concat([kept, chunk]);
    kept = all.subarray(-endMark.length);
    if (all.length > kept.length) yield all.subarray(0, -kept.length);
  }
  // As gzip that is cut off.
  if (!kept.equals(endMark)) throw Object.assign(new Error("zstd that is cut off"), { code: "Z_BUF_ERROR" });
}

async function* followed(chunks: AsyncIterable<Uint8Array>, last: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* chunks;
  yield last;
}

/** Reads the first bytes, as many as tell a packing or more; a pipe may deliver them one by one. */
export async function headOf(chunks: AsyncIterator<Uint8Array>, bytes = magicBytesMax): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < bytes) {
    const { value, done } = await chunks.next();
    if (done) return head;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  return head;
}

export async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}
