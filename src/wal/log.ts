/**
 * The log as its owner sees it: records go in, and come back applied when they are durable. It groups the records of
 * one turn of the event loop into a batch, writes one batch at a time, and never applies a record that a power cut
 * could take back. A failed batch is lost, and the log continues in a new segment.
 */
import { join } from "node:path";
import { assert } from "../lib/assert.ts";
import { encodeBatch, SegmentStrings } from "../record/codec.ts";
import type { LogRecord } from "../record/record.ts";
import { encodeFrame, encodeHeader, frameBytes, headerBytes, headerChecksum } from "./format.ts";
import type { LogPort, WriteRequest, WriteResult } from "./port.ts";
import { BatchQueue, bytesAbout, type Waiting } from "./queue.ts";
import { segmentName } from "./segment.ts";

/** The durable end of the log; the next segment states it in its header. */
export interface LogPosition {
  /** The sequence number of the next record; the first is 1. */
  readonly nextSeq: number;
  /** The number of the segment that holds the last record; 0 for none. */
  readonly segmentNumber: number;
  readonly lastChecksum: number;
  /** The number of valid bytes in that segment. */
  readonly lastLength: number;
}

/** The position at which a folder's log begins. */
export const logStart: LogPosition = { nextSeq: 1, segmentNumber: 0, lastChecksum: 0, lastLength: 0 };

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
  /** The folder of the segments, as left by `replay`. */
  readonly directory: string;
  readonly folderId: Uint8Array;
  readonly position: LogPosition;
  readonly port: LogPort;
  /** Must not throw: what it gets is history already. */
  readonly apply: (record: LogRecord, seq: number) => Result;
  /** Receives what became of each batch. */
  readonly onWritten?: (result: WriteResult) => void;
  /** The size from which on a segment takes no more batches, so that the next one begins another. */
  readonly segmentBytesMax?: number;
}

interface OpenSegment {
  readonly path: string;
  readonly header: Uint8Array;
  /** The checksum of the header, from which those of the frames start. */
  readonly seed: number;
  readonly strings: SegmentStrings;
}

export class Log<Result> {
  private readonly queue = new BatchQueue<Result>();
  private readonly segmentBytesMax: number;
  private position: LogPosition;
  /** The segment that contains `position` and takes more batches; if undefined, the next batch begins one. */
  private segment: OpenSegment | undefined;
  /** Whether a batch is being written, or a turn is scheduled that will look for one. */
  private busy = false;
  private closed = false;
  private written = 0;
  private free = Infinity;
  private sendingBytes = 0;

  constructor(private readonly options: LogOptions<Result>) {
    this.position = options.position;
    this.segmentBytesMax = options.segmentBytesMax ?? 64 * 1024 * 1024;
  }

  /** The sequence number that the next durable record gets. */
  get nextSeq(): number {
    return this.position.nextSeq;
  }

  /** The sequence number of the last record that is durable and applied; 0 for none. */
  get durableSeq(): number {
    return this.position.nextSeq - 1;
  }

  /** The end of what is durable and applied. */
  get end(): LogPosition {
    return this.position;
  }

  /** The number of durable bytes written through this object. */
  get bytesSinceStart(): number {
    return this.written;
  }

  /** The free bytes of the log's disk after the last batch; Infinity before the first. */
  get freeBytes(): number {
    return this.free;
  }

  /** About how many bytes the records will take that are not durable yet. */
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
    if (this.queue.full) return Promise.reject(new LogFull("too many records wait for the disk"));
    return new Promise((resolve, reject) => {
      this.queue.add({ record, bytes, resolve, reject });
      this.wake();
    });
  }

  /**
   * Makes the records that are appended from now on go to a new segment. Resolves to its first sequence number when
   * everything before it is durable and applied or has failed, and before anything after it is applied.
   */
  rotate(): Promise<number> {
    return new Promise((resolve) => {
      this.queue.addRotation(() => resolve(this.nextSeq));
      this.wake();
    });
  }

  /** Waits for what is under way and closes the segment. */
  async close(): Promise<void> {
    this.closed = true;
    await this.rotate();
    await this.options.port.close();
  }

  private wake(): void {
    if (this.busy) return;
    this.busy = true;
    setImmediate(() => this.next());
  }

  private next(): void {
    for (let rotation; (rotation = this.queue.takeRotation()) !== undefined;) {
      this.segment = undefined;
      rotation.rotated();
    }
    const batch = this.queue.takeBatch();
    this.busy = batch.length > 0;
    if (this.busy) this.send(batch);
  }

  private send(batch: readonly Waiting<Result>[]): void {
    const { request, position, segment } = this.compose(batch.map(({ record }) => record));
    const bytes = (this.sendingBytes = request.bytes.length);
    // An error in here is a bug and no failure of the disk: it stays unhandled and ends the process.
    void this.options.port.write(request).then((result: WriteResult) => {
      const { failure, freeBytes } = result;
      this.sendingBytes = 0;
      this.options.onWritten?.(result);
      if (!Number.isNaN(freeBytes)) this.free = freeBytes;
      this.segment = failure === null ? segment : undefined;
      if (failure !== null) this.fail(batch, new LogFailure(failure));
      else {
        this.written += bytes;
        this.applyBatch(batch, position);
      }
      this.next();
    });
  }

  private fail(batch: readonly Waiting<Result>[], failure: LogFailure): void {
    for (const { reject } of batch) reject(failure);
  }

  private applyBatch(batch: readonly Waiting<Result>[], position: LogPosition): void {
    const firstSeq = this.position.nextSeq;
    this.position = position;
    const results = batch.map(({ record }, index) => this.options.apply(record, firstSeq + index));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  }

  /** Returns the bytes of a batch, and the log's position once they are durable. */
  private compose(records: readonly LogRecord[]) {
    const { nextSeq, lastChecksum, lastLength } = this.position;
    const open = lastLength < this.segmentBytesMax ? this.segment : undefined;
    const segment = open ?? this.begin();
    const starts = open === undefined;
    const payload = encodeBatch(records, segment.strings);
    const at = starts ? headerBytes : 0;
    const bytes = new Uint8Array(at + frameBytes(payload.length));
    if (starts) bytes.set(segment.header);
    const checksum = encodeFrame(bytes, at, payload, {
      firstSeq: nextSeq,
      count: records.length,
      previousChecksum: starts ? segment.seed : lastChecksum,
      seed: segment.seed,
    });
    const request: WriteRequest = { segment: segment.path, starts, bytes };
    const position: LogPosition = {
      nextSeq: nextSeq + records.length,
      segmentNumber: this.position.segmentNumber + (starts ? 1 : 0),
      lastChecksum: checksum,
      lastLength: (starts ? 0 : lastLength) + bytes.length,
    };
    return { request, position, segment };
  }

  private begin(): OpenSegment {
    const { nextSeq, segmentNumber, lastChecksum, lastLength } = this.position;
    const header = encodeHeader({
      folderId: this.options.folderId,
      number: segmentNumber + 1,
      firstSeq: nextSeq,
      previousLength: lastLength,
      previousChecksum: lastChecksum,
    });
    const path = join(this.options.directory, segmentName(nextSeq));
    return { path, header, seed: headerChecksum(header), strings: new SegmentStrings() };
  }
}
