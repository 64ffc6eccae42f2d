/** The work that is done now and then beside the hits, and logged: dropping old months, reducing them, folding rare names. */
import { NameFolding } from "./folding.ts";
import { Reduction } from "./reduction.ts";
import { Retention } from "./retention.ts";
import type { EngineParts } from "./engine-parts.ts";

export class Upkeep {
  readonly folding: NameFolding;
  readonly reduction?: Reduction;
  readonly retention?: Retention;

  constructor(options: EngineParts) {
    const { retentionMonths, rowsMonths } = options.engine;
    const { trusted } = options.recovered;
    // It is there where something waits for it.
    if (trusted !== undefined && retentionMonths !== undefined)
      this.retention = new Retention(options, retentionMonths, trusted);
    if (trusted !== undefined && rowsMonths !== undefined)
      this.reduction = new Reduction(options, rowsMonths, trusted);
    this.folding = new NameFolding(options);
  }

  /** Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    await this.retention?.stop();
    await this.reduction?.stop();
    await this.folding.stop();
  }
}
