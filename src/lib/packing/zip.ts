/**
 * Writes ZIP archives as PKWARE's APPNOTE 6.3.10 defines them, of files that come one after the other: only the one that is
 * being written is in memory. It is compressed piece by piece on another thread: a long one must not hold up what else
 * this thread does. Archives and files are smaller than 4 GiB, so there is no ZIP64.
 */
import { nextTurn } from "../threads/turn.ts";

export interface ZipFile {
  /** ASCII, without slashes. */
  readonly name: string;
  readonly text: string;
}

/** The version of the format that knows deflate, and the number of this method. */
const versionNeeded = 20;
const deflated = 8;
const localHeaderBytes = 30;
const centralHeaderBytes = 46;
const endBytes = 22;
/** The text of one turn: making bytes of it takes some ten microseconds. */
const pieceCharacters = 64 * 1024;

interface Entry {
  readonly name: Uint8Array;
  readonly crc32: number;
  readonly deflatedBytes: number;
  readonly plainBytes: number;
  /** The position of the file's header in the archive. */
  readonly at: number;
}

/** Yields the parts of an archive. `timeMs`: when the files were made, milliseconds since 1970. */
export async function* zipped(files: AsyncIterable<ZipFile>, timeMs: number): AsyncGenerator<Uint8Array> {
  const entries: Entry[] = [];
  let at = 0;
  for await (const { name, text } of files) {
    const { body, ...sums } = await deflatedText(text);
    const entry = { name: new TextEncoder().encode(name), ...sums, at };
    entries.push(entry);
    at += localHeaderBytes + entry.name.length + entry.deflatedBytes;
    yield localHeader(entry, timeMs);
    yield* body;
  }
  const central = entries.map((entry) => centralHeader(entry, timeMs));
  yield* central;
  yield end(
    entries.length,
    at,
    central.reduce((sum, { length }) => sum + length, 0),
  );
}

/** Returns the compressed pieces of a text, and what its headers say of it. */
async function deflatedText(text: string) {
  const { crc32, createDeflateRaw } = await import("node:zlib");
  const deflate = createDeflateRaw();
  const body: Uint8Array[] = [];
  let [sum, plainBytes] = [0, 0];
  deflate.on("data", (piece: Uint8Array) => body.push(piece));
  const ended = new Promise((resolve, reject) => deflate.once("end", resolve).once("error", reject));
  for (const piece of piecesOf(text)) {
    const bytes = new TextEncoder().encode(piece);
    sum = crc32(bytes, sum);
    plainBytes += bytes.length;
    if (!deflate.write(bytes))
      await Promise.race([new Promise((resolve) => deflate.once("drain", resolve)), ended]);
    // This thread does what else there is.
    await nextTurn();
  }
  deflate.end();
  await ended;
  return { body, crc32: sum, plainBytes, deflatedBytes: body.reduce((all, { length }) => all + length, 0) };
}

/** Cuts between characters, so that a piece never ends within a surrogate pair. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = at + pieceCharacters;
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield text.slice(at, end);
    at = end;
  }
}

/** Returns a header with its name, and a function that writes the next number of 2 or 4 bytes into it. */
function header(bytes: number, name: Uint8Array = new Uint8Array(0)) {
  const all = new Uint8Array(bytes + name.length);
  all.set(name, bytes);
  const view = new DataView(all.buffer);
  let at = 0;
  const two = (...values: readonly number[]) => {
    for (const value of values) view.setUint16((at += 2) - 2, value, true);
  };
  const four = (...values: readonly number[]) => {
    for (const value of values) view.setUint32((at += 4) - 4, value, true);
  };
  return { all, two, four };
}

function localHeader(entry: Entry, timeMs: number): Uint8Array {
  const { all, two, four } = header(localHeaderBytes, entry.name);
  four(0x04034b50);
  two(versionNeeded, 0, deflated, ...dosTime(timeMs));
  four(entry.crc32, entry.deflatedBytes, entry.plainBytes);
  two(entry.name.length, 0);
  return all;
}

function centralHeader(entry: Entry, timeMs: number): Uint8Array {
  const { all, two, four } = header(centralHeaderBytes, entry.name);
  four(0x02014b50);
  two(versionNeeded, versionNeeded, 0, deflated, ...dosTime(timeMs));
  four(entry.crc32, entry.deflatedBytes, entry.plainBytes);
  two(entry.name.length, 0, 0, 0, 0);
  four(0, entry.at);
  return all;
}

/** `at` and `bytes`: the place of the central headers. */
function end(count: number, at: number, bytes: number): Uint8Array {
  const { all, two, four } = header(endBytes);
  four(0x06054b50);
  two(0, 0, count, count);
  four(bytes, at);
  return all;
}

/** Returns time and date as MS-DOS has them: in UTC, from 1980 on, in steps of two seconds. */
function dosTime(timeMs: number): [time: number, date: number] {
  const date = new Date(timeMs);
  const years = Math.max(0, date.getUTCFullYear() - 1980);
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    (years << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  ];
}
