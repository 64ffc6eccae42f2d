/** Turns of the event loop: long work in steps lets the thread do what else came, such as hits, between two of them. */

/** Resolves after what came meanwhile has been handled. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
