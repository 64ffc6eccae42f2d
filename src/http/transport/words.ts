/** The schema of a text that is one of a few words, written as an `enum`, which TypeBox has no type for. */
import { Type, type TUnsafe } from "@sinclair/typebox";

export function wordsSchema<T extends string>(words: readonly T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: "string", enum: words });
}
