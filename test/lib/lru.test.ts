import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Lru, remembering } from "../../src/lib/collections/lru.ts";
import { seed } from "../support/seed.ts";

describe("Lru", () => {
  test("behaves as a list that is searched, whatever is asked of it", () => {
    const key = fc.integer({ min: 0, max: 6 });
    const step = fc.record({ verb: fc.constantFrom("get", "set", "delete"), key });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 60, size: "max" }),
        (entriesMax, steps) => {
          const lru = new Lru<number, number>(entriesMax);
          let model: [key: number, value: number][] = [];
          for (const [value, { verb, key }] of steps.entries()) {
            const known = model.find(([other]) => other === key);
            if (verb === "get") expect(lru.get(key)).toBe(known?.[1]);
            else if (verb === "set") lru.set(key, value);
            else lru.delete(key);
            const rest = model.filter(([other]) => other !== key);
            if (verb === "set") model = [...rest, [key, value] as [number, number]].slice(-entriesMax);
            else if (verb === "delete") model = rest;
            else if (known !== undefined) model = [...rest, known];
            expect(lru.size).toBe(model.length);
          }
        },
      ),
      { seed: seed() },
    );
  });
});

describe("remembering", () => {
  test("computes a text once while it is among the latest, and a long one each time", () => {
    const computed: string[] = [];
    const lengthOf = remembering((text) => computed.push(text), 2, 3);
    expect(["a", "b", "a", "long", "long", "c", "a", "b"].map(lengthOf)).toEqual([1, 2, 1, 3, 4, 5, 1, 6]);
    expect(computed).toEqual(["a", "b", "long", "long", "c", "b"]);
  });

  test("computes a text again whose computing threw", () => {
    let fails = true;
    const read = remembering(
      (text) => {
        if (fails) throw new Error(text);
        return text;
      },
      2,
      3,
    );
    expect(() => read("a")).toThrow("a");
    fails = false;
    expect(read("a")).toBe("a");
  });
});
