/**
 * Reads a ZIP by the list at its end (APPNOTE 6.3.10, without encryption, several disks and ZIP64): stored and deflated
 * files, of which each is unpacked as it is read.
 */
import { closeSync, existsSync, fstatSync, statSync, openSync, readSync } from "node:fs";
import { Refusal, shown } from "../../../core/refusal.ts";
import { diskCall } from "../../../lib/disk/disk.ts";

/** Bytes that are read here and there. */
export interface StoredBytes {
  readonly size: number;
  /** Returns as many of them as there are. */
  read(from: number, length: number): Uint8Array;
}

export interface ZipEntry {
  readonly name: string;
  /** The bytes of the file unpacked, as the ZIP says. */
  readonly size: number;
  /** Yields the file. Throws Refusal for one that is damaged. */
  chunks(): AsyncGenerator<Uint8Array>;
}

const chunkBytes = 64 * 1024;
/** The end of the list: its own 22 bytes and a comment. */
const endBytes = 22;
const commentBytesMax = 65_535;
/** An export has one for each table and some years. */
const entriesMax = 1_000;
const headBytes = 30;
const entryBytes = 46;
const signatures = { end: 0x06054b50, entry: 0x02014b50, head: 0x04034b50 } as const;
const methods = { stored: 0, deflated: 8 } as const;
/** The bit of the general purpose flags that says that a file is encrypted. */
const lockedFlag = 1;
/** The value that stands in place of a number that only ZIP64 can hold. */
const tooLarge = 0xffff_ffff;

/** Whether bytes begin as a ZIP with a file in it does. */
export function isZip(first: Uint8Array): boolean {
  return first.length >= 4 && viewOf(first).getUint32(0, true) === signatures.head;
}

/** Whether a path is that of a ZIP; false for standard input, and for what cannot be read. */
export function isZipFile(path: string): boolean {
  if (path === "-" || !existsSync(path) || !statSync(path).isFile()) return false;
  const first = new Uint8Array(4);
  const file = diskCall("open", path, () => openSync(path, "r"));
  try {
    return isZip(first.subarray(0, readSync(file, first, 0, first.length, 0)));
  } finally {
    closeSync(file);
  }
}

export function bytesInMemory(bytes: Uint8Array): StoredBytes {
  return { size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) };
}

/** Calls `act` with the bytes of a file, which is open until then. Throws DiskError, and what `act` throws. */
export async function withFile<T>(path: string, act: (bytes: StoredBytes) => Promise<T>): Promise<T> {
  const file = diskCall("open", path, () => openSync(path, "r"));
  try {
    const read = (from: number, length: number) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(
        0,
        diskCall("read", path, () => readSync(file, bytes, 0, length, from)),
      );
    };
    return await act({ size: fstatSync(file).size, read });
  } finally {
    closeSync(file);
  }
}

/** Returns the files of a ZIP. `shownPath` names it in messages. Throws Refusal 400. */
export function zipEntries(bytes: StoredBytes, shownPath: string): readonly ZipEntry[] {
  const damaged = () => new Refusal(400, `${shownPath}: the ZIP is cut off or damaged`);
  const tail = bytes.read(Math.max(0, bytes.size - endBytes - commentBytesMax), endBytes + commentBytesMax);
  const end = endOf(tail);
  if (end === undefined) throw damaged();
  const [count, size, at] = [end.getUint16(10, true), end.getUint32(12, true), end.getUint32(16, true)];
  if (at === tooLarge || size === tooLarge)
    throw new Refusal(400, `${shownPath} is a ZIP64, which is not read: pack its files again without it`);
  if (count > entriesMax)
    throw new Refusal(400, `${shownPath} has ${count} files: expected at most ${entriesMax}`);
  const list = viewOf(bytes.read(at, size));
  const entries: ZipEntry[] = [];
  for (let from = 0; entries.length < count;) {
    if (from + entryBytes > list.byteLength || list.getUint32(from, true) !== signatures.entry)
      throw damaged();
    const nameBytes = list.getUint16(from + 28, true);
    const next =
      from + entryBytes + nameBytes + list.getUint16(from + 30, true) + list.getUint16(from + 32, true);
    const name = new TextDecoder().decode(
      new Uint8Array(
        list.buffer,
        list.byteOffset + from + entryBytes,
        Math.min(nameBytes, list.byteLength - from - entryBytes),
      ),
    );
    const place = {
      isLocked: (list.getUint16(from + 8, true) & lockedFlag) !== 0,
      method: list.getUint16(from + 10, true),
      packed: list.getUint32(from + 20, true),
      size: list.getUint32(from + 24, true),
      at: list.getUint32(from + 42, true),
    };
    entries.push({
      name,
      size: place.size,
      chunks: () => entryChunks(bytes, place, `${shownPath}, ${shown(name)}`),
    });
    from = next;
  }
  return entries;
}

interface EntryPlace {
  /** Whether it needs a password. */
  readonly isLocked: boolean;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

async function* entryChunks(
  bytes: StoredBytes,
  { isLocked, method, packed, size, at }: EntryPlace,
  shownName: string,
): AsyncGenerator<Uint8Array> {
  if (isLocked || (method !== methods.stored && method !== methods.deflated))
    throw new Refusal(
      400,
      `${shownName} is packed in a way that is not read: expected a plain ZIP without a password`,
    );
  const head = viewOf(bytes.read(at, headBytes));
  if (head.byteLength < headBytes || head.getUint32(0, true) !== signatures.head)
    throw new Refusal(400, `${shownName}: the ZIP is cut off or damaged`);
  const from = at + headBytes + head.getUint16(26, true) + head.getUint16(28, true);
  if (from + packed > bytes.size) throw new Refusal(400, `${shownName}: the ZIP is cut off or damaged`);
  const stored = pieces(bytes, from, packed);
  let length = 0;
  try {
    for await (const chunk of method === methods.stored ? stored : await inflated(stored)) {
      length += chunk.length;
      // A file that is longer than the list says may never end.
      if (length > size) break;
      yield chunk;
    }
  } catch (error) {
    if (typeof (error as { code?: unknown }).code !== "string") throw error;
    throw new Refusal(400, `${shownName}: the ZIP is cut off or damaged`);
  }
  if (length !== size) throw new Refusal(400, `${shownName} has other bytes than the ZIP says`);
}

function* pieces(bytes: StoredBytes, from: number, length: number): Generator<Uint8Array> {
  for (let at = 0; at < length; at += chunkBytes)
    yield bytes.read(from + at, Math.min(chunkBytes, length - at));
}

async function inflated(stored: Iterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const { pipeline, Readable } = await import("node:stream");
  const { createInflateRaw } = await import("node:zlib");
  const unpacker = createInflateRaw({ chunkSize: chunkBytes });
  // An error of either end destroys the other, and is thrown to the reader.
  pipeline(Readable.from(stored), unpacker, () => {});
  return unpacker;
}

/** Returns what ends the list of files, as far back as its comment may be long. */
function endOf(tail: Uint8Array): DataView | undefined {
  const view = viewOf(tail);
  for (let at = tail.length - endBytes; at >= 0; at--)
    if (view.getUint32(at, true) === signatures.end) return viewOf(tail.subarray(at));
  return undefined;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
