/** The kinds of records that change accounts, websites and sessions. */
import type { RecordOf } from "../record/record.ts";

/** The records that change accounts and imports. */
export type RegistryRecord = RecordOf<
  | "userAdded"
  | "userChanged"
  | "userRemoved"
  | "websiteAdded"
  | "websiteRenamed"
  | "websiteRemoved"
  | "websiteRules"
  | "goalAdded"
  | "goalRemoved"
  | "noteAdded"
  | "noteChanged"
  | "noteRemoved"
  | "segmentAdded"
  | "segmentRemoved"
  | "linkAdded"
  | "linkRemoved"
  | "invitationAdded"
  | "invitationRemoved"
  | "invitationAccepted"
  | "memberChanged"
  | "memberRemoved"
  | "import"
  | "sessionStarted"
  | "sessionRenewed"
  | "sessionEnded"
>;
