/** Commits what needs an id that nobody had yet. */
import type { Outcome } from "../../core/outcome.ts";
import { Refusal } from "../../core/refusal.ts";
import type { LogRecord } from "../../record/record.ts";
import type { Engine } from "../engine.ts";

const attemptsMax = 100;

/**
 * Of two records of one batch with the same new id the second is "taken"; it is made again with the next id,
 * as long as `nameTaken` does not say that it is the name. Each attempt means that another one succeeded.
 */
export async function commitNew(
  engine: Engine,
  newRecord: () => LogRecord,
  nameTaken: () => boolean,
): Promise<Outcome> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const outcome = await engine.commit(newRecord());
    if (outcome !== "taken" || nameTaken()) return outcome;
  }
  throw new Refusal(500, "too many changes at once: try again", 1);
}
