/** The place that a backup goes to. Its files come one after the other, and the list of all of them last. */
import type { BackupEntry, BackupList } from "../../snapshot/backup-list.ts";

/** The older backups that went once the new one was complete. */
export interface GivenUp {
  /** The number of those that were given up; 0 where that failed. */
  readonly removed: number;
  /** Why some are there still that should have gone: the new one is complete all the same. */
  readonly trouble?: string | undefined;
}

/** The data folder of which a backup is made. */
export interface RoomNeeds {
  readonly folder: string;
  /** The free bytes that its server keeps on its disk for hits and checkpoints; 0 without a server. */
  readonly keptFreeBytes: number;
}

export interface BackupTarget {
  /** Returns whether the file is there already, so that it need not be copied. */
  has(entry: BackupEntry): boolean;
  /** Throws Refusal where there is no room for files that are to be put there. */
  expectRoom?(missing: readonly BackupEntry[], needs: RoomNeeds): void;
  put(entry: BackupEntry, bytes: Uint8Array): Promise<void>;
  /** Makes the device write what it got so far, and not much at once; missing where each file is on its device already. */
  settle?(): void;
  /** Makes the backup complete and durable, and then gives up older ones. Throws only while it is not complete. */
  finish(list: BackupList): Promise<GivenUp>;
  /** Removes what cannot become a backup any more; missing where it stays, so that the next one need not copy it again. */
  abandon?(): void;
}
