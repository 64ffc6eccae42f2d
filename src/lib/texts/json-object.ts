/** Values and objects in JSON that somebody else wrote. */
import { parseBoundedJson, TooMuchJson } from "./bounded-json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object that a text is; undefined for anything else, which mostly is found without a look at all of it. */
export function jsonObject(text: string): JsonObject | undefined {
  const value = /^\s*\{/.test(text) ? jsonValue(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** Does the same, but throws TooMuchJson for a text whose value would take too much memory or time. */
export function wholeObject(text: string): JsonObject | undefined {
  try {
    return /^\s*\{/.test(text) ? (parseBoundedJson(text) as JsonObject) : undefined;
  } catch (error) {
    if (error instanceof TooMuchJson) throw error;
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
