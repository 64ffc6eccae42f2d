/**
 * Looks once a day for damage in the log, in the files of the newest checkpoint and in the facts beside them. A file whose
 * content is in memory is written again, and facts are made again. A checkpoint takes the place of a damaged log. Any other file is compared anew by whoever needs it next, which fails
 * until the file is back: a question is refused and never answered wrongly.
 */
import { join } from "node:path";
import { diskFailure } from "../lib/disk/failure.ts";
import { chunkOfFacts, factsName } from "../snapshot/facts-name.ts";
import type { DamagedFile, ScrubJob } from "../snapshot/scrub.ts";
import { logDirectory } from "../wal/segment.ts";
import { isChunk } from "./checkpoint/checkpoint-names.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import type { FactsMaker } from "./checkpoint/facts-maker.ts";
import type { RunningJob } from "./checkpoint/io.ts";
import type { EngineOptions, Recovered } from "./options/options.ts";
import { advice } from "./refused.ts";
import type { Questions } from "../query-worker/questions.ts";

/** The first pass begins this long after the start, each later one a day after the one before. */
const firstMs = 10 * 60_000;
const everyMs = 24 * 3_600_000;
/** The most that is read: a share of what the slowest disk in use can. */
const bytesPerSecond = 8 * 1024 * 1024;

const refusedText = `a file is damaged: what needs it is refused, and no figure is wrong; ${advice.file}`;

export class Scrubber {
  private timer: Timer;
  private running: RunningJob | undefined;
  private isStopped = false;

  constructor(
    private readonly options: EngineOptions,
    private readonly recovered: Recovered,
    private readonly checkpointer: Checkpointer,
    private readonly facts: FactsMaker,
    private readonly questions: Questions,
  ) {
    this.timer = this.startIn(firstMs);
  }

  /** Compares all files once. Never rejects. */
  async pass(): Promise<void> {
    const { io, clock, logger } = this.options;
    const startMs = clock.monotonicMs();
    const found: Promise<void>[] = [];
    try {
      this.running = io.scrub(this.job(), (damaged) => found.push(this.take(damaged)));
      await this.running.done;
      await Promise.all(found);
      logger.debug("files were compared with their checksums", { ms: clock.monotonicMs() - startMs });
    } catch (error) {
      const text = "files could not be compared with their checksums; this is tried again tomorrow";
      if (!this.isStopped) logger.warn(text, { error: String(error) });
    } finally {
      this.running = undefined;
    }
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.running?.cancel();
  }

  /** Asks for a checkpoint that takes the place of the log, unless websites that are unavailable need the log. */
  leaveLog(error: string): void {
    const { logger } = this.options;
    if (this.recovered.state.unavailable.size > 0)
      return logger.error("a segment of the log is damaged, and unavailable websites need it", { error });
    logger.warn("a segment of the log is damaged: a checkpoint is made, and then nothing needs it", {
      error,
    });
    // A failure is logged, and tried again.
    this.checkpointer.purge().catch(() => {});
  }

  private startIn(ms: number): Timer {
    const timer = setTimeout(() => {
      this.timer = this.startIn(everyMs);
      // A pass may take longer than a day.
      if (this.running === undefined) void this.pass();
    }, ms);
    return timer.unref();
  }

  private job(): ScrubJob {
    const { folder, awaited } = this.options;
    const { folderId, files } = this.recovered;
    const entries = files.entries.filter(({ name }) => !awaited?.names.has(name));
    const sealed = entries.filter(({ name, mapped }) => isChunk(name) && mapped);
    const facts = sealed.map((entry) => ({ name: factsName(entry) }));
    const states = entries.filter(({ name }) => name.endsWith(".state"));
    const manifests = states.map(({ name }) => ({ name: name.replace(/state$/, "manifest") }));
    return { folder, folderId, bytesPerSecond, files: [...manifests, ...entries, ...facts] };
  }

  private async take({ file, error }: DamagedFile): Promise<void> {
    const { logger } = this.options;
    const { files } = this.recovered;
    if (this.isStopped) return;
    if (chunkOfFacts(file) !== undefined) return this.removeFacts(file, error);
    if (file.startsWith(logDirectory)) return this.leaveLog(error);
    const isRewritten = await this.checkpointer.between(async () => files.rewrite(file));
    // A checkpoint has taken its place meanwhile.
    if (isRewritten === undefined) return;
    if (isRewritten) {
      logger.warn("a file was damaged on the disk: it is written again from memory", { error });
      this.checkpointer.soon();
      return;
    }
    logger.error(refusedText, { error });
    files.distrust(file);
    this.questions.startAnew();
  }

  private removeFacts(file: string, error: string): void {
    const { io, folder, logger } = this.options;
    logger.warn("a file of precomputed sums is damaged: it is made again", { error });
    diskFailure(() => io.disk.remove(join(folder, file)));
    this.questions.startAnew();
    this.facts.discarded(file);
  }
}
