/** The records that delete data, which must leave every file soon. */
import type { LogRecord } from "../../record/record.ts";

const kinds: ReadonlySet<LogRecord["kind"]> = new Set([
  "websiteRemoved",
  "userRemoved",
  "monthsDropped",
  "rowsRemoved",
  "namesFolded",
]);

export function deletes({ kind }: LogRecord): boolean {
  return kinds.has(kind);
}
