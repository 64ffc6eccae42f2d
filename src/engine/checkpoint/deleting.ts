/** The records that delete data, which must leave every file soon, and those that say nothing new. */
import type { LogRecord } from "../../record/record.ts";

const kinds: ReadonlySet<LogRecord["kind"]> = new Set([
  "websiteRemoved",
  "userRemoved",
  "monthsDropped",
  "rowsRemoved",
  "namesFolded",
]);

/** Whether a record changes more than what the log says of itself. */
export function isNews({ kind }: LogRecord): boolean {
  return kind !== "checkpoint" && kind !== "closed";
}

export function deletes({ kind }: LogRecord): boolean {
  return kinds.has(kind);
}
