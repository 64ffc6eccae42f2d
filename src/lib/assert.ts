/** A broken invariant is a bug: it ends the process, and recovery proves itself at the next start. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
