/** Does the work of a removal in steps: hits are taken between them. */
import { Refusal } from "../../core/refusal.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import { nextTurn } from "../../lib/threads/turn.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";

/** Returns what the steps return. `signal` gives them up. Throws Refusal 500, also for a file that cannot be read. */
export async function inSteps<T>(
  steps: Generator<void, T>,
  isStopping: () => boolean,
  signal?: AbortSignal,
): Promise<T> {
  try {
    for (;;) {
      if (isStopping()) throw new Refusal(500, "the server is stopping");
      if (signal?.aborted === true) throw new Refusal(500, "the request was cancelled");
      const step = steps.next();
      if (step.done) return step.value;
      await nextTurn();
    }
  } catch (error) {
    if (error instanceof SnapshotDamage || error instanceof DiskError)
      throw new Refusal(
        500,
        "a file of the website cannot be read: see the log of the server",
        undefined,
        error,
      );
    throw error;
  }
}
