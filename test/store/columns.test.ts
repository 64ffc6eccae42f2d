import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { columnNames } from "../../src/core/questions/dimension.ts";
import {
  columnsOf,
  emptyColumns,
  movedRow,
  rowsByKey,
  sortedByTime,
  type Columns,
} from "../../src/store/columns/columns.ts";
import { IdColumn } from "../../src/store/columns/column.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

/** Every column of a row says its number, so that a row that came apart is seen. */
function columnsAt(times: readonly number[], propertyRows: readonly number[], wide: boolean): Columns {
  const numbers = times.map((_, row) => row);
  return {
    ...emptyColumns(0),
    time: Uint32Array.from(times),
    ids: columnsOf(() => new IdColumn(wide ? Uint32Array.from(numbers) : Uint16Array.from(numbers))),
    flags: Uint8Array.from(numbers),
    duration: Uint32Array.from(numbers),
    propertyRow: Uint32Array.from(propertyRows),
  };
}

test("rows by a key stand once each, however many there are and however large the keys", () => {
  // A key and a row of them do not fit a number that has 53 bits.
  const rows = 2 ** 21 + 3;
  const keys = Uint32Array.from({ length: rows }, (_, row) => 2 ** 32 - 1 - (row % 3));
  const order = rowsByKey(keys, rows);
  let misplaced = 0;
  for (let at = 1; at < rows; at++) {
    const [before, row] = [order[at - 1]!, order[at]!];
    const isRising = keys[before]! < keys[row]! || (keys[before]! === keys[row]! && before < row);
    if (!isRising) misplaced++;
  }
  expect(misplaced).toBe(0);
});

describe("columns sorted by time", () => {
  const rows = fc.array(fc.constantFrom(0, 1, 2, 7, 2_678_399_999), { maxLength: 60, size: "max" });

  test("keep each row whole, rows of one time in their order, and properties with their rows", () => {
    fc.assert(
      fc.property(rows, fc.boolean(), fc.infiniteStream(fc.nat()), (times, wide, any) => {
        const owners = times.map(() => {
          const row = any.next().value % (times.length + 1);
          return row === times.length ? movedRow : row;
        });
        const columns = columnsAt(times, owners, wide);
        const sorted = sortedByTime(columns, times.length, owners.length);
        const expected = times
          .map((_, row) => row)
          .sort((a, b) => (times[a] as number) - (times[b] as number));
        expect([...sorted.flags]).toEqual(expected);
        expect([...sorted.duration]).toEqual(expected);
        expect([...sorted.time]).toEqual(expected.map((row) => times[row] as number));
        for (const name of columnNames) {
          expect([...sorted.ids[name].values]).toEqual(expected);
          expect(sorted.ids[name].values).toBeInstanceOf(wide ? Uint32Array : Uint16Array);
        }
        const ownersNow = [...sorted.propertyRow].map((row) => (row === movedRow ? row : sorted.flags[row]));
        expect(ownersNow).toEqual(owners);
        expect([...columns.time]).toEqual([...times]);
      }),
      { seed: seed(), numRuns: rounds(300) },
    );
  });
});
