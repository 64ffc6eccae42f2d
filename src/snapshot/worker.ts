/** Writes one checkpoint after another away from the thread that answers. Entry point of a Worker. */
import { systemDisk } from "../lib/disk.ts";
import type { Manifest } from "./manifest.ts";
import { writeCheckpoint, type Checkpoint } from "./write.ts";

declare const self: Worker;

export interface CheckpointJob {
  readonly folder: string;
  readonly checkpoint: Checkpoint;
}

/** What was written, or what went wrong. */
export type CheckpointReply = Manifest | string;

self.onmessage = ({ data }: MessageEvent<CheckpointJob>) => {
  let reply: CheckpointReply;
  try {
    reply = writeCheckpoint(systemDisk, data.folder, data.checkpoint);
  } catch (error) {
    reply = error instanceof Error ? error.message : String(error);
  }
  self.postMessage(reply);
};
