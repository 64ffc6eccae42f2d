/**
 * The container of every checkpoint file: named sections of bytes, each aligned to eight bytes and with its own
 * checksum, and a footer over all of it. A file is read whole or refused; nothing in a damaged one is used.
 *
 *   file    := header section* footer
 *   header  := magic u32, format u32, sections u32, checksum of these u32
 *   section := name length u32, data length u32, checksum of name and data u32, 0 u32, name, padding, data, padding
 *   footer  := magic u32, checksum of all before it u32
 */
import { assert } from "../lib/assert.ts";
import { checksum } from "../lib/hashes/checksum.ts";
import { NewerFormat, WrongContent } from "../lib/decoding.ts";

export interface Section {
  readonly name: string;
  readonly data: Uint8Array;
}

const headMagic = 0x43464646; // "FFFC"
const footMagic = 0x45464646; // "FFFE"
/**
 * The format of new files. Sections are found by name, so the number rises only for changes that names do not show.
 * Exported for tests.
 */
export const snapshotFormat = 2;
export const headBytes = 16;
export const sectionBytes = 16;
const footBytes = 8;
const sectionBytesMax = 2 ** 32;
/** The footer up to its checksum. */
export const footHead: Uint8Array = new Uint8Array(Uint32Array.of(footMagic).buffer);

/** A file that a manifest names differs from what was written. */
export class SnapshotDamage extends Error {
  override name = "SnapshotDamage";
  constructor(
    readonly file: string,
    /** The offset in the file, in bytes; undefined if the file as a whole is wrong. */
    readonly offset: number | undefined,
    readonly what: string,
    cause?: unknown,
  ) {
    super(`${file}: ${what}${offset === undefined ? "" : ` at byte ${offset}`}`, { cause });
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the length in bytes of a file with these sections. */
export function encodedBytes(sections: readonly Section[]): number {
  const bytesOfSection = ({ name, data }: Section) =>
    sectionBytes + aligned(Buffer.byteLength(name)) + aligned(data.length);
  return sections.reduce((sum, section) => sum + bytesOfSection(section), headBytes + footBytes);
}

export function encodeSections(sections: readonly Section[]): Uint8Array {
  const bytes = new Uint8Array(Bun.concatArrayBuffers([...encodedPieces(sections)]));
  assert(bytes.length === encodedBytes(sections), "sections fill the file");
  return bytes;
}

/** Yields the file's bytes in pieces, for data that is too large to have in memory twice. */
export function* encodedPieces(sections: readonly Section[]): Generator<Uint8Array> {
  const head = Uint32Array.of(headMagic, snapshotFormat, sections.length, 0);
  head[3] = checksum(new Uint8Array(head.buffer, 0, 12));
  let whole = 0;
  const piece = (bytes: Uint8Array) => {
    whole = checksum(bytes, whole);
    return bytes;
  };
  yield piece(new Uint8Array(head.buffer));
  for (const { name: text, data } of sections) {
    assert(data.length < sectionBytesMax, "a section's length has 32 bits");
    const name = encoder.encode(text);
    const own = new Uint8Array(sectionBytes + aligned(name.length));
    new Uint32Array(own.buffer, 0, 3).set([name.length, data.length, checksum(data, checksum(name))]);
    own.set(name, sectionBytes);
    yield piece(own);
    yield piece(data);
    yield piece(new Uint8Array(aligned(data.length) - data.length));
  }
  const foot = Uint32Array.of(footMagic, 0);
  foot[1] = checksum(new Uint8Array(foot.buffer, 0, 4), whole);
  yield new Uint8Array(foot.buffer);
}

/**
 * Returns the sections as views into `bytes`, by name. Throws SnapshotDamage or NewerFormat with `file` in its message.
 */
export function decodeSections(bytes: Uint8Array, file: string): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytes.length;
  checkHeader(bytes, file);
  const sections = new Map<string, Uint8Array>();
  eachSection(bytes, (at, name, data) => {
    if (name === undefined || view.getUint32(at + 8, true) !== checksum(data, checksum(name)))
      throw new SnapshotDamage(file, at, "wrong section checksum");
    sections.set(decoder.decode(name), data);
  });
  if (view.getUint32(size - 4, true) !== fileChecksum(bytes))
    throw new SnapshotDamage(file, size - 4, "wrong checksum");
  return sections;
}

/** Checks the header of a whole file as `checkHead` does. Throws what that throws. */
export function checkHeader(bytes: Uint8Array, file: string): void {
  if (bytes.length < headBytes + footBytes) throw new SnapshotDamage(file, 0, "no checkpoint file");
  checkHead(bytes, file);
}

/**
 * Checks the header, which every format has, so that a newer format is told from damage. `bytes`: the first ones of a file.
 * Throws SnapshotDamage and NewerFormat.
 */
export function checkHead(bytes: Uint8Array, file: string): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < headBytes || view.getUint32(0, true) !== headMagic)
    throw new SnapshotDamage(file, 0, "no checkpoint file");
  if (view.getUint32(12, true) !== checksum(bytes.subarray(0, 12)))
    throw new SnapshotDamage(file, 12, "wrong header");
  const format = view.getUint32(4, true);
  if (format > snapshotFormat)
    throw new NewerFormat(`format ${format}, this one knows up to ${snapshotFormat}`, file);
  if (format < 1) throw new SnapshotDamage(file, 4, "no format");
}

