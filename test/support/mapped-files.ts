/** Mapped files of a folder on any disk, without a budget. */
import type { Disk } from "../../src/lib/disk/disk.ts";
import { MemoryBudget } from "../../src/lib/memory/memory-budget.ts";
import { Scratch } from "../../src/lib/memory/scratch.ts";
import { MappedFiles } from "../../src/snapshot/mapped-files.ts";
import type { SnapshotDamage } from "../../src/snapshot/section.ts";

/** `onDamage`: by default nobody hears of it but who reads. */
export function mappedFiles(
  disk: Disk,
  folder: string,
  bytesMax = Infinity,
  onDamage: (damage: SnapshotDamage) => void = () => {},
): MappedFiles {
  return new MappedFiles({ disk, folder, budget: new MemoryBudget(bytesMax, new Scratch()), onDamage });
}
