import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TupleTable } from "../../src/store/values/tuples.ts";
import { seed } from "../support/seed.ts";

const tuple = fc.tuple(fc.nat(40), fc.nat(3), fc.nat(0xffffffff));

describe("TupleTable", () => {
  test("equal tuples have one id, different ones have two; one of nothing but overflow is overflow", () => {
    fc.assert(
      fc.property(fc.array(tuple, { maxLength: 500, size: "max" }), (tuples) => {
        const table = new TupleTable(3);
        const model = new Map<string, number>();
        for (const members of tuples) {
          const key = members.join();
          const isOverflow = members.every((id) => id === 0);
          const id = table.intern(members);
          expect(id).toBe(isOverflow ? 0 : (model.get(key) ?? model.size + 1));
          if (!isOverflow) model.set(key, id);
        }
        expect(table.size).toBe(model.size + 1);
        table.check();
      }),
      { seed: seed() },
    );
  });

  test("reads no more of an array than its members", () => {
    const table = new TupleTable(2);
    expect(table.intern([1, 2, 9])).toBe(1);
    expect(table.intern([1, 2])).toBe(1);
    expect(table.members.map((column) => column[1])).toEqual([1, 2]);
  });

  test("keeps ids while it grows", () => {
    const table = new TupleTable(2);
    for (let id = 1; id <= 20_000; id++) expect(table.intern([id % 7, id])).toBe(id);
    for (let id = 1; id <= 20_000; id += 777) expect(table.intern([id % 7, id])).toBe(id);
    table.check();
  });

  test("finds each of the tuples that were read from a file", () => {
    const table = new TupleTable(2);
    const ids = Uint32Array.from({ length: 5_000 }, (_, at) => at + 1);
    table.append([ids.map((id) => id % 7), ids]);
    for (const id of ids) expect(table.intern([id % 7, id])).toBe(id);
    expect(table.intern([0, 9_999])).toBe(5_001);
    table.check();
  });

  test("moves the tuples that are used, in their order, with the new ids of their members", () => {
    const table = new TupleTable(2);
    for (const ids of [
      [1, 5],
      [2, 5],
      [1, 6],
      [3, 0],
    ])
      table.intern(ids);
    const kept = new TupleTable(2);
    const newIds = table.moveUsed(
      Uint8Array.of(1, 0, 1, 1, 0),
      [Uint32Array.of(0, 1, 2, 0), Uint32Array.of(0, 0, 0, 0, 0, 2, 1)],
      kept,
    );
    expect([...newIds]).toEqual([0, 0, 1, 2, 0]);
    expect(kept.size).toBe(3);
    expect([kept.intern([2, 2]), kept.intern([1, 1]), kept.intern([1, 2])]).toEqual([1, 2, 3]);
    kept.check();
    expect(() => table.moveUsed(new Uint8Array(5), [], kept)).toThrow("tuples: moved into an empty table");
  });

  test("goes on from what another had, and asserts that nothing comes twice", () => {
    fc.assert(
      fc.property(fc.array(tuple, { maxLength: 300, size: "max" }), fc.nat(300), (tuples, first) => {
        const table = new TupleTable(3);
        const copy = new TupleTable(3);
        const copyRest = () => copy.append(table.members.map((ids) => ids.slice(copy.size, table.size)));
        tuples.forEach((members, at) => {
          if (at === first) copyRest();
          table.intern(members);
        });
        copyRest();
        copy.check();
        for (const members of tuples) expect(copy.intern(members)).toBe(table.intern(members));
        expect(copy.size).toBe(table.size);
      }),
      { seed: seed() },
    );
    const table = new TupleTable(1);
    table.append([Uint32Array.of(5, 5)]);
    expect(() => table.check()).toThrow("tuple 2 finds itself");
  });
});
