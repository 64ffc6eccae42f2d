/**
 * How one field of a record is written: a plain value that msgpack knows, strings that repeat as ids of
 * the segment's own dictionary. Reading checks nothing: the checksum of the frame did.
 */
import { assert } from "../lib/assert.ts";

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
    assert(value !== undefined, `segment string ${id} is used before it is defined`);
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
  read(raw: never, strings: SegmentStrings): T;
}

function plain<T>(): Field<T> {
  return { write: (value) => value, read: (raw) => raw };
}

/** A safe integer. */
export const integer = plain<number>();
export const flag: Field<boolean> = { write: (value) => (value ? 1 : 0), read: (raw: number) => raw === 1 };
/** A string that is not expected to repeat. */
export const text = plain<string>();
export const texts = plain<readonly string[]>();
/** A string that repeats. */
export const word: Field<string> = {
  write: (value, strings) => strings.idOf(value),
  read: (raw: number, strings) => strings.valueOf(raw),
};
export const words: Field<readonly string[]> = {
  write: (values, strings) => values.map((value) => strings.idOf(value)),
  read: (raw: number[], strings) => raw.map((id) => strings.valueOf(id)),
};
/** Pairs of repeating strings, flattened. */
export const wordPairs: Field<readonly (readonly [string, string])[]> = {
  write: (pairs, strings) => pairs.flatMap(([name, value]) => [strings.idOf(name), strings.idOf(value)]),
  read: (raw: number[], strings) => {
    const pairs: [string, string][] = [];
    for (let at = 0; at < raw.length; at += 2)
      pairs.push([strings.valueOf(raw[at] as number), strings.valueOf(raw[at + 1] as number)]);
    return pairs;
  },
};
/** A field that may be missing, as null. */
export function optional<T>(field: Field<T>): Field<T | null> {
  return {
    write: (value, strings) => (value === null ? null : field.write(value, strings)),
    read: (raw: never, strings) => (raw === null ? null : field.read(raw, strings)),
  };
}
/** A list of tuples, each with the given fields. */
export function rows<F extends Fields>(fields: F): Field<readonly ValuesOf<F>[]> {
  return {
    write: (values, strings) => values.map((value) => writeFields(fields, value, strings)),
    read: (raw: unknown[][], strings) => raw.map((tuple) => readFields(fields, tuple, 0, strings)),
  };
}

// The position of a field is its place in the object literal: fields are appended, never moved.
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

export function readFields<F extends Fields>(
  fields: F,
  tuple: readonly unknown[],
  from: number,
  strings: SegmentStrings,
): ValuesOf<F> {
  const value: Record<string, unknown> = {};
  let at = from;
  for (const name in fields)
    value[name] = (fields[name] as Field<unknown>).read(tuple[at++] as never, strings);
  return value as ValuesOf<F>;
}
