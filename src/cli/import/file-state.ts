/** How far a file was imported before. */
import { Refusal } from "../../core/refusal.ts";
import type { ImportState } from "../control/control-entries.ts";

export function changed({ position }: Pick<ImportState, "position">): Refusal {
  return new Refusal(
    409,
    `the first line is that of a file imported before (${position} bytes), but the file is shorter or those ` +
      "bytes changed: nothing was imported",
  );
}
