/** The place that a backup goes to. Its files come one after the other, and the list of all of them last. */
import type { BackupEntry, BackupList } from "../../snapshot/backup-list.ts";

export interface BackupTarget {
  /** Returns whether the file is there already, so that it need not be copied. */
  has(entry: BackupEntry): boolean;
  put(entry: BackupEntry, bytes: Uint8Array): Promise<void>;
  /** Makes the device write what it got so far, so that it never has much to write at once. */
  settle(): void;
  /** Makes the backup complete and durable, and returns how many older ones were given up then. */
  finish(list: BackupList): Promise<number>;
  /** Removes what cannot become a backup any more. */
  abandon(): void;
}
