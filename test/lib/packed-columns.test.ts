/** Columns come back as they were packed, and so do those of the format before. */
import { expect, test } from "bun:test";
import { packed, unpacked } from "../../src/lib/packed-columns.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

test("columns of every width come back", () => {
  const random = randomFrom(seed());
  const columns = [0, 1, 8, 9, 16, 24, 31, 32, 33, 48, 53].map((bits) =>
    Float64Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() ** 3 * 2 ** bits)),
  );
  columns.push(Float64Array.of(2 ** 32 - 1, 0), Float64Array.of(2 ** 32, 5), new Float64Array(0));
  expect(unpacked(packed(columns)).map((column) => [...column])).toEqual(
    columns.map((column) => [...column]),
  );
});

test("columns that were packed before there were planes come back", () => {
  const bytes = new Uint8Array(8 * 5 + 8 * 4);
  const view = new DataView(bytes.buffer);
  // Their number, and of each its length and width; then the numbers.
  [4, 0, 3, 0, 3, 1, 2, 2, 1, 8].forEach((word, at) => view.setUint32(4 * at, word, true));
  bytes.set([7, 8, 9], 40);
  view.setUint16(48, 300, true);
  view.setUint16(50, 2, true);
  view.setFloat64(56, 2 ** 40, true);
  const columns = unpacked(Bun.zstdCompressSync(bytes));
  expect(columns.map((column) => [...column])).toEqual([[0, 0, 0], [7, 8, 9], [300, 2], [2 ** 40]]);
});
