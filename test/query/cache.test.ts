import { describe, expect, test } from "bun:test";
import { MemoryBudget } from "../../src/lib/memory/memory-budget.ts";
import { Scratch } from "../../src/lib/memory/scratch.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { randomBySeed } from "../support/seed.ts";

/** The bytes that an entry costs beside its value, with a key of three characters. */
const around = 512 + 2 * 3;

interface Owned {
  version: number;
}

/** Counts how often it had to make a value of 1,000 bytes. */
function asker(cache: QueryCache) {
  let times = 0;
  return (owner: Owned, key = "key", bytes = 1_000 - around) => {
    const before = times;
    const value = cache.get(owner, owner.version, key, bytes, () => ({
      value: `${key} ${owner.version} ${++times}`,
      bytes,
    }));
    return { value, made: times > before };
  };
}

function questions(cache: QueryCache, count: number): void {
  for (let at = 0; at < count; at++) cache.beginQuestion();
}

describe("a value", () => {
  test("is made once for an owner, a key and a version", () => {
    const ask = asker(new QueryCache(10_000));
    const [one, other] = [{ version: 1 }, { version: 1 }];
    expect(ask(one)).toEqual({ value: "key 1 1", made: true });
    expect(ask(one)).toEqual({ value: "key 1 1", made: false });
    expect(ask(one, "second")).toEqual({ value: "second 1 2", made: true });
    expect(ask(other)).toEqual({ value: "key 1 3", made: true });
    one.version = 2;
    expect(ask(one)).toEqual({ value: "key 2 4", made: true });
    expect(ask(other)).toEqual({ value: "key 1 3", made: false });
  });

  test("may be that there is nothing, which is known from then on", () => {
    const cache = new QueryCache(10_000);
    const owner = { version: 1 };
    let times = 0;
    const nothing = () => ({ value: void times++, bytes: 0 });
    for (let at = 0; at < 3; at++)
      expect(cache.get(owner, owner.version, "key", 100, nothing)).toBeUndefined();
    expect(times).toBe(1);
  });

  test("counts what it takes, not what it might have taken, and what is out of date not at all", () => {
    const cache = new QueryCache(10_000);
    const owner = { version: 1 };
    cache.get(owner, owner.version, "key", 5_000, () => ({ value: 1, bytes: 88 }));
    expect(cache.bytes).toBe(88 + around);
    owner.version++;
    cache.get(owner, owner.version, "key", 5_000, () => ({ value: 1, bytes: 188 }));
    expect(cache.bytes).toBe(188 + around);
  });
});

describe("what is kept by itself", () => {
  test("is found under its owner, key and version, in place of that of another version", () => {
    const cache = new QueryCache(10_000);
    const owner = {};
    cache.keep(owner, 1, "key", "one", 100);
    expect(cache.find<string>(owner, 1, "key")).toBe("one");
    for (const [of, version, key] of [
      [{}, 1, "key"],
      [owner, 2, "key"],
      [owner, 1, "other"],
    ] as const)
      expect(cache.find(of, version, key)).toBeUndefined();
    cache.keep(owner, 2, "key", "two", 200);
    expect(cache.find<string>(owner, 2, "key")).toBe("two");
    expect(cache.find(owner, 1, "key")).toBeUndefined();
    expect(cache.bytes).toBe(200 + around);
  });

  test("is not where there is no room", () => {
    const cache = new QueryCache(1_000);
    cache.keep({}, 1, "key", "one", 100);
    const owner = {};
    cache.keep(owner, 1, "key", "two", 100);
    expect(cache.find(owner, 1, "key")).toBeUndefined();
  });

  test("is handed on to what is made for another version", () => {
    const cache = new QueryCache(10_000);
    const owner = {};
    const extend = (known = "") => ({ value: `${known}+`, bytes: 10 });
    expect(cache.get(owner, 1, "key", 10, extend)).toBe("+");
    expect(cache.get(owner, 2, "key", 10, extend)).toBe("++");
    expect(cache.get(owner, 2, "key", 10, extend)).toBe("++");
  });
});

