import { expect, test } from "bun:test";
import { OldestFirst } from "../../src/lib/collections/oldest-first.ts";
import { TextMap } from "../../src/lib/collections/text-map.ts";
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
  expect(map.values()).toEqual([...model.values()]);
});

test("entries are listed as they were, whatever is set and deleted meanwhile", () => {
  const texts = new TextMap<number>();
  for (const text of ["a", "b", "c", "d"]) texts.set(text, 0);
  const listed: string[] = [];
  for (const [text, value] of texts) {
    listed.push(text);
    texts.delete("c");
    if (text === "a") texts.set(text, value + 1);
  }
  expect(listed).toEqual(["a", "b", "c", "d"]);
  expect([...texts]).toEqual([
    ["b", 0],
    ["d", 0],
    ["a", 1],
  ]);
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
