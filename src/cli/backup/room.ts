/** The room of a place for backups, which a backup must not use up: nobody takes hits on a full disk. */
import { statSync } from "node:fs";
import { Refusal } from "../../core/refusal.ts";
import type { Disk } from "../../lib/disk/disk.ts";
import type { BackupEntry } from "../../snapshot/backup-list.ts";

export interface PlaceRoom {
  readonly freeBytes: number;
  /** Whether it is on the disk of the data folder. */
  readonly isOnDiskOfData: boolean;
}

/** Each file may take this much more, and so may the list of the backup. */
const blockBytes = 4_096;

/** Returns undefined where the disk does not tell. Throws DiskError. */
export function roomAt(disk: Disk, place: string, data: string): PlaceRoom | undefined {
  if (disk.totalBytes(place) === 0) return undefined;
  return { freeBytes: disk.freeBytes(place), isOnDiskOfData: statSync(place).dev === statSync(data).dev };
}

/** Throws Refusal where there is no room for these files, and on the data's own disk for what its server needs too. */
export function expectRoom(
  place: string,
  { freeBytes, isOnDiskOfData }: PlaceRoom,
  missing: readonly BackupEntry[],
  keptFreeBytes: number,
): void {
  const bytes = missing.reduce((sum, entry) => sum + entry.bytes + blockBytes, blockBytes);
  const kept = isOnDiskOfData ? Math.ceil(keptFreeBytes) : 0;
  if (freeBytes >= bytes + kept) return;
  const also = kept === 0 ? "" : `, and the server needs ${kept} on the same disk to take hits`;
  throw new Refusal(500, `${place} has ${freeBytes} free bytes: the backup takes ${bytes}${also}`);
}
