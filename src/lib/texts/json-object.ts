/** Values and objects in JSON that somebody else wrote. */
import { parseBoundedJson } from "./bounded-json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object that a text is; undefined for anything else, which mostly is found without a look at all of it. */
export function jsonObject(text: string): JsonObject | undefined {
  const value = /^\s*\{/.test(text) ? jsonValue(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** Returns undefined for a text that is no JSON, or whose value would take too much memory. */
export function jsonValue(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}
