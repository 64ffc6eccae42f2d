import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Table } from "../../src/accounts/registry/table.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

interface Row {
  readonly id: number;
  readonly key: string;
}

function newTable(): Table<number, Row> {
  return new Table<number, Row>(
    ({ id }) => id,
    ({ key }) => [key],
  );
}

describe("Table", () => {
  test("a replaced row keeps its place", () => {
    const table = newTable();
    for (const [id, key] of ["a", "b", "c"].entries()) table.put({ id, key });
    table.put({ id: 0, key: "z" });
    expect([...table.rows.keys()]).toEqual([0, 1, 2]);
  });

  test("a key of another row is a bug", () => {
    const table = newTable();
    table.put({ id: 1, key: "a" });
    expect(() => table.put({ id: 2, key: "a" })).toThrow("the key of row 2 is free");
  });

  test("behaves as a list that is searched", () => {
    const step = fc.record({
      id: fc.nat(5),
      key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      remove: fc.boolean(),
    });
    const property = fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const table = newTable();
      let rows: Row[] = [];
      for (const { id, key, remove } of steps) {
        const taken = rows.some((row) => row.key === key && row.id !== id);
        if (remove) table.remove(id);
        else if (!taken) table.put({ id, key });
        if (remove || !taken) rows = rows.filter((row) => row.id !== id);
        if (!remove && !taken) rows.push({ id, key });
        table.check();
        expect(table.rows).toEqual(new Map(rows.map((row) => [row.id, row])));
        expect(table.find(key)).toEqual(rows.find((row) => row.key === key));
      }
    });
    fc.assert(property, { seed: seed(), numRuns: rounds(100) });
  });
});
