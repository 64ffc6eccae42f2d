/** The format of records in a cluster: nodes of several versions go on together with what all of them know. */
import { isFormat, recordFormat, type RecordFormat } from "../../record/format.ts";
import { recordKinds } from "../../record/record.ts";
import { RecordTooNew } from "../../wal/log-store.ts";

/** The greatest kind of record that this program understands. */
export const recordLevel = Math.max(...Object.values(recordKinds).map(({ number }) => number));

/** The format of this program, as a node says it. */
export const saidFormat = JSON.stringify(recordFormat);

/** Returns the format of a node by what it says: undefined for that of this program, one without any kind for none. */
export function formatOf(said: string | undefined): RecordFormat | undefined {
  if (said === saidFormat) return undefined;
  const format = said === undefined ? undefined : parsed(said);
  return isFormat(format) ? format : {};
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

/** Returns why a record may not be appended that a node does not understand. */
export function whyNotYet(): RecordTooNew {
  return new RecordTooNew(
    "a node of the cluster is of an earlier version, which does not know this: try again when all are of one version",
  );
}
