/**
 * Work that goes one after the other, in the order it came. Bun hashes passwords on the threads that also
 * sync files: fifty at a time delay a sync by seconds, one at a time does not.
 */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private pending = 0;
  /** By origin; only those above 0. */
  private readonly pendingOf = new Map<string, number>();

  /** How many are at work or wait. */
  get size(): number {
    return this.pending;
  }

  /** How many of them `origin` has. */
  sizeOf(origin: string): number {
    return this.pendingOf.get(origin) ?? 0;
  }

  /** What `work` returns or throws, once those before it are done. `origin`: who has it done, where that counts. */
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
