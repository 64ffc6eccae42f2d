/** Objects in JSON that somebody else wrote. */
import { parseBoundedJson } from "./bounded-json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object that a text is; undefined for anything else, which mostly is found without a look at all of it. */
export function jsonObject(text: string): JsonObject | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = parseBoundedJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
