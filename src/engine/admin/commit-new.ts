/** Commits records that need an id which nobody had yet. */
import type { Outcome } from "../../core/outcome.ts";
import { Refusal } from "../../core/refusal.ts";
import type { NewRecord } from "../../record/record.ts";
import type { Engine } from "../engine.ts";

const attemptsMax = 100;

/**
 * Commits a record with a new id. If two records of one batch have the same new id, the second is "taken". It is made
 * again with the next id, unless `nameTaken` says that the name was taken. Each attempt means that another one
 * succeeded.
 */
export async function commitNew(
  engine: Engine,
  newRecord: () => NewRecord,
  nameTaken: () => boolean,
): Promise<Outcome> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const outcome = await engine.commit(newRecord());
    if (outcome !== "taken" || nameTaken()) return outcome;
  }
  throw new Refusal(500, "too many changes at once: try again", 1);
}
