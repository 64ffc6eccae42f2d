/**
 * The bytes of a message in the stream: a header, then a batch as it stands in a frame of a segment, with its own strings.
 * A batch that is larger than a message may be is cut into several, its parts. Little-endian. The functions are pure.
 *
 * header: magic u32, format u32, incarnation of the stream 16 bytes, id of the batch 16 bytes, first seq u64, count u32,
 *         epoch u32, number of the part u32, number of parts u32, checksum of the message before u32, own checksum u32
 *
 * A batch of no records begins an epoch: whoever appended before learns from it that another does now.
 */
import { assert } from "../../lib/assert.ts";
import { checksum } from "../../lib/hashes/checksum.ts";
import { NewerFormat } from "../../lib/decoding.ts";

const magic = 0x31534646; // "FFS1"
const formatVersion = 1;
export const idBytes = 16;
/** Exported for tests. */
export const headerBytes = 72;
const checksumAt = 68;
/** A nats-server takes messages of 1 MiB unless it is told otherwise. */
export const messageBytesMax = 512 * 1024;
const partBytesMax = messageBytesMax - headerBytes;

export interface MessageHeader {
  readonly incarnation: Uint8Array;
  readonly id: Uint8Array;
  /** The sequence number of the first record of the batch. */
  readonly firstSeq: number;
  readonly count: number;
  readonly epoch: number;
  /** The number of this part of the batch, from 0 on. */
  readonly part: number;
  readonly parts: number;
  readonly previousChecksum: number;
}

export interface StreamMessage extends MessageHeader {
  readonly checksum: number;
  /** The part of the batch, a view of the message's bytes. */
  readonly payload: Uint8Array;
}

/** Returns the messages of a batch; each names the checksum of the one before it. */
export function encodeMessages(
  payload: Uint8Array,
  header: Omit<MessageHeader, "part" | "parts">,
): { readonly messages: readonly Uint8Array[]; readonly checksum: number } {
  assert(header.incarnation.length === idBytes && header.id.length === idBytes, "ids have 16 bytes");
  const parts = Math.max(1, Math.ceil(payload.length / partBytesMax));
  let { previousChecksum } = header;
  const messages = Array.from({ length: parts }, (_, part) => {
    const slice = payload.subarray(part * partBytesMax, (part + 1) * partBytesMax);
    const bytes = encodeMessage(slice, { ...header, part, parts, previousChecksum });
    previousChecksum = viewOf(bytes).getUint32(checksumAt, true);
    return bytes;
  });
  return { messages, checksum: previousChecksum };
}

function encodeMessage(payload: Uint8Array, header: MessageHeader): Uint8Array {
  const bytes = new Uint8Array(headerBytes + payload.length);
  const view = viewOf(bytes);
  view.setUint32(0, magic, true);
  view.setUint32(4, formatVersion, true);
  bytes.set(header.incarnation, 8);
  bytes.set(header.id, 24);
  view.setBigUint64(40, BigInt(header.firstSeq), true);
  view.setUint32(48, header.count, true);
  view.setUint32(52, header.epoch, true);
  view.setUint32(56, header.part, true);
  view.setUint32(60, header.parts, true);
  view.setUint32(64, header.previousChecksum, true);
  bytes.set(payload, headerBytes);
  view.setUint32(checksumAt, checksumOf(bytes), true);
  return bytes;
}

/** Returns what a message says; undefined if it is no message of a log, or damaged. Throws NewerFormat. */
export function decodeMessage(bytes: Uint8Array): StreamMessage | undefined {
  if (bytes.length < headerBytes) return undefined;
  const view = viewOf(bytes);
  const own = view.getUint32(checksumAt, true);
  if (view.getUint32(0, true) !== magic || checksumOf(bytes) !== own) return undefined;
  const format = view.getUint32(4, true);
  if (format > formatVersion) throw new NewerFormat(`format ${format}, this one knows ${formatVersion}`);
  return {
    incarnation: bytes.slice(8, 8 + idBytes),
    id: bytes.slice(24, 24 + idBytes),
    firstSeq: Number(view.getBigUint64(40, true)),
    count: view.getUint32(48, true),
    epoch: view.getUint32(52, true),
    part: view.getUint32(56, true),
    parts: view.getUint32(60, true),
    previousChecksum: view.getUint32(64, true),
    checksum: own,
    payload: bytes.subarray(headerBytes),
  };
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

function checksumOf(bytes: Uint8Array): number {
  return checksum(bytes.subarray(headerBytes), checksum(bytes.subarray(0, checksumAt)));
}
