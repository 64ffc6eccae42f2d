/** Turns of the event loop: long work in steps lets the thread do what else came, such as hits, between two of them. */

/** Resolves after what came meanwhile has been handled. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets those that wait go on in the order in which they came, so many in each turn. */
export class Trickle {
  private waiting: (() => void)[] = [];

  constructor(private readonly perTurn: number) {}

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(this.next);
    });
  }

  private readonly next = () => {
    for (const resolve of this.waiting.splice(0, this.perTurn)) resolve();
    if (this.waiting.length > 0) setImmediate(this.next);
  };
}
