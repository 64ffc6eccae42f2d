/** Returns the schema of a text that is one of a few words, written as an `enum`, for which TypeBox has no type. */
import { Type, type TUnsafe } from "@sinclair/typebox";

export function wordsSchema<T extends string>(words: readonly T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: "string", enum: words });
}
