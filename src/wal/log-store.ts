/**
 * The place where the batches of a log become durable, one behind the other. There are two kinds of equal rank: segments
 * on a disk (segment-store.ts), and a stream of NATS JetStream (cluster/stream/stream-store.ts).
 */
import type { LogRecord } from "../record/record.ts";

/** A node of an earlier version would not understand the record. Its message is for whoever asked for it. */
export class RecordTooNew extends Error {
  override name = "RecordTooNew";
}

/** Another node of a cluster appends: whoever asks again reaches it. */
export class NotAppending extends Error {
  override name = "NotAppending";
}

/** A place between two batches of a stream, from which a reader goes on: a checkpoint keeps it. */
export interface StreamPosition {
  /** The number of the last message before it; 0 for none. */
  readonly message: number;
  /** The sequence number of the next record. */
  readonly nextSeq: number;
  /** The checksum of that message; 0 for none. */
  readonly checksum: number;
  /** The epoch of that message; 0 for none. */
  readonly epoch: number;
}

/** A batch that was read from a stream. */
export interface ReadBatch {
  readonly firstSeq: number;
  readonly records: readonly LogRecord[];
  readonly bytes: number;
  /** The place behind it. */
  readonly end: StreamPosition;
}

export interface StoreResult {
  /** Null if the batch is durable. Else nothing of it may be applied, whatever became of it. */
  readonly failure: Error | null;
  /** The free bytes of the disk; NaN if it did not tell. */
  readonly freeBytes: number;
  /** How long it took to make the batch durable, or to fail; 0 if nobody was asked. */
  readonly tookMs: number;
  /** The bytes that the batch takes. */
  readonly bytes: number;
  /** The place behind it, in a stream. */
  readonly end?: StreamPosition;
}

/** A log that the nodes of a cluster share: each has a copy of what it says in a folder of its own. */
export interface SharedLog {
  /** Names the stream, as 16 bytes in hex: one that is made anew is another. */
  readonly incarnation: string;
  /** The id that all data folders of the cluster have, as hex. */
  readonly folderId: string;
  /** The last record that is in the folders and not in the stream; 0 for a new log. */
  readonly baseSeq: number;
  /** Returns why a record may not be appended yet: a node of an earlier version would not understand it. */
  mayTake(record: LogRecord): RecordTooNew | undefined;
  /** The largest budget of names that another node has; 0 if none is known. */
  readonly nameBytes?: () => number;
  /** Whether all nodes that are heard keep statistics equally long: else one would delete for all what another is to keep. */
  readonly agreesOnRetention?: () => boolean;
  /** Called behind the record of each checkpoint. `digest` returns that of the state there; undefined if it lacks something. */
  readonly onCheckpoint?: (seq: number, digest: () => number | undefined) => void;
  /** Opens the store behind a place. */
  open(place: StreamPosition): LogStore;
}

export interface LogStore {
  /** The sequence number of the record behind the last durable one that the store knows of; the first is 1. */
  readonly nextSeq: number;
  /** A batch has about so many bytes at most, unless one record is larger; the limit of the queue where it is left out. */
  readonly batchBytesMax?: number;
  /** Makes a batch durable behind all others; only one may be under way. Never rejects. */
  append(records: readonly LogRecord[]): Promise<StoreResult>;
  /** Asks that the next batch begins another part of the store, if it has parts. */
  rotate(): void;
  /** Nothing may be under way. */
  close(): Promise<void>;
}
