/**
 * Spaces the checkpoints for deletions: whoever deletes again and again has the whole state written each time. The first
 * deletion has its checkpoint at once. After it there is a rest, ten times as long as it took, and all deletions that
 * come until the end of the rest share the next one.
 */
import type { Clock } from "../../lib/clock.ts";

const restTimes = 10;
/** Data that is deleted leaves all files within a minute, however long a checkpoint takes. */
const restMsMax = 5_000;

export class SpacedPurges {
  /** Deletions that came during the checkpoint under way, or during the rest after it. */
  private waiting: PromiseWithResolvers<void> | undefined;
  private isBusy = false;
  private isStopping = false;
  private rest: Timer | undefined;

  /** `purge` resolves when no file contains the deleted data any more. */
  constructor(
    private readonly clock: Clock,
    private readonly purge: () => Promise<void>,
  ) {}

  /** Resolves when no file contains any more what is deleted by now; rejects if the disk fails. */
  ask(): Promise<void> {
    const { promise } = (this.waiting ??= Promise.withResolvers<void>());
    if (!this.isBusy || this.isStopping) this.begin();
    return promise;
  }

  /** Ends the rest, and has no more of them. It may be called again. */
  stop(): void {
    this.isStopping = true;
    clearTimeout(this.rest);
    this.begin();
  }

  private begin(): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.isBusy = waiting !== undefined;
    if (waiting === undefined) return;
    const begunMs = this.clock.monotonicMs();
    const done = this.purge();
    waiting.resolve(done);
    const rest = () => {
      const restMs = Math.min(restMsMax, restTimes * (this.clock.monotonicMs() - begunMs));
      if (this.isStopping || restMs === 0) this.begin();
      else this.rest = setTimeout(() => this.begin(), restMs);
    };
    done.then(rest, rest);
  }
}
