/** Places in files that tests damage. */
import type { Disk } from "../../src/lib/disk/disk.ts";
import { indexSections } from "../../src/snapshot/section-use.ts";

/** Returns the place of the byte in the middle of a section of a checkpoint's file. */
export function middleOfSection(disk: Disk, path: string, name: string): number {
  const section = indexSections(disk, path, path).get(name);
  if (section === undefined) throw new Error(`${path} has no section ${name}`);
  return section.dataAt + (section.length >> 1);
}
