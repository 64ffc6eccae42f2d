import { expect, test } from "bun:test";
import { OldestFirst } from "../../src/lib/collections/oldest-first.ts";
import { heapBytes } from "../support/heap-bytes.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

test("the oldest entry is the first of a plain map, whatever is set and deleted", () => {
  const random = randomBySeed();
  const upTo = (most: number) => Math.floor(random() * most);
  const map = new OldestFirst<number, number>();
  const model = new Map<number, number>();
  for (let round = 0; round < rounds(20_000); round++) {
    const [key, value, chance] = [upTo(40), round, upTo(100)];
    if (chance < 45) for (const each of [map, model]) each.set(key, value);
    else if (chance < 75) for (const each of [map, model]) each.delete(key);
    else if (chance < 90) {
      const oldest = map.oldest();
      if (oldest !== undefined) for (const each of [map, model]) each.delete(oldest[0]);
    } else if (chance === 99) for (const each of [map, model]) each.clear();
    expect(map.oldest()).toEqual(model.entries().next().value);
  }
  expect([...map]).toEqual([...model]);
});

test("what was deleted takes no memory while the oldest entry stays", () => {
  const map = new OldestFirst<string, number>([
    ["old", 0],
    ["used", 0],
  ]);
  expect(map.oldest()).toEqual(["old", 0]);
  const use = (times: number) => {
    for (let time = 0; time < times; time++) {
      map.delete("used");
      map.set("used", time);
    }
    return heapBytes();
  };
  const before = use(10_000);
  expect(use(400_000) - before).toBeLessThan(10 * 1024 * 1024);
  map.delete("old");
  expect(map.oldest()?.[0]).toBe("used");
});
