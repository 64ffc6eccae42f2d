/**
 * The entry point of a Worker that writes and syncs the log away from the thread that answers. The message null ends
 * it.
 */
import { systemClock } from "../lib/clock.ts";
import { systemDisk } from "../lib/disk/disk.ts";
import { answer, type WriteRequest } from "./worker-port.ts";
import { SegmentWriter } from "./writer.ts";

declare const self: Worker;

const writer = new SegmentWriter(systemDisk);

self.onmessage = ({ data }: MessageEvent<WriteRequest | null>) => {
  if (data !== null) return self.postMessage(answer(systemDisk, systemClock, writer, data));
  writer.close();
  process.exit(0);
};
