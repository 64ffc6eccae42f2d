/**
 * Memory that two threads share. By it the one that takes hits tells the one that answers, in the midst of its work, what no
 * message can.
 */

/** The index of the page for which nobody waits any more. */
const cancelled = 0;
/** The index of 1 while a request is on its way, and else 0. */
const waiting = 1;

export class Signals {
  /** `memory`: that of the other thread's; by default new. */
  constructor(readonly memory: Int32Array = new Int32Array(new SharedArrayBuffer(8))) {}

  /** Says that nobody waits for the page any more. */
  cancel(page: number): void {
    Atomics.store(this.memory, cancelled, page);
  }

  isCancelled(page: number): boolean {
    return Atomics.load(this.memory, cancelled) === page;
  }

  /** Whether a request is on its way. */
  get requestWaits(): boolean {
    return Atomics.load(this.memory, waiting) === 1;
  }

  set requestWaits(waits: boolean) {
    Atomics.store(this.memory, waiting, waits ? 1 : 0);
  }
}
