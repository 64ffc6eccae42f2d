/**
 * Reads the data that hits need from files (open page views, and chunks that still change) before the first hit is
 * logged, because a logged hit must be applied. While a file cannot be read hits are refused, and the log says so once.
 * Continuing without it would count page views twice and lose their times, and nobody who looks at the figures would
 * know.
 */
import { Refusal } from "../../core/refusal.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import type { Logger } from "../../lib/log.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import type { Store } from "../../store/state/store.ts";

/** Returns a function that opens the store; it throws Refusal while a file cannot be read. */
export function storeOpener(store: Store, logger: Logger): () => void {
  let logged: string | undefined;
  return () => {
    try {
      store.open();
    } catch (error) {
      if (!(error instanceof SnapshotDamage) && !(error instanceof DiskError)) throw error;
      const { message } = error;
      // Damage is reported where it is found.
      if (error instanceof DiskError && message !== logged)
        logger.error("hits are refused while a file cannot be read", { error: message });
      logged = message;
      throw new Refusal(500, "the server could not read a file that it needs to count this: try again", 5);
    }
  };
}
