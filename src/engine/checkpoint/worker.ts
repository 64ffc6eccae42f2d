/** The entry point of a Worker that writes a checkpoint, or makes facts, away from the thread that answers. */
import { makeFacts, type FactsJob, type MadeFacts } from "../../facts/job.ts";
import { systemDisk } from "../../lib/disk.ts";
import { goLast } from "../../lib/priority.ts";
import type { FileEntry, Manifest } from "../../snapshot/manifest.ts";
import { writePlanned, type FreshFile, type PlannedCheckpoint } from "../files/planned-checkpoint.ts";

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

export type WorkerJob = CheckpointJob | (FactsJob & { readonly kind: "facts" });

export type WorkerReply =
  | { readonly kind: "written"; readonly manifest: Manifest }
  | { readonly kind: "made"; readonly made: MadeFacts }
  /** All facts of the job are made. */
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly error: string };

const reply = (message: WorkerReply) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<WorkerJob>) => {
  try {
    if (data.kind === "checkpoint") reply({ kind: "written", manifest: write(data) });
    else make(data);
  } catch (error) {
    reply({ kind: "failed", error: error instanceof Error ? error.message : String(error) });
  }
};

function write({ folder, checkpoint, kept, fresh }: CheckpointJob): Manifest {
  const next = fresh.values();
  const files = (JSON.parse(kept) as (FileEntry | null)[]).map(
    (file) => file ?? (next.next().value as FreshFile),
  );
  return writePlanned(systemDisk, folder, { ...checkpoint, files });
}

function make(job: FactsJob): void {
  goLast();
  for (const made of makeFacts(systemDisk, job)) reply({ kind: "made", made });
  reply({ kind: "done" });
}
