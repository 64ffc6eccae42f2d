/** The work that is done now and then beside the hits, and logged: dropping old months, reducing them, folding rare names. */
import type { Outcome } from "../core/outcome.ts";
import type { LogRecord } from "../record/record.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import type { DiskRoom } from "./disk-room.ts";
import { NameFolding } from "./upkeep/folding.ts";
import type { EngineOptions, Recovered } from "./options.ts";
import { Reduction } from "./upkeep/reduction.ts";
import { Retention } from "./upkeep/retention.ts";

export interface UpkeepOptions {
  readonly engine: EngineOptions;
  readonly recovered: Recovered;
  readonly checkpointer: Checkpointer;
  readonly room: DiskRoom;
  /** The log's time. */
  readonly nowMs: () => number;
  readonly commit: (record: LogRecord) => Promise<Outcome>;
}

export class Upkeep {
  readonly folding: NameFolding;
  readonly reduction: Reduction | undefined;
  private readonly retention: Retention | undefined;

  constructor(private readonly options: UpkeepOptions) {
    this.retention = this.startRetention();
    this.reduction = this.startReduction();
    this.folding = this.startFolding();
  }

  /** Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    await this.retention?.stop();
    await this.reduction?.stop();
    await this.folding.stop();
  }

  private startRetention(): Retention | undefined {
    const { engine, recovered, room, checkpointer, nowMs, commit } = this.options;
    const { clock, logger, retentionMonths } = engine;
    if (retentionMonths === undefined) return undefined;
    const { store } = recovered.state;
    return new Retention({
      months: retentionMonths,
      clock,
      logger,
      hasMonthsBefore: (monthMs) => store.hasMonthsBefore(monthMs),
      prepareDrop: (monthMs) => {
        room.expectToRewrite();
        return store.readWhatStays(monthMs);
      },
      nowMs,
      commit,
      purge: () => checkpointer.purge(),
    });
  }

  private startReduction(): Reduction | undefined {
    const { engine, recovered, room, checkpointer, nowMs, commit } = this.options;
    const { clock, logger, io, folder, rowsMonths } = engine;
    if (rowsMonths === undefined) return undefined;
    const { state, files } = recovered;
    return new Reduction({
      months: rowsMonths,
      clock,
      logger,
      sites: state.store.sites,
      isAvailable: (websiteId) => !state.unavailable.has(websiteId),
      jobOf: (site, monthMs) => {
        const found = files.filesToReduce(site, monthMs);
        const goals = state.registry.websites.get(site.websiteId)?.goals.list ?? [];
        return found && { folder, ...found, targets: goals.map(({ target }) => target) };
      },
      reduce: (job) => io.reduceMonth(job),
      expectRoom: (bytes) => room.expectFree(bytes, "giving up rows", "to write the facts of a month"),
      nowMs,
      between: (act) => checkpointer.between(act),
      commit,
      purge: () => checkpointer.purge(),
    });
  }

  private startFolding(): NameFolding {
    const { engine, recovered, checkpointer, nowMs, commit } = this.options;
    const { store } = recovered.state;
    return new NameFolding({
      bytes: engine.nameBytes,
      sites: store.sites,
      logger: engine.logger,
      nowMs,
      hashOf: (name) => store.beacons.hashOf(name),
      between: (act) => checkpointer.between(act),
      commit,
      purge: () => checkpointer.purge(),
    });
  }
}
