/**
 * Reduces months that are older than the setting says to sums: their facts are written to a file, and once that is
 * durable a record names it, and their rows go. A month is taken only when nothing can change it any more, and all of
 * its rows and those of the month after it are in files of the last checkpoint. Only checkpoints bring them there, and a
 * server with few hits makes none for years: a month that waits for one asks for it.
 */
import { dayMs } from "../../core/hit.ts";
import type { ReduceJob } from "../../facts/months/reduce-job.ts";
import { Seldom } from "../../lib/seldom.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import { monthNumber } from "../../store/chunks/month.ts";
import type { Site } from "../../store/state/site.ts";
import type { RunningJob } from "../checkpoint/io.ts";
import type { ClockTrust } from "../options/options.ts";
import { firstMs, Periodic } from "./periodic.ts";
import { keptFromMs } from "./retention.ts";
import type { EngineParts } from "./engine-parts.ts";

const checkEveryMs = 3_600_000;
/** Rows may have to be put in order by a second checkpoint, and a month that few keep waits for the end of the next one. */
const checkpointEveryMs = dayMs;

export class Reduction extends Periodic {
  private readonly saves: Seldom;
  private running: RunningJob<FileEntry> | undefined;

  /** `months`: how many whole months keep their rows besides the current one. */
  constructor(
    private readonly options: EngineParts,
    private readonly months: number,
    private readonly trusted: ClockTrust,
  ) {
    super(checkEveryMs, firstMs);
    this.saves = new Seldom(options.engine.clock, checkpointEveryMs);
  }

  protected failed(error: unknown): void {
    if (this.isStopped) return;
    this.options.engine.logger.error("old months could not give up their rows yet", { error: String(error) });
  }

  override stop(): Promise<void> {
    const stopped = super.stop();
    this.running?.cancel();
    return stopped;
  }

  /** Reduces what is old enough, if the clock can be trusted. */
  protected async work(): Promise<void> {
    const { engine, recovered, checkpointer } = this.options;
    const { store, unavailable } = recovered.state;
    const beforeMs = keptFromMs(engine.clock.nowMs(), this.months);
    const isDue = () => store.sites.values().some((site) => (oldestMonth(site) ?? Infinity) < beforeMs);
    if (!this.trusted.isTrusted(isDue)) return;
    for (const websiteId of [...store.sites.keys()]) {
      if (unavailable.has(websiteId)) continue;
      for (;;) {
        // Queued while no checkpoint may come between, the purge is the next one: it names the file.
        const purged = await checkpointer.between(() => this.reduceFirst(websiteId, beforeMs));
        if (purged === undefined || (purged === "waits" && !this.saves.isDue())) break;
        await (purged === "waits" ? checkpointer.make() : purged.done);
        if (!(await this.pause())) return;
      }
    }
  }

  /** Reduces the oldest month of a website; returns undefined if there is none, or rows came. */
  private async reduceFirst(
    websiteId: number,
    beforeMs: number,
  ): Promise<{ done: Promise<void> } | "waits" | undefined> {
    const { engine, recovered, room, commit, checkpointer } = this.options;
    const site = recovered.state.store.sites.get(websiteId);
    const monthMs = site && oldestMonth(site);
    if (site === undefined || monthMs === undefined || monthMs >= beforeMs) return undefined;
    const job = this.jobOf(site, monthMs);
    if (job === undefined) return "waits";
    const { rows, properties: propertyCount } = job.month.head;
    // Facts are smaller than the rows.
    const rowsBytes = job.month.parts.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0);
    room.expectFree(rowsBytes, "giving up rows", "to write the facts of a month");
    this.running = engine.io.reduceMonth(job);
    const { name, bytes, checksum } = await this.running.done.finally(() => (this.running = undefined));
    const record = { kind: "monthReduced", websiteId, monthMs, rows, propertyCount } as const;
    // Rows came meanwhile, or the website went.
    if ((await commit({ ...record, name, bytes, checksum })) !== "done") return undefined;
    const month = monthNumber(monthMs);
    engine.logger.info("an old month gave up its rows", { website: websiteId, month, rows });
    return { done: checkpointer.purge() };
  }

  /** Returns what is needed to reduce a month; undefined if it is not all in files yet. */
  private jobOf(site: Site, monthMs: number): ReduceJob | undefined {
    const { engine, recovered } = this.options;
    const found = recovered.files.filesToReduce(site, monthMs);
    const goals = recovered.state.registry.websites.get(site.websiteId)?.goals.list ?? [];
    return found && { folder: engine.folder, ...found, targets: goals.map(({ target }) => target) };
  }
}

function oldestMonth({ chunks }: Site): number | undefined {
  const months = chunks.values().map(({ monthMs }) => monthMs);
  const oldest = months.reduce((least, monthMs) => Math.min(least, monthMs), Infinity);
  return Number.isFinite(oldest) ? oldest : undefined;
}
