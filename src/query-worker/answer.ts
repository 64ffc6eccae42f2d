/** The answer to a question, as it goes from one thread to another. */
import type { Reach } from "../query/answers/reach.ts";

/** An answer as JSON or CSV, and a description of the work it took, for `Server-Timing`. */
export interface Answer {
  /** Empty where the question asks for CSV. */
  readonly json: string;
  readonly csv?: string;
  /** The lines of an export, which stand beside the JSON. */
  readonly bytes?: Uint8Array;
  readonly timing: string;
  /** Whether some figures are close to the right ones, and not exact. */
  readonly isApproximate: boolean;
  readonly reach: Reach;
}
