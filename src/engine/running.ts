/**
 * The engine while it runs: the log's time, the way in for hits and commands, checkpoints, and the stop.
 * Nothing is applied before it is durable, so nothing visible can be taken back by a crash.
 */
import { join } from "node:path";
import { Collector } from "../collect/fact.ts";
import type { Hit, HitHeaders } from "../collect/hit.ts";
import type { Outcome } from "../core/outcome.ts";
import { Refusal, shown } from "../core/refusal.ts";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import type { Lock } from "../lib/lock.ts";
import type { Logger } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import type { LogRecord } from "../record/record.ts";
import type { Manifest } from "../snapshot/manifest.ts";
import { removeOthers } from "../snapshot/write.ts";
import type { Site } from "../store/site.ts";
import { Log, LogFull, type LogPosition } from "../wal/log.ts";
import { removeSegmentsBefore } from "../wal/recovery.ts";
import type { CheckpointFiles } from "./checkpoint.ts";
import type { Engine, HitAnswer } from "./engine.ts";
import type { EngineIo } from "./io.ts";
import type { State } from "./state.ts";

/** A checkpoint is due after this much log, or so many records. */
const checkpointBytes = 64 * 1024 * 1024;
/** Log time falls by less than this only in appearance: it stands still. A larger step back is believed. */
const clampedStepMs = 5_000;
/** Free space below which hits are refused, so that the checkpoint that frees the log still fits. */
const freeBytesMin = 32 * 1024 * 1024;

export interface EngineOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly demo: boolean;
  readonly io: EngineIo;
  readonly checkpointRecords: number;
}

export interface Recovered {
  readonly lock: Lock;
  readonly folderId: Uint8Array;
  readonly state: State;
  readonly files: CheckpointFiles;
  /** Kept checkpoints, oldest first. */
  readonly manifests: readonly Manifest[];
  readonly position: LogPosition;
  /** The greatest time of a record; 0 for none. */
  readonly lastMs: number;
  /** Something was deleted since the last checkpoint: older files still have it. */
  readonly purgeDue: boolean;
}

