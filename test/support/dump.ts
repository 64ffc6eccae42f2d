/** The state of a folder that nobody serves, as `footfall dump` says it. */
import { dumpLines } from "../../src/engine/dump.ts";
import { filesAtRest, loadMoment, readLogAfter } from "../../src/engine/pinned-files.ts";
import type { Disk } from "../../src/lib/disk/disk.ts";

export function dumpOf(disk: Disk, folder = "/data"): string[] {
  const files = filesAtRest(disk, folder);
  const { manifest, state } = loadMoment(disk, folder, files);
  readLogAfter(disk, folder, manifest, (record) => void state.apply(record), files.log);
  state.check();
  return [...dumpLines(state)];
}
