/** The work that is done now and then beside the hits, and logged: dropping old months, reducing them, folding rare names. */
import type { Outcome } from "../../core/outcome.ts";
import type { LogRecord } from "../../record/record.ts";
import type { Checkpointer } from "../checkpoint/checkpointer.ts";
import type { DiskRoom } from "../log/disk-room.ts";
import { NameFolding } from "./folding.ts";
import type { EngineOptions, Recovered } from "../options/options.ts";
import { Reduction } from "./reduction.ts";
import { Retention } from "./retention.ts";
import { hasMonthsBefore, monthsFrom } from "../../store/state/rebuilding/drop.ts";

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
  readonly retention: Retention | undefined;

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
    const { trusted } = recovered;
    if (retentionMonths === undefined || trusted === undefined) return undefined;
    const { store } = recovered.state;
    const { chunks } = recovered.files;
    return new Retention({
      months: retentionMonths,
      clock,
      trusted,
      logger,
      hasMonthsBefore: (monthMs) => store.hasMonthsBefore(monthMs),
      *prepareDrop(monthMs) {
        const kept = monthsFrom(monthMs);
        const sites = store.sites.values().filter((site) => hasMonthsBefore(site, monthMs));
        for (const site of [...sites]) {
          yield* store.readWhatStays(site, kept);
          yield* chunks.compareToRewrite(site, kept);
        }
      },
      canRewrite: () => room.canRewriteAll,
      nowMs,
      between: (act) => checkpointer.between(act),
      commit,
      purge: () => checkpointer.purge(),
    });
  }

  private startReduction(): Reduction | undefined {
    const { engine, recovered, room, checkpointer, nowMs, commit } = this.options;
    const { clock, logger, io, folder, rowsMonths } = engine;
    const { trusted } = recovered;
    if (rowsMonths === undefined || trusted === undefined) return undefined;
    const { state, files } = recovered;
    return new Reduction({
      months: rowsMonths,
      clock,
      trusted,
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
      save: () => checkpointer.make(),
    });
  }

  private startFolding(): NameFolding {
    const { engine, recovered, room, checkpointer, nowMs, commit } = this.options;
    const { store, registry } = recovered.state;
    return new NameFolding({
      bytes: engine.nameBytes,
      sites: store.sites,
      compare: (site) => recovered.files.chunks.compareToRewrite(site),
      expectRoom: (websiteIds) =>
        room.expectToRewrite(websiteIds, "folding rare names", "to write the website again"),
      ownerOf: (websiteId) => registry.ownerOf(websiteId),
      logger: engine.logger,
      nowMs,
      hashOf: (name) => store.beacons.hashOf(name),
      between: (act) => checkpointer.between(act),
      commit,
      purge: () => checkpointer.purge(),
    });
  }
}
