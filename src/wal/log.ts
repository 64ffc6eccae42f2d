/**
 * The log as its owner sees it: records go in, and come back applied when they are durable. It groups the records of
 * one turn of the event loop into a batch, writes one batch at a time, and never applies a record that a power cut
 * could take back. A failed batch is lost. A store (log-store.ts) has
 * the batches.
 */
import { assert } from "../lib/assert.ts";
import type { LogRecord } from "../record/record.ts";
import {
  NotAppending,
  type LogStore,
  type ReadBatch,
  type StoreResult,
  type StreamPosition,
} from "./log-store.ts";
import { BatchQueue, bytesAbout, type Waiting } from "./queue.ts";

/** The state may not be what the log says: a bug, or want of memory, after which the process must not go on. */
export class NotApplied extends Error {
  override name = "NotApplied";
}

/** The batch was not stored, and nothing of it was applied. `cause`: DiskError or WorkerDied. */
export class LogFailure extends Error {
  override name = "LogFailure";

  constructor(override readonly cause: Error) {
    super(`the log could not be written: ${cause.message}`, { cause });
  }
}

/** Too many records wait for the disk already. */
export class LogFull extends Error {
  override name = "LogFull";
}

export interface LogOptions<Result> {
  /** The store to append to; all its records are applied already. */
  readonly store: LogStore;
  /** Must not throw: what it gets is history already. */
  readonly apply: (record: LogRecord, seq: number) => Result;
  /** Receives what became of each batch. */
  readonly onWritten?: (result: StoreResult) => void;
  /** Returns why a record is not taken. */
  readonly mayTake?: ((record: LogRecord) => Error | undefined) | undefined;
  /** The place in a stream that the records before it are applied up to. */
  readonly place?: StreamPosition | undefined;
}

export class Log<Result> {
  private readonly queue: BatchQueue<Result>;
  private lastSeq: number;
  /** Whether a batch is being written, or a turn is scheduled that will look for one. */
  private busy = false;
  private closed = false;
  private written = 0;
  private free = Infinity;
  private sendingBytes = 0;
  private lastPlace: StreamPosition | undefined;
  private isAppending = true;
  private notApplied: NotApplied | undefined;

  constructor(private readonly options: LogOptions<Result>) {
    this.queue = new BatchQueue(options.store.batchBytesMax);
    this.lastSeq = options.store.nextSeq - 1;
    this.lastPlace = options.place;
  }

  /** The sequence number that the next durable record gets. */
  get nextSeq(): number {
    return this.lastSeq + 1;
  }

  /** The place behind the last record that is applied, where the store is a stream. */
  get place(): StreamPosition | undefined {
    return this.lastPlace;
  }

  /** The number of durable bytes written through this object. */
  get bytesSinceStart(): number {
    return this.written;
  }

  /** The free bytes of the log's disk after the last batch; Infinity before the first. */
  get freeBytes(): number {
    return this.free;
  }

  /** The bytes that the records which are not durable yet will take, about. */
  get comingBytes(): number {
    return this.queue.waitingBytes + this.sendingBytes;
  }

  /**
   * Resolves to the result of `apply` once the record is durable. The records of a batch are applied in their order in
   * one synchronous turn. Rejects with LogFailure or LogFull; then nothing happened.
   */
  append(record: LogRecord): Promise<Result> {
    assert(!this.closed, "a closed log takes no records");
    const bytes = bytesAbout(record);
    if (!this.isAppending) return Promise.reject(notAppending());
    const refusal = this.options.mayTake?.(record);
    if (refusal !== undefined) return Promise.reject(new LogFailure(refusal));
    if (this.queue.full) return Promise.reject(new LogFull("too many records wait for the disk"));
    return new Promise((resolve, reject) => {
      this.queue.add({ record, bytes, resolve, reject });
      this.wake();
    });
  }

  /**
   * Makes the records that are appended from now on go to a new segment. Resolves when everything before it is durable and
   * applied or has failed, and before anything after it is applied.
   */
  rotate(): Promise<void> {
    return new Promise((resolve) => {
      this.queue.addRotation(resolve);
      this.wake();
    });
  }

  /** Takes records from now on; everything in the store is applied. */
  begin(): void {
    this.isAppending = true;
  }

  /**
   * Takes no more records, and fails those that wait. Resolves when the batch under way is durable and applied, or has
   * failed.
   */
  async end(): Promise<void> {
    if (!this.isAppending && !this.busy) return;
    this.isAppending = false;
    this.fail(this.queue.takeAll(), notAppending());
    await this.rotate();
  }

  /** Applies a batch that another node appended: it is the next one. */
  follow({ firstSeq, records, bytes, end }: ReadBatch): void {
    assert(!this.isAppending, "whoever appends follows nobody");
    assert(firstSeq === this.nextSeq, `record ${firstSeq} follows ${this.lastSeq}`);
    this.written += bytes;
    this.applyAll(records, end);
  }

  /** Throws NotApplied if a record could not be applied: nothing may be saved of the state then. */
  expectApplied(): void {
    if (this.notApplied !== undefined) throw this.notApplied;
  }

  /** Waits for what is under way and closes the store. */
  async close(): Promise<void> {
    this.closed = true;
    await this.rotate();
    await this.options.store.close();
  }

  private wake(): void {
    if (this.busy) return;
    this.busy = true;
    setImmediate(() => this.next());
  }

  private next(): void {
    for (let rotation; (rotation = this.queue.takeRotation()) !== undefined;) {
      this.options.store.rotate();
      rotation.rotated();
    }
    const batch = this.queue.takeBatch();
    this.busy = batch.length > 0;
    if (this.busy) this.send(batch);
  }

  private send(batch: readonly Waiting<Result>[]): void {
    this.sendingBytes = batch.reduce((sum, { bytes }) => sum + bytes, 0);
    const records = batch.map(({ record }) => record);
    // A failure of the store is a result: an error is a bug, or want of memory, and nothing catches it.
    void Promise.try(() => this.options.store.append(records))
      .then((result) => this.sent(batch, records, result))
      .catch((error: unknown) => {
        throw error instanceof NotApplied ? error : notApplied(this.nextSeq, "written", error);
      });
  }

  private sent(batch: readonly Waiting<Result>[], records: readonly LogRecord[], result: StoreResult): void {
    const { failure, freeBytes, bytes, end } = result;
    this.sendingBytes = 0;
    this.options.onWritten?.(result);
    if (!Number.isNaN(freeBytes)) this.free = freeBytes;
    if (failure !== null) this.fail(batch, new LogFailure(failure));
    else {
      this.written += bytes;
      const results = this.applyAll(records, end);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    }
    this.next();
  }

  private fail(batch: readonly Waiting<Result>[], failure: LogFailure): void {
    for (const { reject } of batch) reject(failure);
  }

  private applyAll(records: readonly LogRecord[], end: StreamPosition | undefined): Result[] {
    const firstSeq = this.nextSeq;
    this.lastSeq += records.length;
    this.lastPlace = end;
    try {
      return records.map((record, index) => this.options.apply(record, firstSeq + index));
    } catch (error) {
      throw (this.notApplied = notApplied(firstSeq, "applied", error));
    }
  }
}

function notApplied(firstSeq: number, what: "written" | "applied", error: unknown): NotApplied {
  return new NotApplied(`records from ${firstSeq} on could not be ${what}: ${String(error)}`, {
    cause: error,
  });
}

function notAppending(): LogFailure {
  return new LogFailure(new NotAppending("another node of the cluster appends"));
}
