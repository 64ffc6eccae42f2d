/** A broken invariant. It is a bug and ends the process; the next start recovers the data from the log. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
