/** The kinds of records that change accounts, websites, sessions and tokens. */
import type { LogRecord, RecordOf } from "../record/record.ts";

export const subscriptionRecords = [
  "subscriptionAdded",
  "subscriptionRemoved",
  "confirmationSent",
  "addressConfirmed",
  "addressRemoved",
  "messageDue",
  "messageSent",
  "messageFailed",
] as const satisfies readonly LogRecord["kind"][];

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
  ...subscriptionRecords,
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
  "tokenAdded",
  "tokenRemoved",
  "tokenUsed",
] as const;

/** The records that change accounts and imports. */
export type RegistryRecord = RecordOf<(typeof kinds)[number]>;

const known: ReadonlySet<string> = new Set(kinds);

export function isOfRegistry(record: LogRecord): record is RegistryRecord {
  return known.has(record.kind);
}
