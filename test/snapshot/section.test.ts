import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  aligned,
  bytesOf,
  decodeSections,
  encodedBytes,
  encodedPieces,
  encodeSections,
  fileChecksum,
  jsonSection,
  locateSections,
  readJson,
  settledBytesOf,
  SnapshotDamage,
} from "../../src/snapshot/section.ts";
import { checksum } from "../../src/lib/hashes/checksum.ts";
import { seed } from "../support/seed.ts";

const sections = fc.uniqueArray(
  fc.record({ name: fc.string({ unit: "grapheme" }), data: fc.uint8Array({ maxLength: 50, size: "max" }) }),
  {
    selector: ({ name }) => name,
    maxLength: 6,
  },
);

describe("sections", () => {
  test("read back what was written, aligned to eight bytes", () => {
    fc.assert(
      fc.property(sections, (given) => {
        const bytes = encodeSections(given);
        expect(bytes.length).toBe(encodedBytes(given));
        const read = decodeSections(bytes, "f");
        expect([...read.keys()]).toEqual(given.map(({ name }) => name));
        for (const { name, data } of given) expect(read.get(name)).toEqual(data);
        for (const data of read.values()) expect(data.byteOffset % 8).toBe(0);
      }),
      { seed: seed() },
    );
  });

  test("are aligned up to their greatest length", () => {
    const lengths = [0, 1, 7, 8, 2 ** 31 - 8, 2 ** 31 - 7, 2 ** 31, 2 ** 32 - 8, 2 ** 32 - 1];
    expect(lengths.map(aligned)).toEqual([0, 8, 8, 8, 2 ** 31 - 8, 2 ** 31, 2 ** 31, 2 ** 32 - 8, 2 ** 32]);
    const tooLong = { name: "data", data: { length: 2 ** 32 } as Uint8Array };
    expect(() => [...encodedPieces([tooLong])]).toThrow("a section's length has 32 bits");
  });

  test("refuse every flipped bit and every truncation", () => {
    const bytes = encodeSections([
      { name: "time", data: Uint8Array.of(1, 2, 3) },
      jsonSection("head", { rows: 3 }),
    ]);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => decodeSections(damaged, "f")).toThrow(SnapshotDamage);
    }
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeSections(bytes.subarray(0, length), "f")).toThrow(SnapshotDamage);
  });

  test("have another checksum for every content, though each file ends with its own", () => {
    const files = [1, 2, 3].map((byte) => encodeSections([{ name: "data", data: Uint8Array.of(byte) }]));
    expect(new Set(files.map(fileChecksum)).size).toBe(3);
    expect(new Set(files.map((file) => checksum(file))).size).toBe(1);
  });

  test("are found again without a look at what they hold", () => {
    fc.assert(
      fc.property(sections, (given) => {
        const bytes = encodeSections(given);
        expect(locateSections(bytes)).toEqual(decodeSections(bytes, "f"));
      }),
      { seed: seed() },
    );
  });

  test("say the file and the place of a damage", () => {
    const bytes = encodeSections([]);
    bytes[0] = 0;
    expect(() => decodeSections(bytes, "chunks/1/x.chunk")).toThrow(
      "chunks/1/x.chunk: no checkpoint file at byte 0",
    );
  });

  test("hold JSON and copies of typed arrays", () => {
    const column = Uint16Array.of(1, 2, 3);
    const copy = bytesOf(column.subarray(0, 2));
    column[0] = 9;
    expect(copy).toEqual(Uint8Array.of(1, 0, 2, 0));
    expect(readJson(jsonSection("x", { a: [null, "ü"] }).data)).toEqual({ a: [null, "ü"] });
  });

  test("hold what never changes without a copy where memory is shared, and with one where it is not", () => {
    const shared = new Uint32Array(new SharedArrayBuffer(16));
    shared.set([1, 2, 3, 4]);
    const bytes = settledBytesOf(shared.subarray(1, 3));
    expect(bytes.buffer).toBe(shared.buffer);
    expect([...bytes]).toEqual([2, 0, 0, 0, 3, 0, 0, 0]);
    const own = Uint32Array.of(5, 6);
    const copy = settledBytesOf(own.subarray(1));
    own[1] = 9;
    expect([...copy]).toEqual([6, 0, 0, 0]);
    expect(copy.buffer.byteLength).toBe(4);
    const sections = [{ name: "shared", data: bytes }];
    expect(decodeSections(encodeSections(sections), "f").get("shared")).toEqual(bytes.slice());
  });
});
