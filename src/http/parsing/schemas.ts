/** Makes of schemas what several resources need: a name in the OpenAPI document, and null for a field that is missing. */
import { Type, type TNull, type TOptional, type TSchema, type TUnion } from "@sinclair/typebox";

/** Gives a schema the name by which the OpenAPI document refers to it. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, $id: name };
}

/** Makes a field of a request optional: null is the same as missing. */
export function orMissing<T extends TSchema>(schema: T): TOptional<TUnion<[T, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

export const unixSecondsSchema = Type.Integer({ minimum: 0, description: "Unix seconds" });
