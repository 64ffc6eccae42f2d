/**
 * Archives of plain files as tar (POSIX ustar), which every system can unpack. They are written and read as a stream, a
 * file at a time. Every header has a checksum; what the files contain is for others to compare.
 */
import { assert } from "../assert.ts";

/** Headers, and files with their padding, have a multiple of so many bytes. */
export const tarBlockBytes = 512;
const nameBytesMax = 100;
const fileBytesMax = 8 ** 11 - 1;
const checksumAt = 148;
const checksumEnd = 156;
const regularFile = "0";

/** The archive differs from what was written, or ends too early. */
export class TarDamage extends Error {
  override name = "TarDamage";

  constructor(
    /** The offset in the archive, in bytes. */
    readonly offset: number,
    what: string,
    /** Whether the archive ends there. */
    readonly isEnd = false,
  ) {
    super(`${what} at byte ${offset}`);
  }
}

/** Returns the header of a file, which its bytes and then `tarPadding` follow. */
export function tarHeader(name: string, bytes: number, timeMs: number): Uint8Array {
  assert(Buffer.byteLength(name) <= nameBytesMax && bytes <= fileBytesMax, `${name} fits into an archive`);
  const header = Buffer.alloc(tarBlockBytes);
  header.write(name, 0);
  header.write(octal(0o600, 7) + octal(0, 7) + octal(0, 7), 100);
  header.write(octal(bytes, 11) + octal(Math.floor(timeMs / 1_000), 11), 124);
  header.write(regularFile, 156);
  header.write("ustar\x0000", 257);
  header.write(checksumField(header), checksumAt);
  return header;
}

/** Returns the zeros that follow so many bytes of a file. */
export function tarPadding(bytes: number): Uint8Array {
  return new Uint8Array(-bytes & (tarBlockBytes - 1));
}

/** The end of an archive. */
export const tarEnd: Uint8Array = new Uint8Array(2 * tarBlockBytes);

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0") + "\0";
}

/** Returns the field as every program writes it. */
function checksumField(header: Uint8Array): string {
  return `${octal(headerSum(header), 6)} `;
}

/** Adds up a header's bytes, with spaces in place of the sum itself. */
function headerSum(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= checksumAt && at < checksumEnd ? 0x20 : byte), 0);
}

export interface TarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Yields the files of an archive. Throws TarDamage, and what `chunks` throws. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const source = new ByteSource(chunks);
  for (;;) {
    const at = source.offset;
    const header = await source.take(tarBlockBytes);
    if (header.every((byte) => byte === 0)) break;
    const { name, length } = parsedHeader(header, at);
    const bytes = await source.take(length);
    await expectZeros(source, -length & (tarBlockBytes - 1));
    yield { name, bytes };
  }
  await expectZeros(source, tarBlockBytes);
}

/** Returns the name of the first file of an archive that begins with these bytes; undefined if they begin none. */
export function firstName(bytes: Uint8Array): string | undefined {
  if (bytes.length < tarBlockBytes) return undefined;
  try {
    return parsedHeader(bytes.subarray(0, tarBlockBytes), 0).name;
  } catch (error) {
    if (error instanceof TarDamage) return undefined;
    throw error;
  }
}

function parsedHeader(bytes: Uint8Array, at: number): { name: string; length: number } {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = (start: number, end: number) => header.toString("utf8", start, end).split("\0")[0]!;
  const isRight = header.toString("latin1", checksumAt, checksumEnd) === checksumField(header);
  const length = Number.parseInt(text(124, 136), 8);
  if (!isRight || !Number.isSafeInteger(length) || length < 0)
    throw new TarDamage(at, "the header of a file is damaged");
  if (header.toString("latin1", 156, 157) !== regularFile)
    throw new TarDamage(at, "something that is no plain file");
  return { name: text(0, nameBytesMax), length };
}

async function expectZeros(source: ByteSource, count: number): Promise<void> {
  const at = source.offset;
  if ((await source.take(count)).some((byte) => byte !== 0))
    throw new TarDamage(at, "something between files that does not belong there");
}

/** The bytes of a stream in pieces of any length. */
class ByteSource {
  offset = 0;
  private rest: Uint8Array = new Uint8Array();
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** Throws TarDamage if the stream has fewer bytes. */
  async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.rest.length === 0) {
        const { done, value } = await this.chunks.next();
        if (done === true)
          throw new TarDamage(this.offset + length - missing, "the archive is incomplete: it ends", true);
        this.rest = value;
      }
      const piece = this.rest.subarray(0, missing);
      pieces.push(piece);
      missing -= piece.length;
      this.rest = this.rest.subarray(piece.length);
    }
    this.offset += length;
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }
}
