import { expect, test } from "bun:test";
import { OldestFirst } from "../../src/lib/collections/oldest-first.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

test("the oldest entry is the first of a plain map in which each use is a deletion, whatever is set and deleted", () => {
  const random = randomBySeed();
  const upTo = (most: number) => Math.floor(random() * most);
  const map = new OldestFirst<number, number>();
  const model = new Map<number, number>();
  const setLast = (key: number, value: number) => {
    model.delete(key);
    model.set(key, value);
  };
  for (let round = 0; round < rounds(20_000); round++) {
    const [key, value, chance] = [upTo(40), round, upTo(100)];
    if (chance < 45) {
      map.set(key, value);
      setLast(key, value);
    } else if (chance < 60) {
      const known = model.get(key);
      expect(map.use(key)).toBe(known);
      if (known !== undefined) setLast(key, known);
    } else if (chance < 80) for (const each of [map, model]) each.delete(key);
    else if (chance < 95) {
      const oldest = map.oldest();
      if (oldest !== undefined) for (const each of [map, model]) each.delete(oldest[0]);
    } else if (chance === 99) for (const each of [map, model]) each.clear();
    expect(map.oldest()).toEqual(model.entries().next().value);
    expect(map.get(key)).toBe(model.get(key));
    expect(map.size).toBe(model.size);
  }
  expect([...map]).toEqual([...model]);
});

test("an entry may be deleted while it is the one that was yielded", () => {
  const map = new OldestFirst<number, string>();
  for (const key of [1, 2, 3]) map.set(key, "");
  for (const [key] of map) if (key < 3) map.delete(key);
  expect([...map]).toEqual([[3, ""]]);
});

test("an entry that is set again and again is set as fast as all in turn", () => {
  const [entries, uses] = [32_768, 20_000];
  const map = new OldestFirst<string, number>();
  const keys = Array.from({ length: entries }, (_, number) => `network ${number}`);
  for (const key of keys) map.set(key, 0);
  const msOf = (keyOf: (use: number) => string) => {
    const beganMs = cpuMs();
    for (let use = 0; use < uses; use++) map.set(keyOf(use), use);
    return cpuMs() - beganMs;
  };
  const inTurn = (use: number) => keys[use]!;
  msOf(inTurn);
  // A plain map in which it is deleted and set again takes over a second.
  expect(msOf(() => keys[2]!)).toBeLessThan(5 * msOf(inTurn) + 50);
});
