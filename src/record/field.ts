/**
 * The encoding of one field of a record: a plain value that msgpack knows, where repeating strings are ids of the
 * segment's own dictionary. Reading checks types only, because the frame's checksum has shown that the bytes are those
 * that were written. Fields are found by position, so that they need no names: they are appended, never moved, and an
 * appended field states its value in the records from before.
 */
import { expectContent, NewerFormat, WrongContent } from "../lib/decoding.ts";
import { textKey } from "../lib/hashes/text-key.ts";

/** The dictionary of one log segment: strings get ids in the order of their first use. */
export class SegmentStrings {
  /** By the key of the string. Of two strings with one key only the latter is found, and the other gets another id. */
  private readonly ids = new Map<number, number>();
  private readonly values: string[] = [];
  /** The id of the empty string, which is half of all values. */
  private emptyId: number | undefined;
  /** The characters of all strings, each of which takes one or two bytes of memory. */
  characters = 0;

  idOf(value: string): number {
    const known = value === "" ? this.emptyId : this.ids.get(textKey(value));
    if (known !== undefined && this.values[known] === value) return known;
    this.add(value);
    return this.values.length - 1;
  }

  add(value: string): void {
    if (value === "") this.emptyId = this.values.length;
    else this.ids.set(textKey(value), this.values.length);
    this.values.push(value);
    this.characters += value.length;
  }

  /** Returns the string of an id. Throws WrongContent for anything that is no id of a string. */
  valueOf(id: unknown): string {
    const value = typeof id === "number" ? this.values[id] : undefined;
    if (value === undefined)
      throw new WrongContent(`segment string ${String(id)} is used before it is defined`);
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
  /** The value in records logged before the field was appended; absent for fields that their kind always had. */
  readonly before?: T;
  /** The values that it can read, where a later program may read more; absent for those that stay as they are. */
  readonly known?: Known | undefined;
}

/**
 * The values that a program can read in a field: 0 for all, another number for lists of at most that many, a text for one of
 * its words, and a list for tuples of these fields.
 */
export type Known = number | string | readonly Known[];

/** Returns what can be read in each of some fields, in their order. */
export function knownOf(fields: Fields): readonly Known[] {
  return Object.values(fields).map(({ known }) => known ?? 0);
}

// A million records are read by these functions. Each checks its own type by itself, so that the runtime compiles it
// for one type.

function wrong(raw: unknown, expected: string): never {
  const shown = (JSON.stringify(raw) ?? String(raw)).slice(0, 40);
  throw new WrongContent(`${shown} stands where ${expected} belongs`);
}

function numberOf(raw: unknown): number {
  return Number.isFinite(raw) ? (raw as number) : wrong(raw, "a number");
}

function listOf(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : wrong(raw, "a list");
}

/** A safe integer. */
export const integer: Field<number> = {
  write: (value) => value,
  read: (raw) => (Number.isSafeInteger(raw) ? (raw as number) : wrong(raw, "an integer")),
};
export const flag: Field<boolean> = {
  write: (value) => (value ? 1 : 0),
  read: (raw) => raw === 1 || (raw === 0 ? false : wrong(raw, "0 or 1")),
};
/** Numbers that are finite, of which each may be missing, as null. */
export const numbers: Field<readonly (number | null)[]> = {
  write: (values) => values,
  read: (raw) => listOf(raw).map((value) => (value === null ? null : numberOf(value))),
};
/** A string that is not expected to repeat. */
export const text: Field<string> = {
  write: (value) => value,
  read: (raw) => (typeof raw === "string" ? raw : wrong(raw, "a text")),
};
export const texts: Field<readonly string[]> = {
  write: (values) => values,
  read: (raw, strings) => listOf(raw).map((value) => text.read(value, strings)),
};
/** A string that repeats. */
export const word: Field<string> = {
  write: (value, strings) => strings.idOf(value),
  read: (raw, strings) => strings.valueOf(raw),
};
/** Repeating strings, of which each may be missing, as null. */
export const words: Field<readonly (string | null)[]> = {
  write: (values, strings) => {
    const ids: (number | null)[] = [];
    for (const value of values) ids.push(idOrNull(value, strings));
    return ids;
  },
  read: (raw, strings) => listOf(raw).map((id) => wordOrNull(id, strings)),
};
/** Pairs of repeating strings, flattened, of which each may be missing, as null. */
export const wordPairs: Field<readonly (readonly [string | null, string | null])[]> = {
  write: (pairs, strings) => {
    const ids: (number | null)[] = [];
    for (const [name, value] of pairs) ids.push(idOrNull(name, strings), idOrNull(value, strings));
    return ids;
  },
  read: (raw, strings) => {
    const ids = listOf(raw);
    if (ids.length % 2 !== 0) throw new WrongContent(`${ids.length} strings stand where pairs belong`);
    const pairs: [string | null, string | null][] = [];
    for (let at = 0; at < ids.length; at += 2)
      pairs.push([wordOrNull(ids[at], strings), wordOrNull(ids[at + 1], strings)]);
    return pairs;
  },
};

function idOrNull(value: string | null, strings: SegmentStrings): number | null {
  return value === null ? null : strings.idOf(value);
}

function wordOrNull(id: unknown, strings: SegmentStrings): string | null {
  return id === null ? null : strings.valueOf(id);
}

/** A field that may be missing, as null. */
export function optional<T>(field: Field<T>): Field<T | null> {
  return {
    write: (value, strings) => (value === null ? null : field.write(value, strings)),
    read: (raw, strings) => (raw === null ? null : field.read(raw, strings)),
    known: field.known,
  };
}
/** Makes a field for a list of tuples, each with the given fields. */
export function rows<F extends Fields>(fields: F): Field<readonly ValuesOf<F>[]> {
  return {
    write: (values, strings) => values.map((value) => writeFields(fields, value, strings)),
    read: (raw, strings) => listOf(raw).map((tuple) => readFields(fields, listOf(tuple), 0, strings)),
    known: knownOf(fields),
  };
}
/** A field that came to a kind later: in a record that lacks it, it has the value `before`. */
export function appended<T>(field: Field<T>, before: T): AppendedField<T> {
  return { ...field, before };
}

interface AppendedField<T> extends Field<T> {
  readonly before: T;
}

// The position of a field is its place in the object literal.
export type Fields = Readonly<Record<string, Field<never> | Field<unknown>>>;
type ValueOf<F> = F extends Field<infer T> ? T : never;
type IsAppended<F> = F extends AppendedField<infer _> ? true : false;
/** The values of fields, by name; an appended field may be missing. */
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F as IsAppended<F[K]> extends true ? never : K]: ValueOf<F[K]>;
} & { readonly [K in keyof F as IsAppended<F[K]> extends true ? K : never]?: ValueOf<F[K]> };

/** Appends the encoded fields to `tuple`, and returns it. */
export function writeFields<F extends Fields>(
  fields: F,
  value: ValuesOf<F>,
  strings: SegmentStrings,
  tuple: unknown[] = [],
): unknown[] {
  const values = value as Readonly<Record<string, unknown>>;
  // Trailing fields are left out while they are what a record has that lacks them.
  let { length } = tuple;
  for (const name in fields) {
    const field = fields[name] as Field<unknown>;
    const given = values[name];
    const own = given === undefined ? field.before : given;
    tuple.push(field.write(own, strings));
    if (field.before === undefined || own !== field.before) length = tuple.length;
  }
  tuple.length = length;
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
