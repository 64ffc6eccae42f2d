/** Values and objects in JSON that somebody else wrote. */
import { parseBoundedJson, TooMuchJson } from "./bounded-json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the object that a text is; undefined for anything else, which mostly is found without a look at all of it. Throws
 * TooMuchJson for one that would take too much memory or time.
 */
export function wholeObject(text: string): JsonObject | undefined {
  try {
    return /^\s*\{/.test(text) ? (parseBoundedJson(text) as JsonObject) : undefined;
  } catch (error) {
    if (error instanceof TooMuchJson) throw error;
    return undefined;
  }
}

/** Does the same, but returns undefined where that throws. */
export function jsonObject(text: string): JsonObject | undefined {
  try {
    return wholeObject(text);
  } catch {
    return undefined;
  }
}

/** Returns undefined for a text that is no JSON, or whose value would take too much memory or time. */
export function jsonValue(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}
