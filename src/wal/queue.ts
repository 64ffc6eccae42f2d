/**
 * The queue of the log: the records that wait to be written and, between them, the requests for a new segment. It is
 * bounded: when it is full the sender is told, instead of the memory filling up.
 */
import { assert } from "../lib/assert.ts";
import type { LogRecord } from "../record/record.ts";

/** The most records of a batch. Exported for tests. */
export const batchRecordsMax = 4_096;
/** Exported for tests. */
export const batchBytesMax = 1024 * 1024;
/** The most records that wait for a batch. Exported for tests. */
export const waitingRecordsMax = 65_536;
/** Exported for tests. */
export const waitingBytesMax = 8 * 1024 * 1024;

export interface Waiting<Result> {
  readonly record: LogRecord;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

interface Rotation {
  readonly rotated: () => void;
}

export class BatchQueue<Result> {
  private readonly items: (Waiting<Result> | Rotation)[] = [];
  private waitingRecords = 0;
  /** The bytes of the log that the records which wait will take, about. */
  waitingBytes = 0;

  constructor(private readonly batchBytes = batchBytesMax) {}

  get full(): boolean {
    return this.waitingRecords >= waitingRecordsMax || this.waitingBytes >= waitingBytesMax;
  }

  add(waiting: Waiting<Result>): void {
    this.items.push(waiting);
    this.waitingRecords++;
    this.waitingBytes += waiting.bytes;
  }

  addRotation(rotated: () => void): void {
    this.items.push({ rotated });
  }

  /** Removes and returns the next item if it is a rotation. */
  takeRotation(): Rotation | undefined {
    const [next] = this.items;
    return next !== undefined && "rotated" in next ? (this.items.shift() as Rotation) : undefined;
  }

  /** Removes and returns all records; rotations stay. */
  takeAll(): Waiting<Result>[] {
    const taken: Waiting<Result>[] = [];
    for (const item of this.items.splice(0))
      if ("rotated" in item) this.items.push(item);
      else taken.push(item);
    this.waitingRecords = this.waitingBytes = 0;
    return taken;
  }

  /**
   * Removes and returns the records of one batch, at most up to the next rotation. A record over the limit goes alone.
   */
  takeBatch(): Waiting<Result>[] {
    const batch: Waiting<Result>[] = [];
    let bytes = 0;
    for (const item of this.items) {
      if ("rotated" in item || batch.length === batchRecordsMax) break;
      if (batch.length > 0 && bytes + item.bytes > this.batchBytes) break;
      batch.push(item);
      bytes += item.bytes;
    }
    this.items.splice(0, batch.length);
    this.waitingRecords -= batch.length;
    this.waitingBytes -= bytes;
    return batch;
  }
}

/**
 * Returns about how many bytes a record takes in the log, before its repeating strings are taken out. Asserts that its
 * strings are well formed: half a surrogate pair has no UTF-8, and replay would give another string.
 */
export function bytesAbout(value: unknown): number {
  if (typeof value === "string") {
    assert(value === "" || value.isWellFormed(), "a record holds no lone surrogate");
    return value.length + 2;
  }
  if (typeof value === "number") return 5;
  let bytes = 1;
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) bytes += bytesAbout(value[at]);
  else if (typeof value === "object")
    for (const name in value) bytes += bytesAbout((value as Record<string, unknown>)[name]);
  return bytes;
}