export class RunningEngine implements Engine {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly demo: boolean;
  private readonly state: State;
  private readonly log: Log<Outcome>;
  private readonly collector = new Collector();
  private readonly watchers = new Map<number, Set<() => void>>();
  private manifests: readonly Manifest[];
  private appliedSeq: number;
  private lastMs: number;
  private checkpointAt: { seq: number; bytes: number };
  /** Size of the last checkpoint's new files: what the next one may need. */
  private checkpointSize = 0;
  /** The checkpoint under way and those that wait for it. */
  private checkpoints: Promise<void> = Promise.resolve();
  private checkpointWaits = false;
  /** The next checkpoint must be the only one, because something was deleted that older files still have. */
  private purgeDue: boolean;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly options: EngineOptions,
    private readonly recovered: Recovered,
  ) {
    const { clock, random, logger, demo, io, folder } = options;
    this.clock = clock;
    this.random = random;
    this.logger = logger;
    this.demo = demo;
    this.state = recovered.state;
    this.manifests = recovered.manifests;
    this.lastMs = recovered.lastMs;
    this.purgeDue = recovered.purgeDue;
    this.appliedSeq = recovered.position.nextSeq - 1;
    this.checkpointAt = { seq: (recovered.manifests.at(-1) as Manifest).seq, bytes: 0 };
    this.log = new Log<Outcome>({
      directory: join(folder, "wal"),
      folderId: recovered.folderId,
      position: recovered.position,
      port: io.openLogPort(),
      apply: (record, seq) => this.apply(record, seq),
    });
    if (this.purgeDue) this.checkpointInBackground();
  }

  get registry() {
    return this.state.registry;
  }

  nowMs(): number {
    const wallMs = this.clock.nowMs();
    const fallen = this.lastMs - wallMs;
    this.lastMs = fallen > 0 && fallen < clampedStepMs ? this.lastMs : wallMs;
    return this.lastMs;
  }

  async hit(hit: Hit, headers: HitHeaders): Promise<HitAnswer> {
    const website = hit.hostname === "" ? undefined : this.registry.websiteForHit(hit.hostname);
    if (hit.hostname !== "" && website === undefined) throw unknownWebsite(hit.hostname);
    if (this.lowOnSpace()) throw new Refusal(500, "the disk is nearly full");
    const websiteId = website?.websiteId ?? 0;
    const nowMs = this.nowMs();
    const judged =
      hit.kind === "load" ||
      (hit.kind === "event" && !this.state.store.hasPageView(hit.beacon, websiteId, nowMs));
    const fact = this.collector.fact(hit, headers, websiteId, website?.hostname ?? "", nowMs, judged);
    if (typeof fact === "string") return { accepted: false, reason: fact };
    const outcome = await this.commit(fact);
    if (outcome === "done") return { accepted: true };
    if (outcome === "missing") throw unknownWebsite(hit.hostname);
    assert(outcome === "duplicate" || outcome === "late", `a hit is not ${outcome}`);
    return { accepted: false, reason: outcome };
  }

  async commit(record: LogRecord): Promise<Outcome> {
    if (this.stopped !== undefined) throw new Refusal(500, "the server is stopping");
    try {
      return await this.log.append(record);
    } catch (error) {
      if (error instanceof LogFull) throw new Refusal(500, "the server is overloaded: try again", 1);
      this.logger.error("the log could not be written", { error: String(error) });
      throw new Refusal(500, "the server could not store this: try again", 5);
    }
  }

  site(websiteId: number): Site | undefined {
    return this.state.store.sites.get(websiteId);
  }

  watch(websiteId: number, onChange: () => void): () => void {
    const watchers = this.watchers.get(websiteId) ?? new Set();
    this.watchers.set(websiteId, watchers.add(onChange));
    return () => {
      watchers.delete(onChange);
      if (watchers.size === 0) this.watchers.delete(websiteId);
    };
  }

  purge(): Promise<void> {
    this.purgeDue = true;
    return this.checkpoint();
  }

  /** Asserts every invariant of the state. */
  check(): void {
    this.state.check();
  }

  stop(): Promise<void> {
    this.stopped ??= this.finish();
    return this.stopped;
  }

  /** As the last batch found the disk; once it was low, as it is now. */
  private lowOnSpace(): boolean {
    const { io, folder } = this.options;
    const needed = freeBytesMin + this.checkpointSize;
    return this.log.freeBytes < needed && io.disk.freeBytes(folder) < needed;
  }

  private apply(record: LogRecord, seq: number): Outcome {
    assert(seq === this.appliedSeq + 1, `record ${seq} follows ${this.appliedSeq}`);
    this.appliedSeq = seq;
    this.lastMs = Math.max(this.lastMs, record.timeMs);
    const outcome = this.state.apply(record);
    this.purgeDue ||= deletes(record);
    if ("websiteId" in record && outcome === "done")
      this.watchers.get(record.websiteId)?.forEach((call) => call());
    const due =
      seq - this.checkpointAt.seq >= this.options.checkpointRecords ||
      this.bytesSinceCheckpoint() >= checkpointBytes;
    if (due && !this.checkpointWaits) this.checkpointInBackground();
    return outcome;
  }

  private bytesSinceCheckpoint(): number {
    return this.log.bytesSinceStart - this.checkpointAt.bytes;
  }

  private checkpointInBackground(): void {
    this.checkpointWaits = true;
    const failed = (error: unknown) => this.logger.error("the checkpoint failed", { error: String(error) });
    void this.checkpoint().catch(failed);
  }

  /** Makes a checkpoint after those under way. */
  private checkpoint(): Promise<void> {
    const next = this.checkpoints.then(() => this.takeCheckpoint());
    this.checkpoints = next.catch(() => {});
    return next;
  }

  private async takeCheckpoint(): Promise<void> {
    const { folder, io } = this.options;
    let purges = false;
    try {
      await this.log.rotate();
      const seq = this.appliedSeq;
      purges = this.purgeDue;
      this.purgeDue = false;
      const startMs = this.clock.monotonicMs();
      this.checkpointAt = { seq, bytes: this.log.bytesSinceStart };
      const { checkpoint, settle } = this.recovered.files.collect(seq, this.lastMs);
      const pauseMs = this.clock.monotonicMs() - startMs;
      const { manifest } = checkpoint;
      const bytes = checkpoint.files.reduce((sum, { data }) => sum + data.length, 0);
      this.checkpointSize = bytes;
      await io.writeCheckpoint(folder, checkpoint);
      settle();
      await this.log.append({ kind: "checkpoint", timeMs: this.nowMs(), manifestSeq: seq });
      const others = this.manifests.filter((older) => older.seq !== seq);
      this.manifests = [...others, manifest].slice(purges ? -1 : -2);
      removeOthers(io.disk, folder, this.manifests);
      removeSegmentsBefore(io.disk, join(folder, "wal"), (this.manifests[0] as Manifest).seq + 1);
      this.logger.debug("checkpoint", { seq, bytes, pauseMs: Math.round(pauseMs) });
    } catch (error) {
      this.purgeDue ||= purges;
      throw error;
    } finally {
      this.checkpointWaits = false;
    }
  }

  private async finish(): Promise<void> {
    try {
      const unsaved = this.appliedSeq > this.checkpointAt.seq + 1;
      if (unsaved || this.purgeDue) await this.checkpoint();
      await this.checkpoints;
      await this.log.append({ kind: "closed", timeMs: this.nowMs() });
    } catch (error) {
      this.logger.error("the last checkpoint failed; the log has everything", { error: String(error) });
    } finally {
      await this.log.close();
      this.recovered.lock.release();
    }
  }
}

/** Whether what the record deletes must leave every file. */
export function deletes({ kind }: LogRecord): boolean {
  return kind === "websiteRemoved" || kind === "userRemoved";
}

function unknownWebsite(hostname: string): Refusal {
  return new Refusal(404, `u: ${shown(hostname)} is not a website of this server`);
}
