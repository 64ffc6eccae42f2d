/**
 * Makes the facts of sealed chunks in a Worker of their own: after a checkpoint that sealed or merged chunks is
 * durable, and after a start that finds chunks without facts. Until the facts are made, questions read the rows.
 * Nothing waits for this work, and if it fails questions go on reading rows.
 */
import { join } from "node:path";
import type { FactsJob, MadeFacts } from "../../facts/making/job.ts";
import type { Clock } from "../../lib/clock.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import { diskFailure } from "../../lib/disk/failure.ts";
import type { Logger } from "../../lib/log.ts";
import { chunkOfFacts, factsName } from "../../snapshot/facts-name.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { Site } from "../../store/state/site.ts";
import type { AwaitedFiles } from "../files/awaited-files.ts";
import type { EngineIo, RunningJob } from "./io.ts";

/** Facts only save time: with less free space than this on the disk, none are made. */
const freeBytesMin = 256 * 1024 * 1024;
/** The interval at which long work reports its progress. */
const progressMs = 10_000;

export interface FactsMakerOptions {
  readonly io: EngineIo;
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A website with fewer rows has no facts: reading its rows takes less than a frame. */
  readonly smallRows: number;
  readonly sites: ReadonlyMap<number, Site>;
  /** Files that are not there yet: facts are made after the checkpoint that follows when all are. */
  readonly awaited?: AwaitedFiles | undefined;
  /** Returns whether chunks are about to be merged: then facts of the parts are not worth making. */
  readonly isMerging: () => boolean;
  /** Returns the files that the last checkpoint has for a website's dictionaries and for its sealed chunks. */
  readonly filesOf: (site: Site) => {
    readonly site: readonly FileEntry[];
    readonly chunks: readonly FileEntry[];
  };
}

/**
 * A chunk has facts from so many bytes on, for each row that a small website may have: by default from some 5,000 rows. Fewer are
 * read in a tenth of a millisecond, and their facts would take several times their bytes.
 */
const factsBytesMin = 0.5;

export class FactsMaker {
  /** The names of chunk files that have facts, or are no more. */
  private readonly settled = new Set<string>();
  /** The names of chunk files that a job left without facts, or failed at: they wait for another checkpoint. */
  private readonly left = new Set<string>();
  /** The websites whose facts files were listed. */
  private readonly listed = new Set<number>();
  private running: RunningJob | undefined;
  private working = false;
  private stopped = false;
  /** The number of files that were made. */
  made = 0;

  constructor(private readonly options: FactsMakerOptions) {}

  /** Looks for missing facts after a start has read the checkpoint, or another one is durable. */
  update(): void {
    this.left.clear();
    if (!this.options.isMerging()) void this.work();
  }

  /** Asks that the facts in a file that cannot be used are made again. */
  discarded(file: string): void {
    this.settled.delete(chunkOfFacts(file) ?? "");
    void this.work();
  }

  stop(): void {
    this.stopped = true;
    this.running?.cancel();
  }

  /** Works until no facts are missing. Never rejects. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    try {
      for (let next = this.next(); next !== undefined; next = this.next()) await this.run(next);
    } catch (error) {
      this.options.logger.warn(
        "the folder could not be searched for precomputed sums: some questions are slower",
        {
          error: String(error),
        },
      );
    } finally {
      this.working = false;
    }
  }

  private async run(job: FactsJob): Promise<void> {
    const { io, logger, clock } = this.options;
    let saidMs = clock.monotonicMs();
    const heard = new Set<string>();
    const onMade = ({ chunk, error, isOfDisk }: MadeFacts) => {
      heard.add(chunk.name);
      const isThere = this.isThere(chunk);
      (isThere && isOfDisk ? this.left : this.settled).add(chunk.name);
      if (!isThere) this.remove(chunk);
      else if (error === undefined) this.made++;
      else
        logger.warn("precomputed sums of some rows could not be made: questions about them are slower", {
          error,
        });
      if (clock.monotonicMs() - saidMs < progressMs) return;
      saidMs = clock.monotonicMs();
      logger.info("sums of finished months are being computed: until then some questions are slower", {
        made: heard.size,
        chunks: job.chunks.length,
      });
    };
    try {
      this.running = io.makeFacts(job, onMade);
      await this.running.done;
    } catch (error) {
      if (!this.stopped)
        logger.warn("precomputed sums could not be made: some questions are slower", {
          error: String(error),
        });
    } finally {
      this.running = undefined;
      for (const { name } of job.chunks) if (!heard.has(name)) this.left.add(name);
    }
  }

  private next(): FactsJob | undefined {
    const { io, folder, sites, smallRows, filesOf, awaited } = this.options;
    if (this.stopped || (awaited && awaited.names.size > 0)) return undefined;
    for (const [websiteId, site] of sites) {
      if (site.rows <= smallRows) continue;
      this.list(websiteId);
      const files = filesOf(site);
      const chunks = files.chunks.filter(
        ({ name, bytes }) =>
          bytes >= smallRows * factsBytesMin && !this.settled.has(name) && !this.left.has(name),
      );
      if (chunks.length === 0) continue;
      if (io.disk.freeBytes(folder) < freeBytesMin) return undefined;
      return { folder, site: files.site, chunks, freeBytesMin };
    }
    return undefined;
  }

  /**
   * Returns whether the chunk still exists: it may have been deleted, or merged with others, while its facts were made.
   */
  private isThere({ name }: FileEntry): boolean {
    const { io, folder } = this.options;
    try {
      return io.disk.size(join(folder, name)) >= 0;
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return error.code !== "ENOENT";
    }
  }

  /**
   * Removes the facts of a chunk that was deleted meanwhile. Files that cannot be removed now go with the next
   * checkpoint.
   */
  private remove(chunk: FileEntry): void {
    const { io, folder } = this.options;
    diskFailure(() => io.disk.remove(join(folder, factsName(chunk))));
  }

  /** Lists the facts that a website has already, once. */
  private list(websiteId: number): void {
    if (this.listed.has(websiteId)) return;
    this.listed.add(websiteId);
    const { io, folder } = this.options;
    const directory = `chunks/${websiteId}`;
    diskFailure(() => {
      for (const name of io.disk.list(join(folder, directory)))
        if (name.endsWith(".facts")) this.settled.add(chunkOfFacts(`${directory}/${name}`) ?? "");
    });
  }
}
