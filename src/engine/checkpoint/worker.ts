/**
 * The entry point of a Worker that writes a checkpoint, makes facts, adds up a month that gives up its rows or looks for
 * damage, away from the thread that answers. It has one job in its life, and loads only what that needs.
 */
import type { FactsJob, MadeFacts } from "../../facts/making/job.ts";
import type { ReduceJob } from "../../facts/months/reduce-job.ts";
import { systemClock } from "../../lib/clock.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { goLast } from "../../lib/threads/priority.ts";
import type { FileEntry, Manifest } from "../../snapshot/manifest.ts";
import type { DamagedFile, ScrubJob } from "../../snapshot/scrub.ts";
import type { FreshFile, PlannedCheckpoint } from "../files/planned-checkpoint.ts";

declare const self: Worker;

export interface CheckpointJob {
  readonly kind: "checkpoint";
  readonly folder: string;
  readonly checkpoint: Omit<PlannedCheckpoint, "files">;
  /**
   * JSON of all files in their order, with null in place of each fresh one. For tens of thousands of files a text is
   * sent faster.
   */
  readonly kept: string;
  readonly fresh: readonly FreshFile[];
}

export type WorkerJob =
  | CheckpointJob
  | (FactsJob & { readonly kind: "facts" })
  | (ScrubJob & { readonly kind: "scrub" })
  | (ReduceJob & { readonly kind: "reduce" });

export type WorkerReply =
  | { readonly kind: "written"; readonly manifest: Manifest }
  | { readonly kind: "made"; readonly made: MadeFacts }
  | { readonly kind: "reduced"; readonly file: FileEntry }
  | { readonly kind: "damaged"; readonly damaged: DamagedFile }
  /** The job is done, and everything that it made was sent. */
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly name: string; readonly message: string };

const reply = (message: WorkerReply) => self.postMessage(message);

self.onmessage = async ({ data }: MessageEvent<WorkerJob>) => {
  try {
    if (data.kind === "checkpoint") reply({ kind: "written", manifest: await write(data) });
    else if (data.kind === "facts") await make(data);
    else if (data.kind === "reduce") await reduce(data);
    else await look(data);
    reply({ kind: "done" });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    reply({ kind: "failed", name, message });
  }
};

async function write({ folder, checkpoint, kept, fresh }: CheckpointJob): Promise<Manifest> {
  const { writePlanned } = await import("../files/planned-checkpoint.ts");
  const next = fresh.values();
  const files = (JSON.parse(kept) as (FileEntry | null)[]).map(
    (file) => file ?? (next.next().value as FreshFile),
  );
  const hasMonths = fresh.some((file) => "renumber" in file);
  const months = hasMonths ? await import("../../facts/months/reduce-job.ts") : undefined;
  return writePlanned(systemDisk, folder, { ...checkpoint, files }, months?.renumberedSections);
}

async function look(job: ScrubJob): Promise<void> {
  goLast();
  const { scrub } = await import("../../snapshot/scrub.ts");
  const onDamaged = (damaged: DamagedFile) => reply({ kind: "damaged", damaged });
  await scrub(systemDisk, job, { clock: systemClock, sleep: (ms) => Bun.sleep(ms), onDamaged });
}

async function reduce(job: ReduceJob): Promise<void> {
  goLast();
  const { reduceMonth } = await import("../../facts/months/reduce-job.ts");
  const { compileGoals } = await import("../../query/rows/filters/targets.ts");
  const { channelsOf } = await import("../../query/names/derived.ts");
  reply({ kind: "reduced", file: reduceMonth(systemDisk, job, compileGoals, channelsOf) });
}

async function make(job: FactsJob): Promise<void> {
  goLast();
  const { makeFacts } = await import("../../facts/making/job.ts");
  const { lookUps } = await import("../../query/names/look-ups.ts");
  for (const made of makeFacts(systemDisk, job, lookUps)) {
    reply({ kind: "made", made });
    // The runtime does not count the memory of files and columns: of many chunks it would keep that of several.
    Bun.gc(true);
  }
}
