/** Waits for the end of a removal, and tells the person who asked for it if the disk fails. */
import { Refusal } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";

/**
 * Resolves when no file contains the removed data any more. Throws Refusal 500 if the disk fails; the engine keeps
 * trying.
 */
export async function purge(engine: Engine): Promise<void> {
  try {
    await engine.purge();
  } catch {
    // The log of the server says why.
    throw new Refusal(
      500,
      "it was removed, but some of its files could not be deleted yet: the server keeps trying",
    );
  }
}
