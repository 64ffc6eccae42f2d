import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  alignment,
  decodeFrame,
  decodeHeader,
  encodeFrame,
  encodeHeader,
  frameBytes,
  headerBytes,
  headerChecksum,
  type FramePlace,
} from "../../src/wal/format.ts";
import { seed } from "../support/seed.ts";

const uint32 = fc.nat({ max: 0xffffffff });
const anyHeader = fc.record({
  folderId: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  number: uint32,
  firstSeq: fc.maxSafeNat(),
  previousLength: fc.maxSafeNat(),
  previousChecksum: uint32,
});
const anyPlace = fc.record({
  firstSeq: fc.maxSafeNat(),
  count: uint32,
  previousChecksum: uint32,
  seed: uint32,
});
const anyPayload = fc.uint8Array({ maxLength: 100, size: "max" });

function encoded(payload: Uint8Array, place: FramePlace, at = 0): Uint8Array {
  const bytes = new Uint8Array(at + frameBytes(payload.length));
  encodeFrame(bytes, at, payload, place);
  return bytes;
}

function* flips(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) {
    const flipped = bytes.slice();
    for (let bit = 0; bit < 8; bit++) {
      flipped[at] = (bytes[at] as number) ^ (1 << bit);
      yield flipped;
    }
  }
}

describe("a header", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(anyHeader, (header) => {
        const bytes = encodeHeader(header);
        expect(bytes).toHaveLength(headerBytes);
        expect(decodeHeader(bytes)).toEqual({ ...header, checksum: headerChecksum(bytes) });
      }),
      { seed: seed() },
    );
  });

  test("that is short or damaged in any bit is none", () => {
    const folderId = new Uint8Array(16).fill(9);
    const header = { folderId, number: 3, firstSeq: 1_000, previousLength: 400, previousChecksum: 5 };
    const bytes = encodeHeader(header);
    for (const flipped of flips(bytes)) expect(decodeHeader(flipped)).toBe("damaged");
    for (let length = 0; length < bytes.length; length++)
      expect(decodeHeader(bytes.subarray(0, length))).toBe("short");
  });

  test("needs a folder id of 16 bytes", () => {
    const header = { number: 1, firstSeq: 1, previousLength: 0, previousChecksum: 0 };
    expect(() => encodeHeader({ ...header, folderId: new Uint8Array(15) })).toThrow("16 bytes");
  });
});

describe("a frame", () => {
  test("is read as it was written, at any place of a file", () => {
    fc.assert(
      fc.property(anyPayload, anyPlace, fc.nat({ max: 5 }), (payload, place, blocks) => {
        const at = blocks * alignment;
        const bytes = encoded(payload, place, at);
        const { seed, ...rest } = place;
        const frame = decodeFrame(bytes, at, seed);
        expect(frame).toMatchObject({ ...rest, end: bytes.length });
        expect(frame?.payload).toEqual(payload);
        expect(bytes.length % alignment).toBe(0);
      }),
      { seed: seed() },
    );
  });

  test("that is damaged in any bit, the padding too, or cut anywhere, is none", () => {
    const place = { firstSeq: 77, count: 2, previousChecksum: 123_456, seed: 42 };
    const bytes = encoded(new Uint8Array([1, 2, 3, 4, 5]), place);
    for (const flipped of flips(bytes)) expect(decodeFrame(flipped, 0, 42)).toBeUndefined();
    for (let length = 0; length < bytes.length; length++)
      expect(decodeFrame(bytes.subarray(0, length), 0, 42)).toBeUndefined();
    expect(decodeFrame(bytes, 0, 42)).toBeDefined();
  });

  test("of another segment is none", () => {
    fc.assert(
      fc.property(anyPayload, anyPlace, uint32, (payload, place, other) => {
        fc.pre(other !== place.seed);
        expect(decodeFrame(encoded(payload, place), 0, other)).toBeUndefined();
      }),
      { seed: seed() },
    );
  });

  test("returns the checksum that the next one states", () => {
    const place = { firstSeq: 1, count: 1, previousChecksum: 0, seed: 7 };
    const bytes = new Uint8Array(frameBytes(3));
    const own = encodeFrame(bytes, 0, new Uint8Array(3), place);
    expect(decodeFrame(bytes, 0, 7)?.checksum).toBe(own);
  });
});
