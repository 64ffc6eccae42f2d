/** Columns come back as they were packed, and so do those of the format before. */
import { expect, test } from "bun:test";
import { packed, PackedColumns, unpacked } from "../../src/lib/packing/packed-columns.ts";
import { randomBySeed } from "../support/seed.ts";

test("columns of every width come back", () => {
  const random = randomBySeed();
  const columns = [0, 1, 8, 9, 16, 24, 31, 32, 33, 48, 53].map((bits) =>
    Float64Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() ** 3 * 2 ** bits)),
  );
  columns.push(Float64Array.of(2 ** 32 - 1, 0), Float64Array.of(2 ** 32, 5), new Float64Array(0));
  expect(unpacked(packed(columns)).map((column) => [...column])).toEqual(
    columns.map((column) => [...column]),
  );
});

test("large numbers that come first cost the others nothing", () => {
  const column = (large: number) =>
    Uint32Array.from({ length: 5_000 }, (_, at) => (at < large ? 2 ** 31 + at : at % 7));
  const [few, most] = [column(3), column(4_900)];
  expect(unpacked(packed([few, most])).map((own) => [...own])).toEqual([[...few], [...most]]);
  expect(packed([few]).length).toBeLessThan(packed([column(0)]).length + 100);
});

test("columns are added to where they are asked for, entry by entry or by group", () => {
  const random = randomBySeed();
  const numbers = (bits: number) =>
    Float64Array.from({ length: 400 }, () => Math.floor(random() ** 4 * 2 ** bits));
  const columns = [numbers(20), numbers(3), numbers(45)];
  const entryOf = Uint32Array.from({ length: 400 }, () => Math.floor(random() * 9));
  const before = new Uint8Array(8 * 4 + 8 * 400 * 3);
  new Uint32Array(before.buffer, 0, 8).set([3, 0, 400, 8, 400, 8, 400, 8]);
  columns.forEach((column, at) => new Float64Array(before.buffer, 32 + 3_200 * at, 400).set(column));
  for (const data of [packed(columns), Bun.zstdCompressSync(before)]) {
    const own = new PackedColumns(data);
    expect([own.count, own.lengthOf(1)]).toEqual([3, 400]);
    const [words, doubles] = [new Uint32Array(800), new Float64Array(400)];
    for (const at of [0, 1]) own.addTo(words, at, { width: 2, at });
    own.addTo(doubles, 2, { width: 1, at: 0 });
    expect([...words]).toEqual([...columns[0]!].flatMap((number, at) => [number, columns[1]![at]!]));
    expect([...doubles]).toEqual([...columns[2]!]);
    // Most large numbers come first: of some columns the last ones have fewer bytes.
    for (const [at, column] of columns.entries())
      for (const [from, end] of [
        [0, 400],
        [17, 90],
        [390, 400],
        [400, 400],
      ] as const)
        expect([...own.part(at, from, end)]).toEqual([...column.subarray(from, end)]);
    const sumsOfGaps = new Uint32Array(12);
    own.gaps(0)(sumsOfGaps, 2, 5, 9);
    let sum = 0;
    const wanted = Array.from(columns[0]!.subarray(5, 14), (gap) => (sum += gap));
    expect([...sumsOfGaps]).toEqual([0, 0, ...wanted, 0]);
    const [wordsOf, doublesOf] = [new Uint32Array(18), new Float64Array(9)];
    for (const at of [0, 1]) own.addTo(wordsOf, at, { width: 2, at, entryOf });
    own.addTo(doublesOf, 2, { width: 1, at: 0, entryOf });
    const sums = [0, 1, 2].map(() => new Float64Array(9));
    entryOf.forEach((entry, at) => columns.forEach((column, of) => (sums[of]![entry]! += column[at]!)));
    expect([...wordsOf]).toEqual([...sums[0]!].flatMap((sum, entry) => [sum, sums[1]![entry]!]));
    expect([...doublesOf]).toEqual([...sums[2]!]);
  }
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
