/** The mark of a copy whose state was not that of the other nodes: it is kept as it is, to find out why, and nothing begins from it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FolderRefused } from "../engine/refused.ts";
import { replaceFile, systemDisk } from "../lib/disk/disk.ts";
import { diskFailure } from "../lib/disk/failure.ts";

/** The file in the data folder that is the mark. */
const differsFile = "differs";

/** Throws FolderRefused for a copy with the mark. */
export function expectAgreeing(folder: string): void {
  if (existsSync(join(folder, differsFile)))
    throw new FolderRefused(`the copy in ${folder} was not that of the other nodes: ${adviceFor(folder)}`);
}

/** Marks a copy, and returns what is to be done about it. On a disk that takes nothing the next start finds again that it differs. */
export function disown(folder: string, name: string): string {
  diskFailure(() => replaceFile(systemDisk, join(folder, differsFile), Buffer.from(`${name}\n`)));
  return adviceFor(folder);
}

function adviceFor(folder: string): string {
  return (
    `keep ${folder} to find out why, and start with an empty folder, which is filled from the newest backup of the ` +
    "cluster and the stream. Backups that this node has made may be wrong too"
  );
}
