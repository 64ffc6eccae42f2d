/** Catches the Refusal of a use case, so that a test can look at its code and its words. */
import { Refusal } from "../../src/core/refusal.ts";

/** The Refusal that `work` throws or rejects with; anything else fails the test. */
export async function refusalOf(work: () => unknown): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("expected a Refusal, got a result");
}