/** Whether the first bytes of a file are a header of a format that this program knows. */
export function isHeadKnown(bytes: Uint8Array): boolean {
  try {
    checkHead(bytes, "");
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the checksum that tells a file from every other: CRC-32 of all but the last four bytes. Those are that
 * checksum themselves; over them too it would be the same for every file.
 */
export function fileChecksum(bytes: Uint8Array): number {
  return checksum(bytes.subarray(0, -4));
}

/** Does the same as `decodeSections`, for bytes that are known to be what was written. */
export function locateSections(bytes: Uint8Array): Map<string, Uint8Array> {
  const sections = new Map<string, Uint8Array>();
  eachSection(bytes, (_at, name, data) => sections.set(decoder.decode(name), data));
  return sections;
}

type Take = (at: number, name: Uint8Array | undefined, data: Uint8Array) => void;

/** Calls `take` with each section. One whose lengths exceed the file has no name, and is the last. */
function eachSection(bytes: Uint8Array, take: Take): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - footBytes;
  let at = headBytes;
  for (let count = view.getUint32(8, true); count > 0; count--) {
    const nameAt = at + sectionBytes;
    if (nameAt > end) return take(at, undefined, bytes.subarray(at, end));
    const nameLength = view.getUint32(at, true);
    const dataLength = view.getUint32(at + 4, true);
    const dataAt = nameAt + aligned(nameLength);
    const next = dataAt + aligned(dataLength);
    if (nameLength > end || dataLength > end || next > end)
      return take(at, undefined, bytes.subarray(at, end));
    const name = bytes.subarray(nameAt, nameAt + nameLength);
    take(at, name, bytes.subarray(dataAt, dataAt + dataLength));
    at = next;
  }
}

/** Returns the next multiple of eight. Operators on bits make signed numbers, so the length itself takes no part in them. */
export function aligned(length: number): number {
  return length + (-length & 7);
}

/** Returns a copy of the bytes of a typed array. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
}

/**
 * Returns the bytes of a typed array whose entries never change again. If threads can share its memory, the result is a
 * view, which costs nothing however large it is; else it is a copy.
 */
export function settledBytesOf(array: ArrayBufferView): Uint8Array {
  const { buffer, byteOffset, byteLength } = array;
  return buffer instanceof SharedArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : bytesOf(array);
}

export function jsonSection(name: string, value: unknown): Section {
  return { name, data: encoder.encode(JSON.stringify(value)) };
}

/** Parses the JSON in a section. Throws WrongContent. */
export function readJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data));
  } catch (error) {
    throw new WrongContent(`no JSON: ${String(error)}`, { cause: error });
  }
}

/**
 * Returns the result of `read` for a file whose bytes are known to be what was written. Any error of `read` becomes
 * SnapshotDamage: `read` is pure, so only the file's content can be the reason.
 */
export function readInFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof NewerFormat) throw error.in(file);
    if (error instanceof SnapshotDamage) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new SnapshotDamage(file, 0, `wrong content (${what})`, error);
  }
}
