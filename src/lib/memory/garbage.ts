/**
 * Bounds the garbage of a thread in bytes. The runtime lets as much garbage grow as memory is alive, and takes mapped
 * files for such: beside those of a long day it would be hundreds of megabytes.
 */
import { edenGC, gcAndSweep } from "bun:jsc";

/** The share of the memory that a thread is given which garbage may take. */
const share = 1 / 16;
/**
 * How often to look: a busy thread makes tens of megabytes of garbage a second. A collection stops the thread for some 30 ms,
 * which is more than a hit may wait for often.
 */
export const garbageLookMs = 3_000;
/** How often young garbage is collected: else the runtime lets as much of it grow as is alive or mapped. */
export const youngLookMs = 500;
/** A thread that has worked for less since then has made no garbage to speak of, and may rest. */
const busyMs = 20;
/**
 * After so much work all garbage is collected even where the heap has not grown: objects that were left behind between
 * others keep whole blocks, and the heap spreads. It is some 0.3 % of that work.
 */
const workedMsMax = 10_000;
/** A thread that collects soon spends at most this share of its work on that: with many names a collection takes long. */
const soonWorkShare = 1 / 10;

/** Exported for tests. */
export interface Heap {
  /** The bytes of all that is alive or garbage; undefined where they cannot be told. */
  readonly bytes: number | undefined;
  /** The processor time that the thread has taken, in milliseconds. */
  readonly workedMs: number;
  /** Collects the garbage among what came since the last collection: some 5 ms. */
  collectYoung(): void;
  /** Collects all garbage and gives its room back: about half a millisecond for each megabyte of objects. */
  collect(): void;
}

/** The heap of the calling thread. Exported for tests. */
export const threadHeap: Heap = {
  get bytes() {
    try {
      const { heapTotal, external } = process.memoryUsage();
      return heapTotal + external;
    } catch {
      // It opens a file, for which connections may have left no descriptor.
      return undefined;
    }
  },
  get workedMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  collectYoung: edenGC,
  collect: gcAndSweep,
};

export class GarbageBound {
  /** The garbage that may be there. */
  private readonly bytesMax: number;
  /** The least that the heap had since the last collection: the runtime collects too. */
  private leastBytes: number;
  /** The processor time that it had taken when young garbage was collected last, in milliseconds. */
  private youngWorkedMs = 0;
  /** And when all garbage was, and how much that took. */
  private allWorkedMs = 0;
  private collectMs = 0;

  /**
   * `memoryBytes`: what the thread is given. `soonBytes`: the garbage that a thread lets be which may stop at any look, unless
   * collecting takes long.
   */
  constructor(
    memoryBytes: number,
    private readonly soonBytes = Infinity,
    private readonly heap: Heap = threadHeap,
  ) {
    this.bytesMax = memoryBytes * share;
    this.leastBytes = heap.bytes ?? 0;
  }

  /** Collects young garbage if the thread was busy. */
  lookAtYoung(): void {
    const { workedMs } = this.heap;
    if (workedMs - this.youngWorkedMs < busyMs) return;
    this.youngWorkedMs = workedMs;
    this.heap.collectYoung();
  }

  /** Collects garbage where the heap has grown by as much as may be, and after much work. */
  look(): void {
    const { heap } = this;
    const { bytes, workedMs } = heap;
    if (bytes === undefined) return;
    this.leastBytes = Math.min(this.leastBytes, bytes);
    if (!this.isDue(bytes - this.leastBytes, workedMs - this.allWorkedMs)) return;
    heap.collect();
    this.allWorkedMs = heap.workedMs;
    this.collectMs = this.allWorkedMs - workedMs;
    this.leastBytes = heap.bytes ?? bytes;
  }

  private isDue(grownBytes: number, sinceMs: number): boolean {
    if (grownBytes >= this.bytesMax || sinceMs >= workedMsMax) return true;
    return grownBytes >= this.soonBytes && sinceMs * soonWorkShare >= this.collectMs;
  }
}
