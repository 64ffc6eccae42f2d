/** Sets of rows by value, against the values themselves. */
import { describe, expect, test } from "bun:test";
import { encodeSections, decodeSections } from "../../src/snapshot/section.ts";
import { rowSetsSection, viewAggregates } from "../../src/store/aggregate-sections.ts";
import { Chunk } from "../../src/store/chunk.ts";
import { keepRows, listRows, markAll, rowSetsOf, wordsFor, type RowSets } from "../../src/store/row-sets.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

/** Of a chunk whose rows have these values. */
function setsOf(values: readonly number[]): RowSets | undefined {
  const chunk = new Chunk(1, 0);
  chunk.rows = values.length;
  // The ids of the column are their own values, turned round.
  const greatest = Math.max(0, ...values);
  const valueOf = Uint32Array.from({ length: greatest + 1 }, (_, id) => greatest - id);
  return rowSetsOf(
    chunk,
    Uint32Array.from(values, (value) => greatest - value),
    valueOf,
  );
}

/** As they come back from a file. */
function stored(sets: RowSets): RowSets {
  const bytes = encodeSections([rowSetsSection(3, sets)]);
  return viewAggregates(decodeSections(bytes, "file")).rowSets(3) as RowSets;
}

function kept(sets: RowSets, mask: Uint8Array, rows: number): number[] {
  const bits = new Uint32Array(wordsFor(rows));
  markAll(bits, rows);
  keepRows(sets, mask, bits, new Uint32Array(bits.length));
  const list = new Uint32Array(rows);
  return [...list.subarray(0, listRows(bits, 0, 0, rows, list))];
}

describe("sets of rows", () => {
  test("have the rows of any values, of few and of many, rare and frequent", () => {
    const random = randomFrom(seed());
    for (let world = 0; world < 200; world++) {
      const rows = 1 + Math.floor(random() ** 2 * 3_000);
      const most = 1 + Math.floor(random() ** 2 * 200);
      // Some values far more often than others, and some never.
      const skew = 1 + random() * 6;
      const values = Array.from({ length: rows }, () => Math.floor(random() ** skew * most) * 3);
      const sets = stored(setsOf(values) as RowSets);
      for (let time = 0; time < 6; time++) {
        const share = random();
        const mask = Uint8Array.from({ length: 3 * most + 1 }, () => Number(random() < share));
        const expected = values.flatMap((value, row) => (mask[value] === 1 ? [row] : []));
        expect(kept(sets, mask, rows)).toEqual(expected);
      }
    }
  });

  test("of several dimensions leave what is in all of them", () => {
    const rows = 10_000;
    const [first, second] = [2, 3].map((by) => Array.from({ length: rows }, (_, row) => row % by));
    const bits = new Uint32Array(wordsFor(rows));
    const scratch = new Uint32Array(bits.length);
    markAll(bits, rows);
    keepRows(setsOf(first as number[]) as RowSets, Uint8Array.of(1, 0), bits, scratch);
    keepRows(setsOf(second as number[]) as RowSets, Uint8Array.of(1, 0, 1), bits, scratch);
    const list = new Uint32Array(rows);
    const count = listRows(bits, 4_000, 4_001, 9_999, list);
    const expected = Array.from({ length: rows }, (_, row) => row).filter(
      (row) => row % 2 === 0 && row % 3 !== 1 && row >= 4_001 && row < 9_999,
    );
    expect([...list.subarray(0, count)].map((row) => row + 4_000)).toEqual(expected);
  });

  test("are listed from any row to any other", () => {
    const bits = new Uint32Array(wordsFor(130));
    markAll(bits, 130);
    const list = new Uint32Array(130);
    for (let from = 0; from <= 130; from++)
      for (const to of [from, from + 1, from + 31, from + 32, from + 33, 130]) {
        if (to > 130) continue;
        const count = listRows(bits, from, from, to, list);
        expect([count, list[0]]).toEqual([to - from, to > from ? 0 : list[0]]);
        if (count > 0) expect(list[count - 1]).toBe(to - from - 1);
      }
  });

  test("take less than two bytes a row, and a bit a row for a value that most of them have", () => {
    const size = ({ bits, rows }: RowSets) => bits.byteLength + rows.byteLength;
    const rows = 65_536;
    const even = Array.from({ length: rows }, (_, row) => row % 200);
    expect(size(setsOf(even) as RowSets)).toBeLessThanOrEqual(2 * rows);
    const oneRare = Array.from({ length: rows }, (_, row) => Number(row % 1_000 === 0));
    expect(setsOf(oneRare)).toMatchObject({ rest: 0, ids: Uint32Array.of(1) });
    expect(size(setsOf(oneRare) as RowSets)).toBe(2 * Math.ceil(rows / 1_000));
  });

  test("of more values than are worth it there are none", () => {
    expect(setsOf(Array.from({ length: 300 }, (_, row) => row % 256))).toBeDefined();
    expect(setsOf(Array.from({ length: 300 }, (_, row) => row % 257))).toBeUndefined();
  });
});
