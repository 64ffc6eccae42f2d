/** Tells a folder that is new from one that has lost its manifests: a server that began anew there would remove the rest. */
import type { Disk } from "../../lib/disk/disk.ts";
import { orphanIn } from "../../snapshot/write-checkpoint.ts";
import { listSegments, logDirectory, logPath } from "../../wal/segment.ts";

/** The file in a data folder whose lock says that it is in use. */
export const lockName = "LOCK";
/** The folder within a data folder in which a backup is verified before it takes its place. */
export const restoringName = "restoring";

/** Returns why a folder without a manifest is not new, and what to do; undefined if it is. Throws DiskError. */
export function whyNotNew(disk: Disk, folder: string): string | undefined {
  if (disk.list(folder).includes(restoringName))
    return `${folder} has a backup that was not restored to its end: restore it again`;
  const directory = logPath(folder);
  if (disk.list(folder).includes(logDirectory) && listSegments(disk, directory).length > 0)
    return `${folder} has a log but no checkpoint: see what 'footfall repair' can keep, or restore a backup of the folder`;
  const orphan = orphanIn(disk, folder);
  if (orphan === undefined) return undefined;
  return (
    `${folder} has statistics, such as ${orphan}, but neither a manifest nor a log, so it is not a new folder: ` +
    "restore a backup of the folder, or choose an empty one"
  );
}
