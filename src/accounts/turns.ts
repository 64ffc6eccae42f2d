/**
 * Runs tasks one after the other, in the order in which they came. Bun hashes passwords on the threads that also sync
 * files: fifty hashes at a time delay a sync by seconds, one at a time does not.
 */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private pending = 0;
  /** The number of pending tasks by origin; only origins with more than 0. */
  private readonly pendingOf = new Map<string, number>();

  /** The number of tasks that run or wait. */
  get size(): number {
    return this.pending;
  }

  /** The number of these tasks that `origin` has. */
  sizeOf(origin: string): number {
    return this.pendingOf.get(origin) ?? 0;
  }

  /**
   * Runs `work` once the tasks before it are done, and returns what it returns or throws. `origin`: whose task it is,
   * if that counts.
   */
  take<T>(work: () => T | Promise<T>, origin?: string): Promise<T> {
    this.add(1, origin);
    const turn = this.last.then(work).finally(() => this.add(-1, origin));
    this.last = turn.catch(() => {});
    return turn;
  }

  private add(change: 1 | -1, origin: string | undefined): void {
    this.pending += change;
    if (origin === undefined) return;
    const left = this.sizeOf(origin) + change;
    if (left > 0) this.pendingOf.set(origin, left);
    else this.pendingOf.delete(origin);
  }
}
