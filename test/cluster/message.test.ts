/** The bytes of a message of the stream: they never change, and one that is damaged is none. */
import { describe, expect, test } from "bun:test";
import {
  decodeMessage,
  encodeMessages,
  headerBytes,
  messageBytesMax,
} from "../../src/cluster/stream/message.ts";
import { NewerFormat } from "../../src/lib/decoding.ts";

const id = (first: number) => Uint8Array.from({ length: 16 }, (_, index) => first + index);
const header = {
  incarnation: id(1),
  id: id(101),
  firstSeq: 4_294_967_297,
  count: 3,
  epoch: 7,
  previousChecksum: 0xfedcba98,
};

const golden =
  "46465331010000000102030405060708090a0b0c0d0e0f1065666768696a6b6c6d6e6f70717273740100000001000000" +
  "0300000007000000000000000100000098badcfed39b6914090807";

describe("a message", () => {
  test("has these bytes", () => {
    const { messages, checksum } = encodeMessages(Uint8Array.of(9, 8, 7), header);
    expect(messages.map((bytes) => bytes.toHex())).toEqual([golden]);
    expect(checksum).toBe(Buffer.from(messages[0] as Uint8Array).readUInt32LE(68));
  });

  test("comes back as it was", () => {
    const payload = Uint8Array.of(9, 8, 7);
    const { messages, checksum } = encodeMessages(payload, header);
    expect(decodeMessage(messages[0] as Uint8Array)).toEqual({
      ...header,
      part: 0,
      parts: 1,
      checksum,
      payload,
    });
  });

  test("is one of several where the batch is large, each with the checksum of the one before", () => {
    const payload = Uint8Array.from({ length: messageBytesMax * 2 }, (_, index) => index % 251);
    const { messages, checksum } = encodeMessages(payload, header);
    expect(messages.map(({ length }) => length)).toEqual([messageBytesMax, messageBytesMax, 3 * headerBytes]);
    const read = messages.map((bytes) => decodeMessage(bytes));
    expect(read.map((part) => [part?.part, part?.parts])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    expect(read[1]?.previousChecksum).toBe(read[0]?.checksum as number);
    expect(read[2]?.checksum).toBe(checksum);
    expect(Buffer.concat(read.map((part) => part?.payload as Uint8Array)).equals(payload)).toBe(true);
  });

  test("that is damaged anywhere, or cut, is none", () => {
    const bytes = encodeMessages(Uint8Array.of(9, 8, 7), header).messages[0] as Uint8Array;
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] as number) ^ 0x10;
      expect(decodeMessage(damaged)).toBeUndefined();
      expect(decodeMessage(bytes.slice(0, at))).toBeUndefined();
    }
  });

  test("of a newer format is refused", () => {
    const bytes = encodeMessages(Uint8Array.of(9), header).messages[0]?.slice() as Uint8Array;
    bytes[4] = 2;
    const own = Bun.hash.crc32(bytes.subarray(headerBytes), Bun.hash.crc32(bytes.subarray(0, 68)));
    Buffer.from(bytes.buffer).writeUInt32LE(own, 68);
    expect(() => decodeMessage(bytes)).toThrow(NewerFormat);
  });
});
