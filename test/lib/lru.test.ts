import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Lru, remembering } from "../../src/lib/collections/lru.ts";
import { cpuMs } from "../support/cpu-time.ts";
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

  test("finds an entry that is used again and again as fast as all in turn", () => {
    const [entries, looks] = [4_096, 200_000];
    const lru = new Lru<number, number>(entries);
    for (let key = 0; key <= entries; key++) lru.set(key, key);
    const msOf = (keyOf: (look: number) => number) => {
      const beganMs = cpuMs();
      for (let look = 0; look < looks; look++) lru.get(keyOf(look));
      return cpuMs() - beganMs;
    };
    const inTurn = (look: number) => 1 + (look % entries);
    msOf(inTurn);
    // A map that deletes and sets an entry at each use looks for it past all that it deleted: twenty times as long.
    expect(msOf(() => 2)).toBeLessThan(5 * msOf(inTurn) + 50);
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
