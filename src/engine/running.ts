/**
 * The running engine: the log's time, the entry for hits and commands, checkpoints, and the stop. Nothing is applied
 * before it is durable, so a crash can take back nothing that was visible.
 */
import { join } from "node:path";
import type { Website } from "../accounts/registry.ts";
import type { Hit, HitHeaders, Sender } from "../collect/hit.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Question, Selection } from "../core/query.ts";
import { Refusal } from "../core/refusal.ts";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import type { Answer } from "../query-worker/query-worker.ts";
import type { LogRecord } from "../record/record.ts";
import type { Site } from "../store/state/site.ts";
import { Log, LogFailure, LogFull } from "../wal/log.ts";
import { Admission } from "./admission/admission.ts";
import { Checkpointer } from "./checkpoint/checkpointer.ts";
import { deletes } from "./checkpoint/deleting.ts";
import { DiskRoom } from "./disk-room.ts";
import type { Engine, EngineHealth, HitAnswer } from "./engine.ts";
import { HitIntake } from "./hit-intake.ts";
import { LogTime } from "./log-time.ts";
import { LogTrouble } from "./log-trouble.ts";
import { FactsMaker } from "./checkpoint/facts-maker.ts";
import type { Questions } from "../query-worker/questions.ts";
import { openQuestions } from "./open-questions.ts";
import type { EngineOptions, Recovered } from "./options.ts";
import { keptFromMs } from "./retention.ts";
import { RowRemoval } from "./row-removal.ts";
import type { State } from "./checkpoint/state.ts";
import { pinFiles, type PinnedFiles } from "./pinned-files.ts";
import { Upkeep } from "./upkeep.ts";
import { Watchers } from "./watchers.ts";
import { UnavailableWebsites } from "./unavailable-websites.ts";
import { storeOpener } from "./files/store-opener.ts";

/** The kinds of records that add statistics. */
const statisticKinds: ReadonlySet<LogRecord["kind"]> = new Set(["load", "unload", "event", "import"]);

