/**
 * Work that goes one after the other, in the order it came. Bun hashes passwords on the threads that also
 * sync files: fifty at a time delay a sync by seconds, one at a time does not.
 */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private pending = 0;

  /** How many are at work or wait. */
  get size(): number {
    return this.pending;
  }

  /** What `work` returns or throws, once those before it are done. */
  take<T>(work: () => T | Promise<T>): Promise<T> {
    this.pending++;
    const turn = this.last.then(work).finally(() => this.pending--);
    this.last = turn.catch(() => {});
    return turn;
  }
}
