/**
 * Reads the frames of one segment, each verified and in its place: sequence numbers and checksums continue
 * those before. Where no frame continues, it stops; whether that is the end, a torn tail or damage is not
 * its question.
 */
import { expectContent } from "../lib/decoding.ts";
import { decodeBatch, SegmentStrings } from "../record/codec.ts";
import type { LogRecord } from "../record/record.ts";
import { alignment, decodeFrame, headerBytes, type VerifiedHeader } from "./format.ts";

export class SegmentReader {
  /** End of the last frame that was read. */
  at = headerBytes;
  nextSeq: number;
  lastChecksum: number;
  /** The last record read was `closed`: nothing was written after it. */
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

  /** The records of the next batch, or undefined if there is none that continues. Throws NewerFormat and WrongContent. */
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

  /** Whether a frame verifies anywhere after the last one read: then it is not the tail that is torn. */
  hasLaterFrame(): boolean {
    for (let at = this.at; at < this.bytes.length; at += alignment)
      if (decodeFrame(this.bytes, at, this.seed) !== undefined) return true;
    return false;
  }
}