describe("a budget", () => {
  test("of nothing keeps nothing and makes nothing", () => {
    const ask = asker(new QueryCache(0));
    expect(ask({ version: 1 })).toEqual({ value: undefined, made: false });
    expect(ask({ version: 1 }, "key", 0)).toEqual({ value: undefined, made: false });
  });

  test("that is full of what the latest questions used takes no more", () => {
    const cache = new QueryCache(2_500);
    const ask = asker(cache);
    const [a, b, c] = [{ version: 1 }, { version: 1 }, { version: 1 }];
    ask(a);
    ask(b);
    questions(cache, 15);
    expect(ask(c).made).toBe(false);
    expect([ask(a).made, ask(b).made]).toEqual([false, false]);
  });

  test("that is full of what another page used makes room for this one, which then takes no more", () => {
    const cache = new QueryCache(2_500);
    const ask = asker(cache);
    const [a, b, c, d] = [{ version: 1 }, { version: 1 }, { version: 1 }, { version: 1 }];
    ask(a);
    ask(b);
    cache.beginPage();
    expect([ask(c).made, ask(b).made, ask(d).made]).toEqual([true, false, false]);
    expect([ask(b).made, ask(c).made, ask(a)]).toEqual([false, false, { value: undefined, made: false }]);
  });

  test("gives way to what was used the longest ago", () => {
    const cache = new QueryCache(2_500);
    const ask = asker(cache);
    const [a, b, c] = [{ version: 1 }, { version: 1 }, { version: 1 }];
    ask(a);
    ask(b);
    questions(cache, 40);
    expect(ask(a).made).toBe(false);
    questions(cache, 30);
    expect(ask(c).made).toBe(true);
    expect(ask(a).made).toBe(false);
    expect(ask(b)).toEqual({ value: undefined, made: false });
  });

  test("holds also where making a value makes another", () => {
    const cache = new QueryCache(2_500);
    const [inner, outer] = [{}, {}];
    const value = cache.getAlways(outer, 1, "key", 1_200, () => ({
      value: cache.getAlways(inner, 1, "key", 600, () => ({ value: 1, bytes: 600 })) + 1,
      bytes: 1_200,
    }));
    expect(value).toBe(2);
    expect(cache.find<number>(inner, 1, "key")).toBe(1);
    expect(cache.bytes).toBeLessThanOrEqual(2_500);
    const small = new QueryCache(2_000);
    const twice = () => small.get(inner, 1, "key", 600, () => ({ value: 1, bytes: 600 }));
    expect(small.get(outer, 1, "key", 1_200, () => ({ value: twice(), bytes: 1_200 }))).toBe(1);
    expect([small.find<number>(outer, 1, "key"), small.bytes]).toEqual([undefined, 600 + around]);
  });

  test("counts in a budget, and gives way there but for what the latest questions used", () => {
    const budget = new MemoryBudget(4_000, new Scratch());
    const cache = new QueryCache(10_000, budget);
    const ask = asker(cache);
    const [a, b, c] = [{ version: 1 }, { version: 1 }, { version: 1 }];
    ask(a);
    ask(b);
    ask(c);
    expect(budget.bytes).toBe(3_000);
    questions(cache, 16);
    ask(a);
    expect(budget.makeRoom(1_500)).toBe(true);
    expect([ask(a).made, ask(c).made, cache.bytes]).toEqual([false, false, 2_000]);
    expect(budget.makeRoom(3_000)).toBe(false);
    expect(cache.bytes).toBe(2_000);
  });

  test("takes the place of mappings up to what it is itself, and no more", () => {
    const budget = new MemoryBudget(5_000, new Scratch());
    const mapped = { bytes: 4_500, shed: (bytes: number) => void (mapped.bytes -= bytes) };
    budget.add("mapped", mapped);
    const ask = asker(new QueryCache(2_500, budget));
    const owners = [{ version: 1 }, { version: 1 }, { version: 1 }] as const;
    expect(owners.map((owner) => ask(owner).made)).toEqual([true, true, false]);
    expect(mapped.bytes).toBe(3_000);
  });

  test("is of no use where the budget has no room", () => {
    const ask = asker(new QueryCache(2_500, new MemoryBudget(900, new Scratch())));
    const owner = { version: 1 };
    expect([ask(owner).made, ask(owner).made]).toEqual([true, true]);
  });

  test("has an eighth that what is large leaves to the small", () => {
    const cache = new QueryCache(1_280_000);
    const keep = (bytes: number) => {
      const before = cache.bytes;
      cache.keep({}, 1, "key", 1, bytes - around);
      return cache.bytes - before;
    };
    for (const [bytes, kept] of [
      [1_040_000, 1_040_000],
      [80_001, 0],
      [80_000, 80_000],
      [80_000, 0],
      [65_537, 0],
      [65_536, 65_536],
      [65_536, 65_536],
      [65_536, 0],
    ] as const)
      expect(keep(bytes)).toBe(kept);
  });

  test("is not taken from the small by the large, however much of it comes", () => {
    const cache = new QueryCache(1_000_000);
    const owners = Array.from({ length: 12 }, () => ({ version: 1 }));
    const ask = asker(cache);
    // A tenth more than the eighth of the small.
    for (const owner of owners) ask(owner, "key", 11_500 - around);
    for (let at = 0; at < 20; at++) {
      questions(cache, 16);
      expect(ask({ version: 1 }, "large", 200_000).made).toBe(true);
    }
    questions(cache, 16);
    expect(owners.map((owner) => cache.find(owner, 1, "key") !== undefined)).toEqual(
      owners.map((_, at) => at > 1),
    );
  });

  test("has an eighth that mapped files leave to the small, too", () => {
    const budget = new MemoryBudget(1_000_000, new Scratch());
    const mapped = {
      bytes: 0,
      shed: (bytes: number) => void (mapped.bytes -= Math.min(bytes, mapped.bytes)),
    };
    budget.add("mapped", mapped);
    const cache = new QueryCache(400_000, budget);
    const [small, large] = [{ version: 1 }, { version: 1 }];
    const ask = asker(cache);
    ask(small, "key", 50_000 - around);
    ask(large, "large", 200_000 - 512 - 2 * 5);
    for (let at = 0; at < 40; at++) {
      questions(cache, 16);
      budget.makeRoom(900_000);
      mapped.bytes += 900_000;
    }
    expect(cache.find(small, 1, "key")).toBeDefined();
    expect(cache.bytes).toBe(50_000);
    expect(mapped.bytes).toBe(950_000);
  });

  test("has an eighth of the small in which the newest replace the oldest, whatever the large hold", () => {
    const cache = new QueryCache(1_000_000);
    const ask = asker(cache);
    const owners = Array.from({ length: 40 }, () => ({ version: 1 }));
    const large = { version: 1 };
    ask(large, "large", 875_000 - 512 - 2 * 5);
    for (const owner of owners) {
      ask(owner, "key", 11_500 - around);
      questions(cache, 2);
      ask(large, "large", 875_000 - 512 - 2 * 5);
    }
    expect(owners.map((owner) => cache.find(owner, 1, "key") !== undefined)).toEqual(
      owners.map((_, at) => at >= 30),
    );
    expect(cache.find<string>(large, 1, "large")).toBeDefined();
  });

  test("is not freed for what is larger than all of it", () => {
    const cache = new QueryCache(2_500);
    const ask = asker(cache);
    const a = { version: 1 };
    ask(a);
    questions(cache, 100);
    expect(ask({ version: 1 }, "large", 2_500).made).toBe(false);
    expect(ask(a).made).toBe(false);
  });

  test("is never exceeded, whatever is asked, and every answer is right", () => {
    const random = randomBySeed();
    const cache = new QueryCache(2_000_000);
    const owners = Array.from({ length: 30 }, () => ({ version: 0 }));
    let hits = 0;
    for (let at = 0; at < 5_000; at++) {
      if (random() < 0.3) cache.beginQuestion();
      const owner = owners[Math.floor(random() ** 2 * owners.length)] as Owned;
      if (random() < 0.05) owner.version++;
      const key = `key ${Math.floor(random() * 5)}`;
      const right = `${owners.indexOf(owner)} ${key} ${owner.version}`;
      // Half of them are large.
      const bytes = Math.floor(random() * 2 ** 17);
      let made = false;
      const value = cache.get(owner, owner.version, key, bytes, () => {
        made = true;
        return { value: right, bytes: Math.floor(bytes * random()) };
      });
      hits += Number(value !== undefined && !made);
      expect([right, undefined]).toContain(value);
      expect(cache.bytes).toBeLessThanOrEqual(2_000_000);
    }
    expect(hits).toBeGreaterThan(500);
  });
});
