/** The level of the format of records: nodes of several versions go on together with the kinds that all of them know. */
import { recordKinds, type LogRecord } from "../record/record.ts";
import { RecordTooNew } from "../wal/log-store.ts";

/** The greatest kind of record that this program understands. */
export const recordLevel = Math.max(...Object.values(recordKinds).map(({ number }) => number));

/** Returns why a record may not be appended while the oldest node understands kinds up to `level`. */
export function whyNotYet({ kind }: LogRecord, level: number): RecordTooNew | undefined {
  if (recordKinds[kind].number <= level) return undefined;
  return new RecordTooNew(
    "a node of the cluster is of an earlier version, which does not know this: try again when all are of one version",
  );
}
