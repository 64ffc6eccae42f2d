/**
 * The port between the log and its disk: one request at a time, answered when it is durable or has failed. Requests go to
 * a Worker of the log's own, so that a slow sync delays nothing else.
 */
import { dirname } from "node:path";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import { diskFailure } from "../lib/disk/failure.ts";
import { startWorker, WorkerDied } from "../lib/threads/worker.ts";
import type { SegmentWriter } from "./writer.ts";

export interface WriteRequest {
  /** The path of the segment. */
  readonly segment: string;
  /** Whether the bytes are the start of the segment. */
  readonly starts: boolean;
  /** The buffer is handed over: it is empty for the sender afterwards. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The disk's answer, in a form that can be posted to another thread. */
export interface WriteReply {
  /** Null if the bytes are durable. */
  readonly failure: Pick<DiskError, "operation" | "path" | "code"> | null;
  /** The free bytes of the log's disk; NaN if it did not tell. */
  readonly freeBytes: number;
  /** How long the disk took to make the bytes durable, or to fail. */
  readonly tookMs: number;
}

export interface WriteResult {
  /** Null if the bytes are durable. */
  readonly failure: DiskError | WorkerDied | null;
  /** The free bytes of the log's disk; NaN if it did not tell. */
  readonly freeBytes: number;
  /** How long the disk took to make the bytes durable, or to fail; 0 if it was not asked. */
  readonly tookMs: number;
}

export interface LogPort {
  /** Writes one request; only one may be under way. Never rejects. */
  write(request: WriteRequest): Promise<WriteResult>;
  /** Closes the port; nothing may be under way. */
  close(): Promise<void>;
}

/** Carries out one request. */
export function answer(disk: Disk, clock: Clock, writer: SegmentWriter, request: WriteRequest): WriteReply {
  const startMs = clock.monotonicMs();
  const error = diskFailure(() =>
    request.starts ? writer.start(request.segment, request.bytes) : writer.append(request.bytes),
  );
  // An error does not go to another thread as it is.
  const failure = error ? { operation: error.operation, path: error.path, code: error.code } : null;
  const tookMs = clock.monotonicMs() - startMs;
  return { failure, freeBytes: freeBytesAt(disk, dirname(request.segment)), tookMs };
}

function freeBytesAt(disk: Disk, directory: string): number {
  try {
    return disk.freeBytes(directory);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return NaN;
  }
}

/** Exported for tests. */
export function resultOf({ failure, ...rest }: WriteReply): WriteResult {
  if (failure === null) return { failure, ...rest };
  return { failure: new DiskError(failure.operation, failure.path, failure.code), ...rest };
}

/**
 * A port to a Worker, which starts now and again with the first request after it died: a server whose connections have
 * taken all file descriptors could start none.
 */
export class LogWorkerPort implements LogPort {
  private worker: Worker | undefined;
  /** Receives the answer to the request that is under way. */
  private take: ((result: WriteResult) => void) | undefined;

  constructor() {
    this.startIfNone();
  }

  write(request: WriteRequest): Promise<WriteResult> {
    assert(this.take === undefined, "the log's port takes one request at a time");
    const failure = this.startIfNone();
    if (failure !== null) return Promise.resolve({ failure, freeBytes: NaN, tookMs: 0 });
    this.worker!.postMessage(request, [request.bytes.buffer]);
    return new Promise((resolve) => (this.take = resolve));
  }

  async close(): Promise<void> {
    assert(this.take === undefined, "the log's port is not closed while a request is under way");
    const worker = this.worker;
    if (worker === undefined) return;
    this.worker = undefined;
    const closed = new Promise((resolve) => worker.addEventListener("close", resolve));
    worker.postMessage(null);
    await closed;
  }

  /** Returns why none could be started. */
  private startIfNone(): DiskError | null {
    return diskFailure(() => (this.worker ??= this.start())) ?? null;
  }

  private start(): Worker {
    const onReply = (reply: WriteReply) => this.settle(resultOf(reply));
    const worker = startWorker("wal/worker.ts", onReply, (how) => {
      if (this.worker === worker) this.worker = undefined;
      if (this.take === undefined) return;
      const failure = new WorkerDied(`the log's worker ${how}`);
      this.settle({ failure, freeBytes: NaN, tookMs: 0 });
    });
    return worker;
  }

  private settle(result: WriteResult): void {
    const take = this.take;
    assert(take !== undefined, "the log's worker answers what it was asked");
    this.take = undefined;
    take(result);
  }
}
