/**
 * How one field of a record is written: a plain value that msgpack knows, strings that repeat as ids of
 * the segment's own dictionary. Reading checks types only: that the bytes are those that were written, the checksum of
 * the frame has shown. Fields are found by their place, so that they cost no names: they are appended, never moved, and
 * one that was appended says what it is in the records from before.
 */
import { expectContent, NewerFormat } from "../lib/decoding.ts";

/** The dictionary of one log segment: strings get ids in the order of their first use. */
export class SegmentStrings {
  private readonly ids = new Map<string, number>();
  private readonly values: string[] = [];

  idOf(value: string): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    this.add(value);
    return this.values.length - 1;
  }

  add(value: string): void {
    this.ids.set(value, this.values.length);
    this.values.push(value);
  }

  valueOf(id: number): string {
    const value = this.values[id];
    expectContent(value !== undefined, `segment string ${id} is used before it is defined`);
    return value;
  }

  get size(): number {
    return this.values.length;
  }

  since(size: number): string[] {
    return this.values.slice(size);
  }
}

export interface Field<T> {
  write(value: T, strings: SegmentStrings): unknown;
  /** Throws WrongContent, or NewerFormat. */
  read(raw: unknown, strings: SegmentStrings): T;
  /** In records that were logged before the field was appended; a field that its kind always had has none. */
  readonly before?: T;
}

/** `fits`: whether a raw value is one. */
function plain<T>(expected: string, fits: (raw: unknown) => raw is T): Field<T> {
  return {
    write: (value) => value,
    read: (raw) => {
      expectContent(fits(raw), `${shown(raw)} stands where ${expected} belongs`);
      return raw;
    },
  };
}

function shown(raw: unknown): string {
  return (JSON.stringify(raw) ?? String(raw)).slice(0, 40);
}

const isText = (raw: unknown) => typeof raw === "string";
const list = plain<unknown[]>("a list", (raw): raw is unknown[] => Array.isArray(raw));
const bit = plain<0 | 1>("0 or 1", (raw): raw is 0 | 1 => raw === 0 || raw === 1);

/** A safe integer. */
export const integer = plain<number>("an integer", (raw): raw is number => Number.isSafeInteger(raw));
export const flag: Field<boolean> = {
  write: (value) => (value ? 1 : 0),
  read: (raw, strings) => bit.read(raw, strings) === 1,
};
/** A string that is not expected to repeat. */
export const text = plain<string>("a text", isText);
export const texts = plain<readonly string[]>(
  "a list of texts",
  (raw): raw is string[] => Array.isArray(raw) && raw.every(isText),
);
/** A string that repeats. */
export const word: Field<string> = {
  write: (value, strings) => strings.idOf(value),
  read: (raw, strings) => strings.valueOf(integer.read(raw, strings)),
};
export const words: Field<readonly string[]> = {
  write: (values, strings) => values.map((value) => strings.idOf(value)),
  read: (raw, strings) => list.read(raw, strings).map((id) => word.read(id, strings)),
};
/** Pairs of repeating strings, flattened. */
export const wordPairs: Field<readonly (readonly [string, string])[]> = {
  write: (pairs, strings) => pairs.flatMap(([name, value]) => [strings.idOf(name), strings.idOf(value)]),
  read: (raw, strings) => {
    const flat = words.read(raw, strings);
    expectContent(flat.length % 2 === 0, `${flat.length} strings stand where pairs belong`);
    const pairs: [string, string][] = [];
    for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] as string, flat[at + 1] as string]);
    return pairs;
  },
};
/** A field that may be missing, as null. */
export function optional<T>(field: Field<T>): Field<T | null> {
  return {
    write: (value, strings) => (value === null ? null : field.write(value, strings)),
    read: (raw, strings) => (raw === null ? null : field.read(raw, strings)),
  };
}
/** A list of tuples, each with the given fields. */
export function rows<F extends Fields>(fields: F): Field<readonly ValuesOf<F>[]> {
  return {
    write: (values, strings) => values.map((value) => writeFields(fields, value, strings)),
    read: (raw, strings) =>
      list.read(raw, strings).map((tuple) => readFields(fields, list.read(tuple, strings), 0, strings)),
  };
}
/** A field that came to a kind later: in a record that was logged before, it has the value `before`. */
export function appended<T>(field: Field<T>, before: T): Field<T> {
  return { ...field, before };
}

// The position of a field is its place in the object literal.
export type Fields = Readonly<Record<string, Field<never> | Field<unknown>>>;
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export function writeFields<F extends Fields>(
  fields: F,
  value: ValuesOf<F>,
  strings: SegmentStrings,
): unknown[] {
  const tuple: unknown[] = [];
  for (const name in fields) tuple.push((fields[name] as Field<unknown>).write(value[name], strings));
  return tuple;
}

/** Throws WrongContent and NewerFormat. */
export function readFields<F extends Fields>(
  fields: F,
  tuple: readonly unknown[],
  from: number,
  strings: SegmentStrings,
): ValuesOf<F> {
  const value: Record<string, unknown> = {};
  let at = from;
  for (const name in fields) {
    const field = fields[name] as Field<unknown>;
    if (at < tuple.length) value[name] = field.read(tuple[at], strings);
    else {
      expectContent("before" in field, `the field ${name} is missing`);
      value[name] = field.before;
    }
    at++;
  }
  if (tuple.length > at)
    throw new NewerFormat(`a record of ${tuple.length - from} fields, where this one knows ${at - from}`);
  return value as ValuesOf<F>;
}
