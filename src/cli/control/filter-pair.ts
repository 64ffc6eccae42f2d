/** A filter of the command line: as in a URL, but without its encoding. */
import { badInput } from "../../core/refusal.ts";

/** Returns the parameter and its value. Throws Refusal 400. */
export function filterPair(filter: unknown): readonly [string, string] {
  const text = typeof filter === "string" ? filter : "";
  const equals = text.indexOf("]=");
  if (equals < 0) throw badInput("--filter", filter, "a filter such as path[contains]=wp-login");
  return [text.slice(0, equals + 1), text.slice(equals + 2)];
}
