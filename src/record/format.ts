/**
 * The format of records as programs of several versions tell it to each other: the fields of each kind, and the values that
 * each field takes. It is made of the table of records, so nothing that is appended there can be forgotten here.
 */
import { encodeRecord, SegmentStrings } from "./codec.ts";
import { knownOf, type Known } from "./field.ts";
import { recordKinds, type LogRecord } from "./record.ts";

/** The fields of each kind, by its number. */
export type RecordFormat = Readonly<Record<string, readonly Known[]>>;

/** The format of this program. */
export const recordFormat: RecordFormat = Object.fromEntries(
  Object.values(recordKinds).map(({ number, fields }) => [number, knownOf(fields)]),
);

/** Returns whether a program with this format can read a record as this one writes it. */
export function canRead(format: RecordFormat, record: LogRecord): boolean {
  const strings = new SegmentStrings();
  const [number, ...values] = encodeRecord(record, strings);
  const fields = format[String(number)];
  return fields !== undefined && areKnown(values, fields, strings);
}

function areKnown(values: readonly unknown[], fields: readonly Known[], strings: SegmentStrings): boolean {
  return values.length <= fields.length && values.every((raw, at) => isKnown(raw, fields[at]!, strings));
}

function isKnown(raw: unknown, known: Known, strings: SegmentStrings): boolean {
  if (known === 0 || raw === null) return true;
  if (typeof known === "string") return known.split(" ").includes(strings.valueOf(raw));
  if (!Array.isArray(raw)) return false;
  if (typeof known === "number") return raw.length <= known;
  return raw.every((tuple: readonly unknown[]) => areKnown(tuple, known, strings));
}

export function isFormat(value: unknown): value is RecordFormat {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((fields) => Array.isArray(fields) && fields.every(isKnownForm))
  );
}

function isKnownForm(known: unknown): known is Known {
  return Array.isArray(known) ? known.every(isKnownForm) : ["number", "string"].includes(typeof known);
}
