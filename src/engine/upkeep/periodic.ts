/** Work that is done now and then, one round after the other, while hits are taken. */
import { nextTurn } from "../../lib/threads/turn.ts";

/** Work of each hour begins so long after a start: a server that runs for less than an hour at a time does it, too. */
export const firstMs = 5 * 60_000;

export abstract class Periodic {
  isStopped = false;
  private timer: Timer;
  private last: Promise<void> = Promise.resolve();

  /** `waitMs`: how long after the start the first round is. */
  constructor(everyMs: number, waitMs = everyMs) {
    this.timer = setTimeout(() => {
      this.timer = setInterval(() => void this.round(), everyMs);
      void this.round();
    }, waitMs);
  }

  /** Does one round. */
  protected abstract work(): Promise<void>;

  /** Hears why a round failed: the next one tries again. */
  protected abstract failed(error: unknown): void;

  /** Does a round after those that are under way. Never rejects. */
  round(): Promise<void> {
    this.last = this.last.then(() => this.work()).catch((error: unknown) => this.failed(error));
    return this.last;
  }

  /** Lets hits be handled between two steps of a round. Resolves to whether the round should go on. */
  protected async pause(): Promise<boolean> {
    await nextTurn();
    return !this.isStopped;
  }

  /** Resolves when the round under way has ended. */
  stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    return this.last;
  }
}
