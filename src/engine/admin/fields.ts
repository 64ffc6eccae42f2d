/**
 * Reads the fields of a JSON body as the types that they should have; `null` counts as missing. Every error is a
 * Refusal 400 that names the field and the type it has: never the value, which may be a password.
 */
import { badInput, Refusal } from "../../core/refusal.ts";
import { isJsonObject } from "../../lib/texts/json-object.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** `shownAs` is what messages call it, if it is not the body itself. */
export function fieldsOf(value: unknown, shownAs = "body"): Fields {
  return isJsonObject(value) ? value : wrongType(shownAs, value, "an object");
}

export function requiredText(fields: Fields, name: string, shownAs = name): string {
  return optionalText(fields, name, shownAs) ?? wrongType(shownAs, undefined, "a string");
}

/** `shownAs` is the field's name in messages, if it is inside an object of its own. */
export function optionalText(fields: Fields, name: string, shownAs = name): string | undefined {
  const value = fields[name] ?? undefined;
  return value === undefined || typeof value === "string" ? value : wrongType(shownAs, value, "a string");
}

export function optionalList(fields: Fields, name: string, shownAs = name): readonly unknown[] | undefined {
  const value = fields[name] ?? undefined;
  return value === undefined || Array.isArray(value) ? value : wrongType(shownAs, value, "an array");
}

export function optionalFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name] ?? undefined;
  return value === undefined || typeof value === "boolean" ? value : wrongType(name, value, "a boolean");
}

/** Returns an object without fields if it is missing. */
export function optionalObject(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {};
  return isJsonObject(value) ? value : wrongType(name, value, "an object");
}

/** Returns a text of 1 to `max` characters, well formed. */
export function limitedText(field: string, text: string, max: number): string {
  if (text === "" || text.length > max) throw badInput(field, text, `1 to ${max} characters`);
  return text.toWellFormed();
}

/** Returns the one of `words` that the value is. */
export function knownWord<T extends string>(field: string, value: unknown, words: readonly T[]): T {
  const word = words.find((each) => each === value);
  if (word === undefined) throw badInput(field, value, words.join(", "));
  return word;
}

function wrongType(field: string, got: unknown, expected: string): never {
  throw new Refusal(400, `${field}: expected ${expected}, got ${typeOf(got)}`);
}

function typeOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
