/**
 * The running engine: the log's time, the entry for hits and commands, checkpoints, and the stop. Nothing is applied
 * before it is durable, so a crash can take back nothing that was visible.
 */
import type { Registry, Website } from "../accounts/registry/registry.ts";
import type { Outcome } from "../core/outcome.ts";
import { Refusal } from "../core/refusal.ts";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import type { Answer } from "../query-worker/answer.ts";
import { asLogged } from "../record/codec.ts";
import type { LogRecord, NewRecord } from "../record/record.ts";
import { addsStatistics, deletes, deletesStatistics } from "../record/traits.ts";
import type { Site } from "../store/state/site.ts";
import type { Log } from "../wal/log.ts";
import type { ReadBatch } from "../wal/log-store.ts";
import { Checkpointer } from "./checkpoint/checkpointer.ts";
import { SpacedPurges } from "./checkpoint/spaced-purges.ts";
import { DiskRoom } from "./log/disk-room.ts";
import type { Engine, EngineHealth } from "./engine.ts";
import { EngineMetrics } from "./engine-metrics.ts";
import { Intake } from "./intake/intake.ts";
import { isTooEarly } from "./log/early-clock.ts";
import { LogTime } from "./log/log-time.ts";
import { FactsMaker } from "./checkpoint/facts-maker.ts";
import type { Questions } from "../query-worker/questions.ts";
import { openQuestions } from "./open-questions.ts";
import type { EngineOptions, Recovered } from "./options/options.ts";
import { keptFromMs } from "./upkeep/retention.ts";
import { RowRemoval } from "./row-removal.ts";
import type { State } from "./checkpoint/state.ts";
import { pinFiles, type PinnedFiles } from "./pinned-files.ts";
import { openLog, refusalOf, type OpenedLog } from "./log/open-log.ts";
import { Scrubber } from "./scrubber.ts";
import { Watchers } from "./watchers.ts";
import { UnavailableWebsites } from "./unavailable-websites.ts";
import { hasRoom } from "./files/awaited-files.ts";
import { storeOpener } from "./files/store-opener.ts";

