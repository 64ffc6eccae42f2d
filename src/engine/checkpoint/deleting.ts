/** The records that delete data, which must leave every file soon, those that say nothing new, and those that add statistics. */
import type { LogRecord } from "../../record/record.ts";

const kinds: ReadonlySet<LogRecord["kind"]> = new Set([
  "websiteRemoved",
  "userRemoved",
  "addressRemoved",
  "monthsDropped",
  "rowsRemoved",
  "namesFolded",
  "monthReduced",
  // It deletes nothing. But a replay of it needs its file, which a checkpoint writes again with other ids.
  "monthImported",
]);

const additions: ReadonlySet<LogRecord["kind"]> = new Set(["load", "unload", "event", "import"]);

/** Whether a record changes more than what the log says of itself. */
export function isNews({ kind }: LogRecord): boolean {
  return kind !== "checkpoint" && kind !== "closed";
}

export function deletes({ kind }: LogRecord): boolean {
  return kinds.has(kind);
}

export function addsStatistics({ kind }: LogRecord): boolean {
  return additions.has(kind);
}
