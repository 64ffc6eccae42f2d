/**
 * The backups that a store of files has, by the names of their lists: in which order they were made, and which of them
 * somebody means.
 */
import { shellWord } from "../callable.ts";
import { Refusal } from "../../core/refusal.ts";
import { compareLists, isListName, listSeq, listTimeMs } from "../../snapshot/backup-list.ts";

const incarnationPattern = /^[0-9a-f]{32}-[0-9a-f]{16}\/$/;

export interface StoredBackup {
  /** The folder of its incarnation with a slash; empty if the store is that folder. */
  readonly top: string;
  /** The name of its list there. */
  readonly list: string;
}

/** Returns one of the backups in the store of that name, which are sorted from the oldest to the newest. Throws Refusal. */
export type Choose = (place: string, backups: readonly StoredBackup[]) => StoredBackup;

/** Returns the complete backups among files, the oldest first. */
export function backupsIn(names: Iterable<string>): StoredBackup[] {
  const found: StoredBackup[] = [];
  for (const name of names) {
    const [top, list] = splitPath(name);
    if (isListName(list) && (top === "" || incarnationPattern.test(top))) found.push({ top, list });
  }
  return found.sort((a, b) => compareLists(a.list, b.list));
}

/** Splits a path behind its last slash. */
export function splitPath(path: string): [folder: string, name: string] {
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}

/** Returns a line with the time, the last record and the path of a backup. */
export function lineOf(place: string, { top, list }: StoredBackup, madeMs: number): string {
  return `${new Date(madeMs).toISOString()}  up to record ${listSeq(list)}  ${place}/${top}${list}`;
}

/** Chooses the newest one. Throws Refusal if the store has backups of several data folders. */
export const newestOfFolder: Choose = (place, backups) => {
  const newest = backups.at(-1) ?? noBackup(place);
  const own = backups.findLast(({ top }) => top === "");
  if (own !== undefined) return own;
  const tops = Map.groupBy(backups, ({ top }) => top);
  if (tops.size === 1) return newest;
  const choice = [...tops].map(([top, all]) => {
    const { list } = all.at(-1) as StoredBackup;
    const time = new Date(listTimeMs(list)).toISOString();
    return `${place}/${top.slice(0, -1)} (${all.length}, the newest of ${time} up to record ${listSeq(list)})`;
  });
  throw new Refusal(400, `${place} has backups of several data folders: restore one of ${choice.join(", ")}`);
};

/** Chooses the one with most records: the data folders of a cluster are copies of one log. */
export const newestOfCluster: Choose = (place, [first = noBackup(place), ...others]) =>
  others.reduce((most, other) => (other.list > most.list ? other : most), first);

/** Returns what chooses the backup of that list in the folder of its incarnation. */
export function backupOf(list: string): Choose {
  return (place, backups) => {
    const found = backups.find((backup) => backup.top === "" && backup.list === list);
    return found ?? noBackup(place, `${list}: ${advice(place)}`);
  };
}

/** Says how to choose another backup. */
export function advice(place: string): string {
  return `'footfall restore ${shellWord(place)} --list' names the others`;
}

function noBackup(place: string, which = "that is complete"): never {
  throw new Refusal(404, `${place} has no backup ${which}`);
}
