/**
 * The bytes of one commit batch: msgpack of [strings that this batch uses first, record, record, …], where each record
 * is a positional array [kind number, field, …]. Only this file uses msgpackr. It avoids its main entry, which would
 * also load a native addon: in the executable, from the path that the addon had on the machine of the build.
 */
import { Packr } from "msgpackr/pack";
import { expectContent, NewerFormat, WrongContent } from "../lib/decoding.ts";
import {
  integer,
  readFields,
  SegmentStrings,
  texts,
  writeFields,
  type Fields,
  type ValuesOf,
} from "./field.ts";
import { recordKinds, type LogRecord, type RecordKind } from "./record.ts";

export { SegmentStrings } from "./field.ts";

const packr = new Packr({ useRecords: false, variableMapSize: true });
const kindByNumber = new Map(
  (Object.keys(recordKinds) as RecordKind[]).map((kind) => [recordKinds[kind].number as number, kind]),
);

/** Encodes records, and adds the new strings to `strings`. Returns a buffer of its own. */
export function encodeBatch(records: readonly LogRecord[], strings: SegmentStrings): Uint8Array {
  const known = strings.size;
  const tuples: unknown[] = [null];
  for (const record of records) tuples.push(encodeRecord(record, strings));
  tuples[0] = strings.since(known);
  return packr.pack(hasMark(tuples) ? withMarks(tuples) : tuples);
}

/**
 * msgpackr reads a string of so many bytes of UTF-8 or more with a decoder that takes away one mark at its beginning. There it is
 * written twice, which earlier versions read as it was, too.
 */
const longBytes = 65;
const mark = "\ufeff";

/** Whether a string in here begins with the mark. */
function hasMark(value: unknown): boolean {
  if (typeof value === "string") return value.startsWith(mark);
  return Array.isArray(value) && value.some(hasMark);
}

function withMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMarks);
  const isLong = typeof value === "string" && value.startsWith(mark) && Buffer.byteLength(value) >= longBytes;
  return isLong ? mark + value : value;
}

/**
 * Decodes records, and adds the batch's strings to `strings`. The bytes must have passed their checksum. Throws
 * NewerFormat and WrongContent.
 */
export function decodeBatch(bytes: Uint8Array, strings: SegmentStrings): LogRecord[] {
  const [defined, ...tuples] = unpack(bytes);
  for (const value of texts.read(defined, strings)) strings.add(value);
  return tuples.map((tuple) => decodeRecord(tuple, strings));
}

/** The records that `asLogged` returned. */
const logged = new WeakSet<LogRecord>();

/**
 * Returns a record as it is read from the log: with all fields, each object's in the order of the table. What the state
 * keeps of it is so the same where it is made and where it is read. A record that this returned before stays the same
 * object, so that what was prepared for it is found.
 */
export function asLogged<R extends LogRecord>(record: R): R {
  if (logged.has(record)) return record;
  const bytes = encodeBatch([record], new SegmentStrings());
  const read = decodeBatch(bytes, new SegmentStrings())[0] as R;
  logged.add(read);
  return read;
}

function unpack(bytes: Uint8Array): unknown[] {
  let batch: unknown;
  try {
    batch = packr.unpack(bytes);
  } catch (error) {
    throw new WrongContent(`a batch is no msgpack: ${String(error)}`, { cause: error });
  }
  expectContent(Array.isArray(batch), "a batch is no list");
  return batch;
}

/** Returns the positional array of a record, and adds its new strings to `strings`. */
export function encodeRecord(record: LogRecord, strings: SegmentStrings): unknown[] {
  const { number, fields } = recordKinds[record.kind];
  return writeFields(fields as Fields, record as unknown as ValuesOf<Fields>, strings, [number]);
}

function decodeRecord(tuple: unknown, strings: SegmentStrings): LogRecord {
  expectContent(Array.isArray(tuple), "a record is no list");
  const number = integer.read(tuple[0], strings);
  const kind = kindByNumber.get(number);
  if (kind === undefined)
    throw new NewerFormat(
      `a record of kind ${number}, where this one knows 1 to ${Math.max(...kindByNumber.keys())}`,
    );
  const values = readFields(recordKinds[kind].fields as Fields, tuple, 1, strings);
  return { kind, ...values } as unknown as LogRecord;
}
