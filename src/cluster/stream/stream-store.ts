/**
 * The log in a stream of NATS JetStream. A batch is one message, or several where it is large, and is stored only where
 * this node knows the end of the stream: that fences off whoever appended before. Where no answer comes, the store looks
 * what stands at the next number, and knows its own batch by its id.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { encodeBatch, SegmentStrings } from "../../record/codec.ts";
import type { LogRecord } from "../../record/record.ts";
import {
  NotAppending,
  type LogStore,
  type ReadBatch,
  type StoreResult,
  type StreamPosition,
} from "../../wal/log-store.ts";
import { decodeMessage, encodeMessages, idBytes } from "./message.ts";
import { NotTaken } from "./not-taken.ts";
import type { Stream } from "./stream.ts";
import { StreamReader } from "./stream-reader.ts";

/** Another node appended: this one has to read that first. Nothing of the batch is stored, and it never will be. */
export class Fenced extends NotAppending {
  override name = "Fenced";
}

/** It is not known whether the batch is stored: the stream could not be reached for too long. Exported for tests. */
export class OutcomeUnknown extends Error {
  override name = "OutcomeUnknown";
}

/** The servers have no room. Nothing of the batch is stored, and this node knows the end of the stream as before. */
export class StreamFull extends Error {
  override name = "StreamFull";
}

type AppendFailure = Fenced | OutcomeUnknown | StreamFull;

export interface StreamStoreOptions {
  readonly stream: Stream;
  readonly clock: Clock;
  readonly random: Random;
  /** The place from which on messages are read; by default the beginning. */
  readonly position?: StreamPosition | undefined;
  /** Called after each append, before its result is known elsewhere. */
  readonly onAppended?: (failure: Error | null) => void;
  /** The longest that a batch waits for servers that do not answer. */
  readonly patienceMs?: number;
}

const patienceMsDefault = 8_000;
const retryMs = 50;

export class StreamStore implements LogStore {
  readonly batchBytesMax = 512 * 1024;
  private readonly incarnation: Uint8Array;
  private readonly reader: StreamReader;
  private epoch = 0;

  constructor(private readonly options: StreamStoreOptions) {
    const { incarnation, baseSeq } = options.stream.start;
    const start = { message: 0, nextSeq: baseSeq + 1, checksum: 0, epoch: 0 };
    this.incarnation = Uint8Array.fromHex(incarnation);
    this.reader = new StreamReader(this.incarnation, options.position ?? start);
  }

  get nextSeq(): number {
    return this.reader.position.nextSeq;
  }

  /** The place behind the last batch that was read or appended. */
  get position(): StreamPosition {
    return this.reader.position;
  }

  /** The number of the last message that was read or appended. */
  get lastMessage(): number {
    return this.reader.end.message;
  }

  /**
   * Begins an epoch by a batch without a record, behind everything that was read: whatever another node may still have
   * on its way is refused from then on. Resolves to why it could not.
   */
  async begin(): Promise<AppendFailure | null> {
    this.epoch = this.reader.end.epoch + 1;
    return (await this.append([])).failure;
  }

  async append(
    records: readonly LogRecord[],
  ): Promise<StoreResult & { readonly failure: AppendFailure | null }> {
    const { clock, random } = this.options;
    const startMs = clock.monotonicMs();
    const { checksum: previousChecksum, message } = this.reader.end;
    const { nextSeq } = this;
    this.epoch = Math.max(this.epoch, 1);
    const { epoch, incarnation } = this;
    const payload = encodeBatch(records, new SegmentStrings());
    const head = { incarnation, id: random.bytes(idBytes), firstSeq: nextSeq, count: records.length };
    const { messages, checksum } = encodeMessages(payload, { ...head, epoch, previousChecksum });
    const failure = await this.storeAll(messages, message);
    const position = {
      message: message + messages.length,
      nextSeq: nextSeq + records.length,
      checksum,
      epoch,
    };
    if (failure === null) this.reader.skipTo(position);
    const tookMs = clock.monotonicMs() - startMs;
    this.options.onAppended?.(failure);
    return { failure, freeBytes: NaN, tookMs, bytes: payload.length, end: position };
  }

  /**
   * Gives the batches behind the last one, as many as one answer has; none at the end. Each is decoded when it is asked for:
   * decoded, all of an answer would take many times its bytes. Throws as reading does, and for a message that cannot be taken.
   */
  async *read(): AsyncGenerator<ReadBatch> {
    for (const { number, bytes } of await this.options.stream.read(this.lastMessage + 1)) {
      const batch = this.reader.take(number, bytes);
      if (batch !== undefined) yield batch;
    }
  }

  /**
   * Lets records below `seq` go. The batch with the one before it stays: whoever has everything before `seq` goes on from
   * there.
   */
  async truncateBefore(seq: number): Promise<void> {
    const { stream } = this.options;
    let { first, last } = await stream.range();
    while (first < last) {
      const middle = Math.floor((first + last) / 2);
      const bytes = await stream.message(middle);
      const message = bytes && decodeMessage(bytes);
      if (message === undefined || message.firstSeq + message.count < seq) first = middle + 1;
      else last = middle;
    }
    await stream.removeBefore(first);
  }

  rotate(): void {
    // Each message has its own strings: there are no parts to begin.
  }

  async close(): Promise<void> {
    // The stream and its connection are their owner's.
  }

  private async storeAll(messages: readonly Uint8Array[], last: number): Promise<AppendFailure | null> {
    for (const [index, message] of messages.entries()) {
      const failure = await this.store(message, last + index);
      // The parts before are stored.
      if (index > 0 && failure instanceof StreamFull) return new OutcomeUnknown(failure.message);
      if (failure !== null) return failure;
    }
    return null;
  }

  /** Stores a message behind `last`. It is sent again until it is known what stands there: only one can. */
  private async store(message: Uint8Array, last: number): Promise<AppendFailure | null> {
    const { stream, clock, patienceMs = patienceMsDefault } = this.options;
    const untilMs = clock.monotonicMs() + patienceMs;
    for (let isFirst = true; ; isFirst = false) {
      const outcome = await stream.publish(message, last);
      if (outcome === "stored") return null;
      const found = await stream.message(last + 1).catch(() => null);
      if (found instanceof Uint8Array)
        return Buffer.from(found).equals(message)
          ? null
          : new Fenced(`another node appended message ${last + 1} of the stream`);
      const why = outcome instanceof NotTaken ? `: ${outcome.message}` : "";
      const unknown = new OutcomeUnknown(`the servers of NATS did not say whether they have it${why}`);
      // One that was sent before may still be on its way.
      if (outcome instanceof NotTaken && outcome.isFull)
        return isFirst && outcome.isSure && found === undefined
          ? new StreamFull(`the servers of NATS have no room${why}`)
          : unknown;
      if (stream.isEnded || clock.monotonicMs() > untilMs) return unknown;
      await Bun.sleep(retryMs);
    }
  }
}
