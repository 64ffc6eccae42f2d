/**
 * Reduces months that are older than the setting says to sums: their facts are written to a file, and once that is
 * durable a record names it, and their rows go. A month is taken only when nothing can change it any more, and all of
 * its rows and those of the month after it are in files of the last checkpoint. Only checkpoints bring them there, and a
 * server with few hits makes none for years: a month that waits for one asks for it.
 */
import { dayMs } from "../../core/hit.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { ReduceJob } from "../../facts/months/reduce-job.ts";
import type { ClockTrust } from "../options/options.ts";
import type { RunningJob } from "../checkpoint/io.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { Seldom } from "../../lib/seldom.ts";
import type { RecordOf } from "../../record/record.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { Site } from "../../store/state/site.ts";
import { Periodic } from "./periodic.ts";
import { keptFromMs } from "./retention.ts";

const checkEveryMs = 3_600_000;
/** Rows may have to be put in order by a second checkpoint, and a month that few keep waits for the end of the next one. */
const checkpointEveryMs = dayMs;

export interface ReductionOptions {
  /** The number of whole months that keep their rows besides the current one. */
  readonly months: number;
  readonly clock: Clock;
  readonly trusted: ClockTrust;
  readonly logger: Logger;
  readonly sites: ReadonlyMap<number, Site>;
  readonly isAvailable: (websiteId: number) => boolean;
  /** Returns what is needed to reduce a month; undefined if it is not all in files yet. */
  readonly jobOf: (site: Site, monthMs: number) => ReduceJob | undefined;
  /** Writes the file of a month; resolves when it is durable. */
  readonly reduce: (job: ReduceJob) => RunningJob<FileEntry>;
  /** Throws if there is no room on the disk for a file of this many bytes. */
  readonly expectRoom: (bytes: number) => void;
  /** The log's time. */
  readonly nowMs: () => number;
  /** Runs `act` while no checkpoint is under way: chunks are not merged then, nor files removed. */
  readonly between: <T>(act: () => Promise<T>) => Promise<T>;
  readonly commit: (record: RecordOf<"monthReduced">) => Promise<Outcome>;
  /** Resolves when no file contains the rows any more. */
  readonly purge: () => Promise<void>;
  /** Makes a checkpoint of all that is applied. */
  readonly save: () => Promise<void>;
}

export class Reduction {
  private readonly checks: Periodic;
  private readonly saves: Seldom;
  private running: RunningJob<FileEntry> | undefined;

  constructor(private readonly options: ReductionOptions) {
    this.saves = new Seldom(options.clock, checkpointEveryMs);
    const onError = (error: unknown) => {
      if (this.checks.isStopped) return;
      options.logger.error("old months could not give up their rows yet", { error: String(error) });
    };
    this.checks = new Periodic(checkEveryMs, () => this.reduceAll(), onError);
  }

  /** Reduces what is old enough, if the clock can be trusted. Never rejects: the next check tries again. */
  check(): Promise<void> {
    return this.checks.round();
  }

  /** Resolves when the check under way has ended. */
  stop(): Promise<void> {
    const stopped = this.checks.stop();
    this.running?.cancel();
    return stopped;
  }

  private async reduceAll(): Promise<void> {
    const { clock, trusted, months, sites, isAvailable, between, save } = this.options;
    const beforeMs = keptFromMs(clock.nowMs(), months);
    const isDue = () => sites.values().some((site) => (oldestMonth(site) ?? Infinity) < beforeMs);
    if (!trusted.isTrusted(isDue)) return;
    for (const websiteId of [...sites.keys()]) {
      if (!isAvailable(websiteId)) continue;
      for (;;) {
        // Queued while no checkpoint may come between, the purge is the next one: it names the file.
        const purged = await between(() => this.reduceFirst(websiteId, beforeMs));
        if (purged === undefined || (purged === "waits" && !this.saves.isDue())) break;
        await (purged === "waits" ? save() : purged.done);
        if (!(await this.checks.pause())) return;
      }
    }
  }

  /** Reduces the oldest month of a website; returns undefined if there is none, or rows came. */
  private async reduceFirst(
    websiteId: number,
    beforeMs: number,
  ): Promise<{ done: Promise<void> } | "waits" | undefined> {
    const { sites, jobOf, reduce, expectRoom, nowMs, commit, purge, logger } = this.options;
    const site = sites.get(websiteId);
    const monthMs = site && oldestMonth(site);
    if (site === undefined || monthMs === undefined || monthMs >= beforeMs) return undefined;
    const job = jobOf(site, monthMs);
    if (job === undefined) return "waits";
    // Facts are smaller than the rows.
    expectRoom(job.month.parts.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0));
    this.running = reduce(job);
    const { name, bytes, checksum } = await this.running.done.finally(() => (this.running = undefined));
    const { rows, properties: propertyCount } = job.month.head;
    const timeMs = nowMs();
    const record = {
      kind: "monthReduced",
      timeMs,
      websiteId,
      monthMs,
      rows,
      propertyCount,
      name,
      bytes,
      checksum,
    } as const;
    // Rows came meanwhile, or the website went.
    if ((await commit(record)) !== "done") return undefined;
    const month = new Date(monthMs).toISOString().slice(0, 7);
    logger.info("an old month gave up its rows", { website: websiteId, month, rows });
    return { done: purge() };
  }
}

function oldestMonth({ chunks }: Site): number | undefined {
  const months = chunks.values().map(({ monthMs }) => monthMs);
  const oldest = months.reduce((least, monthMs) => Math.min(least, monthMs), Infinity);
  return Number.isFinite(oldest) ? oldest : undefined;
}
