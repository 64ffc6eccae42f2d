/** The schemas that several resources need: with a name in the OpenAPI document, with null for a missing field, of words. */
import { Type, type TNull, type TOptional, type TSchema, type TUnion, type TUnsafe } from "@sinclair/typebox";

/** Gives a schema the name by which the OpenAPI document refers to it. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, $id: name };
}

/** Makes a field of a request optional: null is the same as missing. */
export function orMissing<T extends TSchema>(schema: T): TOptional<TUnion<[T, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** Makes all fields of a request optional. */
export function allOrMissing(fields: Readonly<Record<string, TSchema>>) {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, orMissing(schema)]));
}

/** Returns the schema of a text that is one of a few words, written as an `enum`, for which TypeBox has no type. */
export function wordsSchema<T extends string>(words: readonly T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: "string", enum: words });
}

/** Bytes, as generators of clients know them. */
export const fileSchema = Type.String({ format: "binary" });

export const unixSecondsSchema = Type.Integer({ minimum: 0, description: "Unix seconds" });

/** Returns the schema of how many there are of something. */
export const count = (description: string) => Type.Integer({ minimum: 0, description });
