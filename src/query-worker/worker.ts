/** The entry point of a Worker that answers one request after the other, away from the thread that takes hits. */
import { systemClock } from "../lib/clock.ts";
import { systemDisk } from "../lib/disk/disk.ts";
import { GarbageBound, youngLookMs } from "../lib/memory/garbage.ts";
import { goLast } from "../lib/threads/priority.ts";
import { QueryWorker, type QueryRequest, type QueryWorkerOptions } from "./query-worker.ts";

declare const self: Worker;

/** The pause after the first page before filters are rehearsed: whoever reads that page asks nothing meanwhile. */
const quietMs = 200;
/** Questions that arrive meanwhile are answered in between. */
const betweenMs = 1;

/** The share of its memory from which on its garbage is collected after a question. */
const soonShare = 1 / 128;

let worker: QueryWorker | undefined;
let garbage: GarbageBound | undefined;
let quiet: Timer | undefined;

/** The first message holds the options; all later ones are requests. */
self.onmessage = ({ data }: MessageEvent<QueryWorkerOptions | QueryRequest>) => {
  if ("kind" in data) {
    self.postMessage(worker?.handle(data, (reply) => self.postMessage(reply)));
    // Looking takes some 12 µs, and a question may leave megabytes.
    garbage?.look();
    rehearseAfter(quietMs);
  } else {
    goLast();
    garbage = new GarbageBound(data.memoryBytes, data.memoryBytes * soonShare);
    setInterval(() => garbage?.lookAtYoung(), youngLookMs);
    worker = new QueryWorker(systemDisk, systemClock, data, Bun.gc);
  }
};

function rehearseAfter(ms: number): void {
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    if (worker?.rehearse()) rehearseAfter(betweenMs);
    garbage?.look();
  }, ms);
}
