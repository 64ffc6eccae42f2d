/** Removes directories with all that is in them. */
import { rmSync } from "node:fs";
import { diskCall } from "./disk.ts";

/** Removes a directory, or a file, that may be missing. Throws DiskError; some of it may be gone then. */
export function removeTree(path: string): void {
  diskCall("remove", path, () => rmSync(path, { recursive: true, force: true }));
}
