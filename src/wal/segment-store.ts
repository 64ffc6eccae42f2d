/**
 * The log in segments on a disk. A batch is one frame, written and synced by the port. After a failure nobody knows what
 * the segment holds, so the next batch begins another.
 */
import { join } from "node:path";
import { encodeBatch, SegmentStrings } from "../record/codec.ts";
import type { LogRecord } from "../record/record.ts";
import { encodeFrame, encodeHeader, frameBytes, headerBytes, headerChecksum } from "./format.ts";
import type { LogStore, StoreResult } from "./log-store.ts";
import type { LogPort, WriteRequest } from "./worker-port.ts";
import { logStart, type LogPosition } from "./position.ts";
import { segmentName } from "./segment.ts";

/**
 * A segment with so many strings, or characters of them, takes no more batches: they stay in memory as long as it does. Where
 * every hit has new names, a segment of 64 MiB would have a million, and take twice its bytes where each has one character of
 * 16 bits.
 */
const stringsMax = 65_536;
const charactersMax = 4_000_000;

export interface SegmentStoreOptions {
  /** The folder of the segments. */
  readonly directory: string;
  readonly folderId: Uint8Array;
  readonly port: LogPort;
  /** The end of the log, as `replay` of recovery.ts left it; by default that of a log without a record. */
  readonly position?: LogPosition;
  /** Returns why nothing may be written to the folder, if so. */
  readonly whyNot?: (() => Error | undefined) | undefined;
  /** The size from which on a segment takes no more batches, so that the next one begins another. */
  readonly segmentBytesMax?: number | undefined;
}

interface OpenSegment {
  readonly path: string;
  readonly header: Uint8Array;
  /** The checksum of the header, from which those of the frames start. */
  readonly seed: number;
  readonly strings: SegmentStrings;
}

export class SegmentStore implements LogStore {
  private readonly segmentBytesMax: number;
  private position: LogPosition;
  /** The segment that contains `position` and takes more batches; if undefined, the next batch begins one. */
  private segment: OpenSegment | undefined;

  constructor(private readonly options: SegmentStoreOptions) {
    this.position = options.position ?? logStart;
    this.segmentBytesMax = options.segmentBytesMax ?? 64 * 1024 * 1024;
  }

  get nextSeq(): number {
    return this.position.nextSeq;
  }

  /** The end of what is durable. */
  get end(): LogPosition {
    return this.position;
  }

  async append(records: readonly LogRecord[]): Promise<StoreResult> {
    const { request, position, segment } = this.compose(records);
    // The port takes the bytes away.
    const bytes = request.bytes.length;
    const result = await this.write(request);
    const isDurable = result.failure === null;
    this.segment = isDurable ? segment : undefined;
    if (isDurable) this.position = position;
    return { ...result, bytes };
  }

  /**
   * Writes if the folder may be written to, before and after: whoever took it in between may have read the log before the
   * batch was in it.
   */
  private async write(request: WriteRequest): Promise<Omit<StoreResult, "bytes">> {
    const { whyNot = () => undefined, port } = this.options;
    const refusal = whyNot();
    if (refusal !== undefined) return { failure: refusal, freeBytes: NaN, tookMs: 0 };
    const result = await port.write(request);
    return { ...result, failure: result.failure ?? whyNot() ?? null };
  }

  rotate(): void {
    this.segment = undefined;
  }

  close(): Promise<void> {
    return this.options.port.close();
  }

  /** Returns the bytes of a batch, and the log's position once they are durable. */
  private compose(records: readonly LogRecord[]) {
    const { nextSeq, lastChecksum, lastLength } = this.position;
    const { size = 0, characters = 0 } = this.segment?.strings ?? {};
    const hasRoom = lastLength < this.segmentBytesMax && size < stringsMax && characters < charactersMax;
    const open = hasRoom ? this.segment : undefined;
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
