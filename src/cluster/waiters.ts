/** Keeps the callers that wait until something is true, each for a while at most. */

interface Waiter {
  readonly isTrue: () => boolean;
  readonly resolve: (came: boolean) => void;
}

export class Waiters {
  private readonly waiting = new Set<Waiter>();

  /** Resolves to whether it came true within this many milliseconds; asked now, and at each `check`. */
  until(isTrue: () => boolean, withinMs: number): Promise<boolean> {
    if (isTrue()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(waiter, isTrue()), Math.max(0, withinMs));
      const settled = (came: boolean) => {
        clearTimeout(timer);
        resolve(came);
      };
      const waiter = { isTrue, resolve: settled };
      this.waiting.add(waiter);
    });
  }

  check(): void {
    for (const waiter of this.waiting) if (waiter.isTrue()) this.settle(waiter, true);
  }

  private settle(waiter: Waiter, came: boolean): void {
    this.waiting.delete(waiter);
    waiter.resolve(came);
  }
}
