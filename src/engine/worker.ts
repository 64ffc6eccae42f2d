/** Writes a checkpoint away from the thread that answers. Entry point of a Worker. */
import { systemDisk } from "../lib/disk.ts";
import type { FileEntry, Manifest } from "../snapshot/manifest.ts";
import { writePlanned, type FreshFile, type PlannedCheckpoint } from "./planned-checkpoint.ts";

declare const self: Worker;

export interface CheckpointJob {
  readonly folder: string;
  readonly checkpoint: Omit<PlannedCheckpoint, "files">;
  /** JSON of all files in their order, null where a fresh one stands: of tens of thousands a text is sent sooner. */
  readonly kept: string;
  readonly fresh: readonly FreshFile[];
}

/** What was written, or what went wrong. */
export type CheckpointReply = Manifest | string;

self.onmessage = ({ data }: MessageEvent<CheckpointJob>) => {
  const { folder, checkpoint, kept, fresh } = data;
  const next = fresh.values();
  const files = (JSON.parse(kept) as (FileEntry | null)[]).map(
    (file) => file ?? (next.next().value as FreshFile),
  );
  let reply: CheckpointReply;
  try {
    reply = writePlanned(systemDisk, folder, { ...checkpoint, files });
  } catch (error) {
    reply = error instanceof Error ? error.message : String(error);
  }
  self.postMessage(reply);
};
