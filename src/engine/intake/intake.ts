/**
 * The part of an engine that works only where records are appended: the way in for hits, which has open visits, budgets and
 * counts in memory only, and upkeep that is decided by time and logged. A node that follows another one has it idle.
 */
import { Admission } from "../admission/admission.ts";
import { HitIntake, type HitIntakeOptions } from "./hit-intake.ts";
import { MonthImport } from "./month-import.ts";
import { Upkeep } from "../upkeep/upkeep.ts";
import type { EngineParts } from "../upkeep/engine-parts.ts";

export type IntakeOptions = EngineParts & Omit<HitIntakeOptions, "admission" | "registry" | "store">;

export class Intake {
  readonly admission: Admission;
  readonly hits: HitIntake;
  readonly monthImport: MonthImport;
  private readonly upkeep: Upkeep | undefined;

  constructor(options: IntakeOptions, isIdle: boolean) {
    const { engine, recovered, checkpointer, nowMs } = options;
    const { registry, store } = recovered.state;
    const onFull = () => void checkpointer.soon();
    this.admission = new Admission({ ...engine, registry, store, nowMs, onFull });
    this.hits = new HitIntake({ ...options, registry, store, admission: this.admission });
    // A replay counted what was refused before, and a node that follows is told by the log.
    store.early.onRefused = (websiteId, reason) => {
      if (!isIdle) this.hits.rejections.note(websiteId, reason);
    };
    this.monthImport = new MonthImport(options, this.admission.names, options.keptFromMs);
    this.upkeep = isIdle ? undefined : new Upkeep(options);
  }

  /** Resolves when the work under way has ended, and what was counted is logged, if it can be. */
  async stop(): Promise<void> {
    this.monthImport.stop();
    await this.upkeep?.stop();
    this.admission.visits.stop();
    await this.hits.rejections.stop();
  }
}
