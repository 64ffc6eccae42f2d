/**
 * The bytes of one commit batch: msgpack of [strings that this batch uses first, record, record, …], each
 * record a positional array [kind number, field, …]. The only user of msgpackr, whose main entry would also load a
 * native addon: in the executable by the path that it had on the machine of the build.
 */
import { Packr } from "msgpackr/pack";
import { readFields, SegmentStrings, writeFields, type Fields, type ValuesOf } from "./field.ts";
import { recordKinds, type LogRecord, type RecordKind } from "./record.ts";

export { SegmentStrings } from "./field.ts";

const packr = new Packr({ useRecords: false, variableMapSize: true });
const kindByNumber = new Map(
  (Object.keys(recordKinds) as RecordKind[]).map((kind) => [recordKinds[kind].number as number, kind]),
);

/** Adds the strings that are new to `strings`; returns a buffer of its own. */
export function encodeBatch(records: readonly LogRecord[], strings: SegmentStrings): Uint8Array {
  const known = strings.size;
  const tuples: unknown[] = [null];
  for (const record of records) tuples.push(encodeRecord(record, strings));
  tuples[0] = strings.since(known);
  return packr.pack(tuples);
}

/** Adds the batch's strings to `strings`. Throws UnknownRecordKind. The bytes were verified by their checksum. */
export function decodeBatch(bytes: Uint8Array, strings: SegmentStrings): LogRecord[] {
  const [defined, ...tuples] = packr.unpack(bytes) as [string[], ...unknown[][]];
  for (const value of defined) strings.add(value);
  return tuples.map((tuple) => decodeRecord(tuple, strings));
}

/** The log was written by a newer version. */
export class UnknownRecordKind extends Error {
  override name = "UnknownRecordKind";
  constructor(readonly number: unknown) {
    super(`record kind ${String(number)} is unknown to this version`);
  }
}

function encodeRecord(record: LogRecord, strings: SegmentStrings): unknown[] {
  const { number, fields } = recordKinds[record.kind];
  const tuple = writeFields(fields as Fields, record as unknown as ValuesOf<Fields>, strings);
  tuple.unshift(number);
  return tuple;
}

function decodeRecord(tuple: readonly unknown[], strings: SegmentStrings): LogRecord {
  const kind = kindByNumber.get(tuple[0] as number);
  if (kind === undefined) throw new UnknownRecordKind(tuple[0]);
  const values = readFields(recordKinds[kind].fields as Fields, tuple, 1, strings);
  return { kind, ...values } as unknown as LogRecord;
}
