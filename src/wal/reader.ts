/**
 * Reads the frames of one segment. Each is verified and must continue the sequence numbers and checksums before it.
 * Reading stops where no frame continues; the caller decides whether that is the end, a torn tail or damage.
 */
import { expectContent } from "../lib/decoding.ts";
import { decodeBatch, SegmentStrings } from "../record/codec.ts";
import type { LogRecord } from "../record/record.ts";
import { alignment, decodeFrame, headerBytes, type VerifiedHeader } from "./format.ts";

export class SegmentReader {
  /** The end of the last frame that was read. */
  at = headerBytes;
  nextSeq: number;
  lastChecksum: number;
  /** Whether the last record read was `closed`, after which nothing was written. */
  closed = false;
  private readonly strings = new SegmentStrings();
  private readonly seed: number;

  constructor(
    private readonly bytes: Uint8Array,
    header: VerifiedHeader,
  ) {
    this.seed = header.checksum;
    this.lastChecksum = header.checksum;
    this.nextSeq = header.firstSeq;
  }

  /** Returns the records of the next batch; undefined if no frame continues. Throws NewerFormat and WrongContent. */
  next(): LogRecord[] | undefined {
    const frame = decodeFrame(this.bytes, this.at, this.seed);
    if (frame?.firstSeq !== this.nextSeq || frame.previousChecksum !== this.lastChecksum) return undefined;
    const records = decodeBatch(frame.payload, this.strings);
    expectContent(records.length === frame.count, `a frame of ${frame.count} records has ${records.length}`);
    this.at = frame.end;
    this.nextSeq += frame.count;
    this.lastChecksum = frame.checksum;
    this.closed = records.at(-1)?.kind === "closed";
    return records;
  }

  /** Returns whether any frame after the last one read verifies: then it is not just the tail that is torn. */
  hasLaterFrame(): boolean {
    for (let at = this.at; at < this.bytes.length; at += alignment)
      if (decodeFrame(this.bytes, at, this.seed) !== undefined) return true;
    return false;
  }
}
