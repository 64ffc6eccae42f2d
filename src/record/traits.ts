/** The traits of a kind of record, which its row in the table has beside number and fields: what else the program has to know of it. */
import { recordKinds, type LogRecord, type RecordKind, type RecordOf } from "./record.ts";

export interface Traits {
  /** The part of the state that a record changes. Records of the log itself change none. */
  readonly part: "accounts" | "statistics" | "both" | "log";
  /** It is a hit as it comes. */
  readonly isHit?: true;
  /** It changes the statistics of one website, and waits in the log while that is unavailable. */
  readonly ofOneWebsite?: true;
  /** It deletes data, which must leave every file soon. With statistics files go, and a replay may read any of them. */
  readonly deletes?: "statistics" | "accounts";
}

/** The kinds of records that change these parts. */
export type KindOf<P extends Traits["part"]> = {
  [K in RecordKind]: (typeof recordKinds)[K]["part"] extends P ? K : never;
}[RecordKind];

export function traitsOf({ kind }: LogRecord): Traits {
  return recordKinds[kind];
}

/** The records that change accounts and imports. */
export type RegistryRecord = RecordOf<KindOf<"accounts" | "both">>;

export function isOfRegistry(record: LogRecord): record is RegistryRecord {
  const { part } = traitsOf(record);
  return part === "accounts" || part === "both";
}

export function deletes(record: LogRecord): boolean {
  return traitsOf(record).deletes !== undefined;
}

export function deletesStatistics(record: LogRecord): boolean {
  return traitsOf(record).deletes === "statistics";
}

export function addsStatistics(record: LogRecord): boolean {
  return traitsOf(record).isHit === true || record.kind === "import";
}

/** Whether a record changes more than what the log says of itself. */
export function isNews({ kind }: LogRecord): boolean {
  return kind !== "checkpoint" && kind !== "closed";
}
