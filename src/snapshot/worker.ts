/** Writes one checkpoint after another away from the thread that answers. Entry point of a Worker. */
import { systemDisk } from "../lib/disk.ts";
import type { FileEntry, Manifest } from "./manifest.ts";
import { writeCheckpoint, type Checkpoint, type NewFile } from "./write.ts";

declare const self: Worker;

export interface CheckpointJob {
  readonly folder: string;
  readonly checkpoint: Omit<Checkpoint, "files">;
  /** JSON of all files in their order, null where a new one stands: of tens of thousands a text is sent sooner. */
  readonly kept: string;
  readonly fresh: readonly NewFile[];
}

/** What was written, or what went wrong. */
export type CheckpointReply = Manifest | string;

self.onmessage = ({ data }: MessageEvent<CheckpointJob>) => {
  const { folder, checkpoint, kept, fresh } = data;
  const next = fresh.values();
  const files = (JSON.parse(kept) as (FileEntry | null)[]).map(
    (file) => file ?? (next.next().value as NewFile),
  );
  let reply: CheckpointReply;
  try {
    reply = writeCheckpoint(systemDisk, folder, { ...checkpoint, files });
  } catch (error) {
    reply = error instanceof Error ? error.message : String(error);
  }
  self.postMessage(reply);
};
