/**
 * The bytes of a segment: a header, then frames, one a batch. Little-endian; everything starts at a multiple of 8 and
 * is padded with zeros. The functions are pure: bytes in, values out.
 *
 * header: magic u32, format u32, data-folder id 16 bytes, first seq u64, of the predecessor: length u64 and
 *         last checksum u32 (its last seq is first seq - 1); number u32, own checksum u32, zero u32
 * frame:  magic u32, payload length u32, first seq u64, count u32, previous checksum u32, own checksum u32,
 *         then the payload
 *
 * The checksum of a frame starts from that of its segment's header, so that a frame of another segment, or one that a
 * visitor spelled out in a property, is never taken for one of this.
 */
import { assert } from "../lib/assert.ts";
import { checksum } from "../lib/hashes/checksum.ts";
import { NewerFormat } from "../lib/decoding.ts";

/** Exported for tests. */
export const formatVersion = 1;
const folderIdBytes = 16;
export const headerBytes = 56;
export const alignment = 8;
const headerMagic = 0x31574646; // "FFW1"
const headerChecksumAt = 48;
const frameMagic = 0xf7a3e5ff; // no byte sequence of a UTF-8 string
const frameChecksumAt = 24;
const payloadAt = 28;

export interface SegmentHeader {
  readonly folderId: Uint8Array;
  /** Rises by one from segment to segment; the first is 1. */
  readonly number: number;
  readonly firstSeq: number;
  /** The number of durable bytes of the segment before; bytes beyond them were never acknowledged. 0 for none. */
  readonly previousLength: number;
  /** The checksum of the last frame of the segment before; 0 for none. */
  readonly previousChecksum: number;
}

/** A header that was read; the checksums of its frames start from its own. */
export interface VerifiedHeader extends SegmentHeader {
  readonly checksum: number;
}

export interface Frame {
  readonly firstSeq: number;
  readonly count: number;
  /** The checksum of the frame before, or of the header. */
  readonly previousChecksum: number;
  readonly checksum: number;
  /** A view of the segment's bytes. */
  readonly payload: Uint8Array;
  /** The offset at which the next frame starts. */
  readonly end: number;
}

export function encodeHeader(header: SegmentHeader): Uint8Array<ArrayBuffer> {
  assert(header.folderId.length === folderIdBytes, "a data-folder id has 16 bytes");
  const bytes = new Uint8Array(headerBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, headerMagic, true);
  view.setUint32(4, formatVersion, true);
  bytes.set(header.folderId, 8);
  view.setBigUint64(24, BigInt(header.firstSeq), true);
  view.setBigUint64(32, BigInt(header.previousLength), true);
  view.setUint32(40, header.previousChecksum, true);
  view.setUint32(44, header.number, true);
  view.setUint32(headerChecksumAt, checksum(bytes.subarray(0, headerChecksumAt)), true);
  return bytes;
}

export type HeaderFault = "short" | "damaged";

/**
 * Reads the first bytes of a file, or says why they are no header. Throws NewerFormat: every format has a header of
 * this length with magic, format and checksum in these places.
 */
export function decodeHeader(bytes: Uint8Array): VerifiedHeader | HeaderFault {
  if (bytes.length < headerBytes) return "short";
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  const own = view.getUint32(headerChecksumAt, true);
  const sound = checksum(bytes.subarray(0, headerChecksumAt)) === own && view.getUint32(52, true) === 0;
  if (!sound || view.getUint32(0, true) !== headerMagic) return "damaged";
  const format = view.getUint32(4, true);
  if (format > formatVersion) throw new NewerFormat(`format ${format}, this one knows ${formatVersion}`);
  if (format < 1) return "damaged";
  return {
    folderId: bytes.slice(8, 8 + folderIdBytes),
    firstSeq: Number(view.getBigUint64(24, true)),
    previousLength: Number(view.getBigUint64(32, true)),
    previousChecksum: view.getUint32(40, true),
    number: view.getUint32(44, true),
    checksum: own,
  };
}

/** Returns the checksum that the header's bytes contain. */
export function headerChecksum(header: Uint8Array): number {
  return new DataView(header.buffer, header.byteOffset).getUint32(headerChecksumAt, true);
}

export interface FramePlace {
  readonly firstSeq: number;
  readonly count: number;
  readonly previousChecksum: number;
  /** The checksum of the segment's header. */
  readonly seed: number;
}

/** Returns how many bytes a frame with such a payload takes. */
export function frameBytes(payloadBytes: number): number {
  return Math.ceil((payloadAt + payloadBytes) / alignment) * alignment;
}

/** Writes a frame into `target` at `at`, where `frameBytes` zeros are; returns its checksum. */
export function encodeFrame(target: Uint8Array, at: number, payload: Uint8Array, place: FramePlace): number {
  const frame = target.subarray(at, at + frameBytes(payload.length));
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  view.setUint32(0, frameMagic, true);
  view.setUint32(4, payload.length, true);
  view.setBigUint64(8, BigInt(place.firstSeq), true);
  view.setUint32(16, place.count, true);
  view.setUint32(20, place.previousChecksum, true);
  frame.set(payload, payloadAt);
  const own = frameChecksum(frame, place.seed);
  view.setUint32(frameChecksumAt, own, true);
  return own;
}

/** Returns the frame at `at`; undefined if there is none that verifies. */
export function decodeFrame(bytes: Uint8Array, at: number, seed: number): Frame | undefined {
  if (bytes.length - at < payloadAt) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, payloadAt);
  if (view.getUint32(0, true) !== frameMagic) return undefined;
  const payloadBytes = view.getUint32(4, true);
  const end = at + frameBytes(payloadBytes);
  if (end > bytes.length) return undefined;
  const own = view.getUint32(frameChecksumAt, true);
  if (frameChecksum(bytes.subarray(at, end), seed) !== own) return undefined;
  return {
    firstSeq: Number(view.getBigUint64(8, true)),
    count: view.getUint32(16, true),
    previousChecksum: view.getUint32(20, true),
    checksum: own,
    payload: bytes.subarray(at + payloadAt, at + payloadAt + payloadBytes),
    end,
  };
}

function frameChecksum(frame: Uint8Array, seed: number): number {
  return checksum(frame.subarray(payloadAt), checksum(frame.subarray(0, frameChecksumAt), seed));
}