export class RunningEngine implements Engine {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly demo: boolean;
  readonly registry: Registry;
  private readonly state: State;
  private readonly log: Log<Outcome>;
  private readonly opened: OpenedLog;
  private readonly watchers = new Watchers();
  private readonly metrics = new EngineMetrics();
  private readonly checkpointer: Checkpointer;
  readonly purges: SpacedPurges;
  private readonly room: DiskRoom;
  private readonly questions: Questions;
  private intake: Intake;
  /** Whether this engine appends to its log: of the nodes of a cluster, one does. */
  isAppending: boolean;
  private readonly scrubber: Scrubber;
  private readonly facts: FactsMaker;
  private readonly removal: RowRemoval;
  private readonly openStore: () => void;
  readonly offUntilMs = () => this.time.offUntilMs;
  /** A node was apart from the log of its cluster for so long, and has all of it again. */
  readonly noteApart = (ms: number) => this.time.noteApart(ms);
  private readonly time: LogTime;
  private readonly unavailable: UnavailableWebsites;
  /** The last record that is applied. */
  appliedSeq: number;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly options: EngineOptions,
    private readonly recovered: Recovered,
  ) {
    const { clock, random, logger, demo, shared } = options;
    this.clock = clock;
    this.random = random;
    this.logger = logger;
    this.demo = demo;
    this.state = recovered.state;
    this.registry = recovered.state.registry;
    this.openStore = storeOpener(this.state.store, logger);
    // A node of a cluster follows until it is told to append.
    this.isAppending = shared === undefined;
    this.time = new LogTime(clock, recovered.lastMs, logger);
    this.unavailable = new UnavailableWebsites({ clock, logger, ...recovered });
    this.appliedSeq = recovered.position.nextSeq - 1;
    const onSegmentGone = (error: string) => this.scrubber.leaveLog(error);
    const told = { metrics: this.metrics, onSegmentGone };
    this.opened = openLog(options, recovered, told, this.apply.bind(this));
    const log = (this.log = this.opened.log);
    const checkpointer = (this.checkpointer = new Checkpointer({
      ...options,
      ...recovered,
      records: options.checkpointRecords,
      log,
      incarnation: shared?.incarnation,
      appends: () => this.isAppending,
      position: () => ({ seq: this.appliedSeq, lastMs: this.time.lastMs }),
      base: () => (this.state.unavailable.size > 0 ? recovered.base : undefined),
      onTaken: (outcome, tookMs) => this.metrics.noteCheckpoint(outcome, tookMs),
      onSaved: () => this.facts.update(),
    }));
    this.purges = new SpacedPurges(clock, () => checkpointer.purge());
    this.room = new DiskRoom({ ...options, log, checkpointer, files: recovered.files });
    this.removal = new RowRemoval({ ...this.parts(), isStopping: () => this.stopped !== undefined });
    const isMerging = () => checkpointer.isMerging;
    const filesOf = (site: Site) => recovered.files.filesForFacts(site);
    this.facts = new FactsMaker({ ...options, sites: this.state.store.sites, filesOf, isMerging });
    this.questions = openQuestions(options, recovered, this.facts);
    this.scrubber = new Scrubber(options, recovered, checkpointer, this.facts, this.questions);
    this.intake = this.openIntake();
    if (!this.isAppending) void this.log.end();
    this.facts.update();
  }

  /** Begins to append: everything in the log is applied, and nobody else appends any more. */
  beginAppending(): void {
    assert(!this.isAppending, "it follows");
    this.isAppending = true;
    this.log.begin();
    this.intake = this.openIntake();
  }

  /**
   * Appends no more. Resolves when what was under way is applied or has failed; then the engine may follow. `inOrder`:
   * what was counted is logged first; false if another node appends already.
   */
  async endAppending(inOrder = false): Promise<void> {
    const { intake } = this;
    if (this.isAppending) {
      if (inOrder) await intake.stop();
      this.isAppending = false;
      this.intake = this.openIntake();
      if (!inOrder) void intake.stop();
    }
    await this.log.end();
  }

  /** Applies a batch that another node appended; the place behind it is that of the next checkpoint. */
  async follow(batch: ReadBatch): Promise<void> {
    this.time.noteOther(batch.records.at(-1)?.timeMs ?? 0);
    const isRoom = hasRoom(this.options, this.checkpointer, this.log);
    if (isRoom && !batch.records.some(deletesStatistics)) this.log.follow(batch);
    // A checkpoint under way would speak of the files of chunks that are no more.
    else await this.checkpointer.between(async () => this.log.follow(batch));
    if (batch.records.some(deletesStatistics)) this.purges.ask().catch(() => {});
  }

  nowMs(): number {
    return this.time.nowMs();
  }

  keptFromMs(): number {
    return keptFromMs(this.nowMs(), this.options.retentionMonths);
  }

  get hits() {
    return this.intake.hits;
  }

  hidingProxyOf(website: Website) {
    return this.intake.admission.visits.proxyOf(website);
  }

  get monthImport() {
    return this.intake.monthImport;
  }

  async commit(given: NewRecord): Promise<Outcome> {
    if (this.stopped !== undefined) throw new Refusal(500, "the server is stopping");
    const record = "timeMs" in given ? (given as LogRecord) : { ...given, timeMs: this.nowMs() };
    if (!this.isAppending && this.options.logElsewhere) return this.options.logElsewhere(record);
    if (addsStatistics(record) && this.room.isLow) throw new Refusal(500, "the disk is nearly full");
    this.unavailable.expectToTake(record);
    if (addsStatistics(record)) this.openStore();
    try {
      if (record.kind === "import") return await this.log.append(this.intake.admission.admitPast(record));
      return await this.log.append(addsStatistics(record) ? record : asLogged(record));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  isAvailable(websiteId: number): boolean {
    return !this.unavailable.has(websiteId);
  }

  site(websiteId: number): Site | undefined {
    this.unavailable.expectNot(websiteId);
    return this.state.store.sites.get(websiteId);
  }

  async ask(...asked: Parameters<Engine["ask"]>): Promise<Answer> {
    this.unavailable.expectNot(asked[0]);
    return this.questions.ask(...asked);
  }

  watch(websiteId: number, onChange: () => void): () => void {
    return this.watchers.add(websiteId, onChange);
  }

  async removeRows(...asked: Parameters<Engine["removeRows"]>) {
    this.unavailable.expectNot(asked[0]);
    return this.removal.run(...asked);
  }

  purge(): Promise<void> {
    this.unavailable.tellOfDeletion();
    return this.purges.ask();
  }

  /** Pins the files with everything that was ever acknowledged. Rejects with DiskError. */
  async pinFiles(): Promise<PinnedFiles> {
    const { io, folder } = this.options;
    return pinFiles(io.disk, folder, this.checkpointer, this.opened, this.room);
  }

  health(): EngineHealth {
    const room = this.room.report;
    const isOpen = this.stopped === undefined;
    const isFailing = isOpen && this.isAppending && this.opened.isFailing(() => this.nowMs());
    return {
      ...room,
      records: this.appliedSeq,
      takesHits: isOpen && room.hasRoom && !isFailing && !isTooEarly(this.clock.nowMs()),
      unavailableWebsites: this.state.unavailable.size,
    };
  }

  metricLines(): string[] {
    const { log, checkpointer, intake, state, options } = this;
    return this.metrics.lines(log, checkpointer, [intake.admission.names, state.store.early, options.memory]);
  }

  /** Asserts every invariant of the state. */
  check(): void {
    this.state.check();
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.finish());
  }

  private apply(record: LogRecord, seq: number): Outcome {
    assert(seq === this.appliedSeq + 1, `record ${seq} follows ${this.appliedSeq}`);
    this.appliedSeq = seq;
    this.time.note(record.timeMs);
    const outcome = this.state.apply(record);
    // A hit may name its website only by its page view, which takes a search.
    if (outcome === "done" && this.watchers.size > 0) this.watchers.call(this.state.websiteOf(record));
    this.checkpointer.applied(record);
    if (deletes(record)) this.questions.forgetGone();
    return outcome;
  }

  private openIntake(): Intake {
    // Counts are logged also while the server stops.
    const log = (record: LogRecord) => this.log.append(record);
    const options = { ...this.parts(), keptFromMs: () => this.keptFromMs(), log };
    return new Intake(options, !this.isAppending);
  }

  /** The parts of this engine, and the ways by which everything gets into its log. */
  private parts() {
    const { options: engine, recovered, checkpointer, room } = this;
    return {
      ...{ engine, recovered, checkpointer, room },
      nowMs: () => this.nowMs(),
      openStore: () => this.openStore(),
      commit: (record: NewRecord) => this.commit(record),
    };
  }

  private async finish(): Promise<void> {
    for (const work of [this.questions, this.facts, this.scrubber, this.recovered.trusted]) work?.stop();
    await this.intake.stop();
    this.purges.stop();
    await this.checkpointer.finish();
    await this.opened.close(this.nowMs());
    this.recovered.hold.release();
  }
}