export class RunningEngine implements Engine {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly demo: boolean;
  private readonly log: Log<Outcome>;
  private readonly watchers = new Watchers();
  private readonly checkpointer: Checkpointer;
  private readonly room: DiskRoom;
  private readonly questions: Questions;
  private readonly admission: Admission;
  private readonly hits: HitIntake;
  private readonly upkeep: Upkeep;
  private readonly facts: FactsMaker;
  private readonly removal: RowRemoval;
  private readonly openStore: () => void;
  private readonly time: LogTime;
  private readonly unavailable: UnavailableWebsites;
  private appliedSeq: number;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly options: EngineOptions,
    private readonly recovered: Recovered,
  ) {
    const { clock, random, logger, demo, io, folder, smallRows, nameBytes, loadsPerNetwork } = options;
    this.clock = clock;
    this.random = random;
    this.logger = logger;
    this.demo = demo;
    this.openStore = storeOpener(this.state.store, logger);
    this.time = new LogTime(clock, recovered.lastMs);
    this.unavailable = new UnavailableWebsites({ clock, logger, ...recovered });
    this.appliedSeq = recovered.position.nextSeq - 1;
    const trouble = new LogTrouble(clock, logger);
    this.log = new Log<Outcome>({
      directory: join(folder, "wal"),
      folderId: recovered.folderId,
      position: recovered.position,
      port: io.openLogPort(),
      apply: (record, seq) => this.apply(record, seq),
      onWritten: (result) => trouble.note(result),
    });
    this.checkpointer = new Checkpointer({
      io,
      folder,
      clock,
      logger,
      records: options.checkpointRecords,
      files: recovered.files,
      log: this.log,
      position: () => ({ seq: this.appliedSeq, lastMs: this.time.lastMs }),
      manifests: recovered.manifests,
      base: () => (this.state.unavailable.size > 0 ? recovered.base : undefined),
      hasNews: recovered.hasNews,
      purgeDue: recovered.purgeDue,
      onSaved: () => this.facts.update(),
    });
    const { log, checkpointer } = this;
    this.room = new DiskRoom({ ...options, log, checkpointer, files: recovered.files });
    const { registry, store } = this.state;
    const { sites } = store;
    const nowMs = () => this.nowMs();
    this.admission = new Admission({ nameBytes, loadsPerNetwork, registry, store, logger, random, nowMs });
    const isMerging = () => this.checkpointer.isMerging;
    const filesOf = (site: Site) => recovered.files.filesForFacts(site);
    this.hits = this.openHits();
    this.removal = new RowRemoval({
      store: this.state.store,
      openStore: () => this.openStore(),
      nowMs: () => this.nowMs(),
      between: (act) => this.checkpointer.between(act),
      commit: (record) => this.commit(record),
      expectRoom: () => this.room.expectToRewrite(),
      isStopping: () => this.stopped !== undefined,
    });
    this.facts = new FactsMaker({ io, folder, clock, logger, smallRows, sites, filesOf, isMerging });
    this.questions = openQuestions(options, recovered, this.facts);
    const { room, facts, questions } = this;
    const commit = (record: LogRecord) => this.commit(record);
    const upkeep = { engine: options, recovered, checkpointer, room, facts, questions, nowMs, commit };
    this.upkeep = new Upkeep(upkeep);
    this.facts.update();
  }

  private get state(): State {
    return this.recovered.state;
  }

  get registry() {
    return this.state.registry;
  }

  nowMs(): number {
    return this.time.nowMs();
  }

  keptFromMs(): number {
    const { retentionMonths } = this.options;
    return retentionMonths === undefined ? 0 : keptFromMs(this.nowMs(), retentionMonths);
  }

  hit(hit: Hit, headers: HitHeaders, sender: Sender): Promise<HitAnswer> {
    return this.hits.take(hit, headers, sender);
  }

  malformed(url: unknown): void {
    this.hits.malformed(url);
  }

  rejectionsOf(websiteId: number) {
    return this.hits.rejectionsOf(websiteId);
  }

  get unknownHostnames() {
    return this.hits.rejections.unknownHostnames;
  }

  hidingProxyOf(website: Website) {
    return this.admission.visits.proxyOf(website);
  }

  async commit(record: LogRecord): Promise<Outcome> {
    if (this.stopped !== undefined) throw new Refusal(500, "the server is stopping");
    if (statisticKinds.has(record.kind) && this.room.isLow) throw new Refusal(500, "the disk is nearly full");
    this.unavailable.expectToTake(record);
    if (statisticKinds.has(record.kind)) this.openStore();
    try {
      if (record.kind === "import") return await this.log.append(this.admission.admitPast(record));
      // A checkpoint under way would speak of the files of chunks that are no more.
      if (record.kind === "monthsDropped")
        return await this.checkpointer.between(() => this.log.append(record));
      return await this.log.append(record);
    } catch (error) {
      if (error instanceof LogFull) throw new Refusal(500, "the server is overloaded: try again", 1);
      if (!(error instanceof LogFailure)) throw error;
      throw new Refusal(500, "the server could not store this: try again", 5);
    }
  }

  isAvailable(websiteId: number): boolean {
    return !this.unavailable.has(websiteId);
  }

  site(websiteId: number): Site | undefined {
    this.unavailable.expectNot(websiteId);
    return this.state.store.sites.get(websiteId);
  }

  async ask(websiteId: number, question: Question, signal?: AbortSignal): Promise<Answer> {
    this.unavailable.expectNot(websiteId);
    return this.questions.ask(websiteId, question, signal);
  }

  watch(websiteId: number, onChange: () => void): () => void {
    return this.watchers.add(websiteId, onChange);
  }

  async removeRows(websiteId: number, selection: Selection, isDryRun: boolean) {
    this.unavailable.expectNot(websiteId);
    return this.removal.run(websiteId, selection, isDryRun);
  }

  purge(): Promise<void> {
    this.unavailable.tellOfDeletion();
    return this.checkpointer.purge();
  }

  /** Pins the files with everything that was ever acknowledged. Throws DiskError. */
  pinFiles(): PinnedFiles {
    return pinFiles(this.options.io.disk, this.options.folder, this.checkpointer, this.log.end);
  }

  health(): EngineHealth {
    const { io, folder } = this.options;
    return {
      records: this.appliedSeq,
      freeBytes: io.disk.freeBytes(folder),
      takesHits: this.stopped === undefined && !this.room.isLow,
      unavailableWebsites: this.state.unavailable.size,
    };
  }

  /** Asserts every invariant of the state. */
  check(): void {
    this.state.check();
  }

  stop(): Promise<void> {
    this.stopped ??= this.finish();
    return this.stopped;
  }

  private apply(record: LogRecord, seq: number): Outcome {
    assert(seq === this.appliedSeq + 1, `record ${seq} follows ${this.appliedSeq}`);
    this.appliedSeq = seq;
    this.time.note(record.timeMs);
    const outcome = this.state.apply(record);
    this.hits.noteUnfound();
    if ("websiteId" in record && outcome === "done") this.watchers.call(record.websiteId);
    this.checkpointer.applied(record);
    if (deletes(record)) this.questions.forgetGone();
    return outcome;
  }

  private openHits(): HitIntake {
    const { registry, store } = this.state;
    return new HitIntake({
      registry,
      store,
      admission: this.admission,
      nowMs: () => this.nowMs(),
      openStore: () => this.openStore(),
      commit: (record) => this.commit(record),
      // Also while the server stops.
      log: (record) => this.log.append(record),
    });
  }

  private async finish(): Promise<void> {
    this.questions.stop();
    this.facts.stop();
    await this.upkeep.stop();
    this.admission.visits.stop();
    await this.hits.rejections.stop();
    await this.checkpointer.finish();
    try {
      await this.log.append({ kind: "closed", timeMs: this.nowMs() });
    } catch (error) {
      this.logger.error("the final record of the log could not be written", { error: String(error) });
    } finally {
      await this.log.close();
      this.recovered.lock.release();
    }
  }
}
