/**
 * Makes batches of the messages of a stream. Each message is verified, and must continue the numbers and the checksums
 * before it. Parts of a batch that its sender did not finish are passed over: another one has begun an epoch then.
 */
import { NewerFormat, WrongContent } from "../../lib/decoding.ts";
import { decodeBatch, SegmentStrings } from "../../record/codec.ts";
import type { LogRecord } from "../../record/record.ts";
import type { ReadBatch, StreamPosition } from "../../wal/log-store.ts";
import { decodeMessage, type StreamMessage } from "./message.ts";

/** The way out where no node can go on. */
export const wayOut =
  "where other nodes go on, start this one with an empty folder; where none does, 'footfall cluster move --back " +
  "--accept-loss' keeps everything before it";

/** The stream does not continue what is known of it, and no crash explains it. */
export class StreamDamage extends Error {
  override name = "StreamDamage";

  constructor(readonly found: string) {
    super(`${found}: ${wayOut}`);
  }
}

/** The stream has let messages go that are needed. */
export class StreamGap extends Error {
  override name = "StreamGap";
}

export class StreamReader {
  /** The parts that were read of a batch. */
  private parts: StreamMessage[] = [];
  private last: StreamPosition;

  constructor(
    private readonly incarnation: Uint8Array,
    private settled: StreamPosition,
  ) {
    this.last = settled;
  }

  /** The place behind the last whole batch. */
  get position(): StreamPosition {
    return this.settled;
  }

  /** The place behind the last message. */
  get end(): StreamPosition {
    return this.last;
  }

  /** Goes on behind a batch that this node appended itself. */
  skipTo(position: StreamPosition): void {
    this.settled = this.last = position;
    this.parts = [];
  }

  /**
   * Takes the next message. Returns the batch that it completes; undefined if it completes none. Throws StreamGap,
   * StreamDamage, NewerFormat and WrongContent; the message is the next one then as before.
   */
  take(number: number, bytes: Uint8Array): ReadBatch | undefined {
    const before = this.last;
    try {
      return this.taken(number, bytes);
    } catch (error) {
      this.last = before;
      throw error;
    }
  }

  private taken(number: number, bytes: Uint8Array): ReadBatch | undefined {
    const { message: before, nextSeq, checksum, epoch } = this.last;
    const message = decodeMessage(bytes);
    // Messages that went may have had no record behind the last known one.
    const isGap = number > before + 1;
    if (isGap && !(message?.part === 0 && message.firstSeq === nextSeq))
      throw new StreamGap(
        `the stream begins with message ${number}, but ${before + 1} is needed: start from a newer backup`,
      );
    const says = (what: string) => new StreamDamage(`message ${number} of the stream ${what}`);
    if (number <= before) throw says(`came after ${before}`);
    if (message === undefined) throw says("is damaged");
    if (!Buffer.from(message.incarnation).equals(this.incarnation)) throw says("belongs to another log");
    if (!isGap && message.previousChecksum !== checksum)
      throw says(
        "does not go on where the one before ends, so the stream was set back and others went on (keep this folder: what " +
          "it has of the time between may be in no other)",
      );
    if (message.firstSeq !== nextSeq || message.epoch < epoch)
      throw says(`has record ${message.firstSeq} of epoch ${message.epoch} after ${nextSeq - 1} of ${epoch}`);
    this.last = { message: number, nextSeq, checksum: message.checksum, epoch: message.epoch };
    if (message.part === 0) this.parts = [];
    const [first = message] = this.parts;
    if (message.part !== this.parts.length || !Buffer.from(first.id).equals(message.id))
      throw says(`is part ${message.part} of a batch of which ${this.parts.length} came`);
    this.parts.push(message);
    return this.parts.length === message.parts ? this.finish(message, says) : undefined;
  }

  private finish({ firstSeq, count }: StreamMessage, says: (what: string) => StreamDamage): ReadBatch {
    const payload = Buffer.concat(this.parts.map((part) => part.payload));
    const records = recordsOf(payload, says);
    if (records.length !== count) throw says(`has ${records.length} records where it says ${count}`);
    this.parts = [];
    this.settled = this.last = { ...this.last, nextSeq: firstSeq + count };
    return { firstSeq, records, bytes: payload.length, end: this.settled };
  }
}

function recordsOf(payload: Uint8Array, says: (what: string) => StreamDamage): LogRecord[] {
  try {
    return decodeBatch(payload, new SegmentStrings());
  } catch (error) {
    if (error instanceof NewerFormat) throw error.in("the stream");
    if (error instanceof WrongContent) throw says(`has a record that does not fit the log: ${error.message}`);
    throw error;
  }
}
