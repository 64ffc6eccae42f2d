/** The work that is done now and then beside the hits: dropping old months, folding rare names, looking for damage. */
import type { Outcome } from "../core/outcome.ts";
import type { LogRecord } from "../record/record.ts";
import type { Questions } from "../query-worker/questions.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import type { FactsMaker } from "./checkpoint/facts-maker.ts";
import type { DiskRoom } from "./disk-room.ts";
import { NameFolding } from "./folding.ts";
import type { EngineOptions, Recovered } from "./options.ts";
import { Retention } from "./retention.ts";
import { Scrubber } from "./scrubber.ts";

export interface UpkeepOptions {
  readonly engine: EngineOptions;
  readonly recovered: Recovered;
  readonly checkpointer: Checkpointer;
  readonly room: DiskRoom;
  readonly facts: FactsMaker;
  readonly questions: Questions;
  /** The log's time. */
  readonly nowMs: () => number;
  readonly commit: (record: LogRecord) => Promise<Outcome>;
}

export class Upkeep {
  readonly folding: NameFolding;
  readonly scrubber: Scrubber;
  private readonly retention: Retention | undefined;

  constructor(private readonly options: UpkeepOptions) {
    this.retention = this.startRetention();
    this.folding = this.startFolding();
    this.scrubber = this.startScrubber();
  }

  /** Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.scrubber.stop();
    await this.retention?.stop();
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

  private startScrubber(): Scrubber {
    const { engine, recovered, checkpointer, facts, questions } = this.options;
    const { io, folder, clock, logger } = engine;
    const { files, folderId, state } = recovered;
    const onFacts = (file: string) => facts.discarded(file);
    const onDamage = () => questions.startAnew();
    const isLogKept = () => state.unavailable.size > 0;
    const own = { io, folder, folderId, clock, logger, files, checkpointer };
    return new Scrubber({ ...own, isLogKept, onFacts, onDamage });
  }
}
