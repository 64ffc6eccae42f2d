/** The kinds of records that change accounts, websites and sessions. */
import type { LogRecord, RecordOf } from "../record/record.ts";

const kinds = [
  "userAdded",
  "userChanged",
  "userRemoved",
  "websiteAdded",
  "websiteRenamed",
  "websiteRemoved",
  "websiteRules",
  "goalAdded",
  "goalRemoved",
  "noteAdded",
  "noteChanged",
  "noteRemoved",
  "segmentAdded",
  "segmentRemoved",
  "linkAdded",
  "linkRemoved",
  "invitationAdded",
  "invitationRemoved",
  "invitationAccepted",
  "memberChanged",
  "memberRemoved",
  "import",
  "sessionStarted",
  "sessionRenewed",
  "sessionEnded",
] as const;

/** The records that change accounts and imports. */
export type RegistryRecord = RecordOf<(typeof kinds)[number]>;

const known: ReadonlySet<string> = new Set(kinds);

export function isOfRegistry(record: LogRecord): record is RegistryRecord {
  return known.has(record.kind);
}
