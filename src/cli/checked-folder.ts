/** Checks a data folder for commands: what is wrong with it is a list then. */
import { checkFolder, type CheckOptions } from "../engine/opening/check-folder.ts";
import { systemDisk } from "../lib/disk/disk.ts";

/** `files`: those that a running server keeps meanwhile. Throws DiskError. */
export function checkedFolder(
  folder: string,
  onProgress: CheckOptions["onProgress"] = () => {},
  files?: CheckOptions["files"],
) {
  const faults: string[] = [];
  const onFault = (fault: string) => void faults.push(fault);
  return { faults, ...checkFolder({ disk: systemDisk, folder, files, onFault, onProgress }) };
}
