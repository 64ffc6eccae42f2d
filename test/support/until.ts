/** Waits until a condition is true, however busy the machine is, and never for a fixed time. */

/** Nothing that comes at all takes so long. */
const patienceMs = 60_000;
/**
 * The pauses between two looks grow by one up to this: most conditions hold within the first. A look is often a question
 * to a server or to a page, and looking without a pause takes the processor from what is waited for.
 */
const pauseMsMax = 25;

/** Until `condition` holds; one that throws does not hold yet. Throws that `what` never came true, and why. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string),
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  for (let looks = 1; ; looks++) {
    let cause: unknown;
    try {
      if (await condition()) return;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > endMs)
      throw new Error(`never: ${typeof what === "string" ? what : what()}`, { cause });
    await Bun.sleep(Math.min(looks, pauseMsMax));
  }
}
