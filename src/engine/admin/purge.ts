/** What a removal waits for, and what whoever asked for it is told where the disk refuses. */
import { Refusal } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";

/** Resolves when what was removed is in no file any more. Refusal 500 where the disk refuses; the engine goes on trying. */
export async function purge(engine: Engine): Promise<void> {
  try {
    await engine.purge();
  } catch {
    // The log of the server says why.
    throw new Refusal(500, "it was removed, but the disk still holds files of it: the server goes on trying");
  }
}
