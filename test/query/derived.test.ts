import { describe, expect, test } from "bun:test";
import { MemoryAccount } from "../../src/lib/memory-account.ts";
import { Scratch } from "../../src/lib/scratch.ts";
import { Derived } from "../../src/query/derived.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

/** What an entry costs beside its value, with a key of three characters. */
const around = 512 + 2 * 3;

interface Owned {
  version: number;
}

/** Counts how often it had to derive; a value of 1,000 bytes. */
function asker(derived: Derived) {
  let times = 0;
  return (owner: Owned, key = "key", bytes = 1_000 - around) => {
    const before = times;
    const value = derived.get(owner, owner.version, key, bytes, () => ({
      value: `${key} ${owner.version} ${++times}`,
      bytes,
    }));
    return { value, made: times > before };
  };
}

function questions(derived: Derived, count: number): void {
  for (let at = 0; at < count; at++) derived.beginQuestion();
}

describe("what was derived", () => {
  test("is derived once for an owner, a key and a version", () => {
    const ask = asker(new Derived(10_000));
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
    const derived = new Derived(10_000);
    const owner = { version: 1 };
    let times = 0;
    const nothing = () => ({ value: void times++, bytes: 0 });
    for (let at = 0; at < 3; at++)
      expect(derived.get(owner, owner.version, "key", 100, nothing)).toBeUndefined();
    expect(times).toBe(1);
  });

  test("counts what it takes, not what it might have taken, and what is out of date not at all", () => {
    const derived = new Derived(10_000);
    const owner = { version: 1 };
    derived.get(owner, owner.version, "key", 5_000, () => ({ value: 1, bytes: 88 }));
    expect(derived.bytes).toBe(88 + around);
    owner.version++;
    derived.get(owner, owner.version, "key", 5_000, () => ({ value: 1, bytes: 188 }));
    expect(derived.bytes).toBe(188 + around);
  });
});

describe("what is kept by itself", () => {
  test("is found under its owner, key and version, in place of that of another version", () => {
    const derived = new Derived(10_000);
    const owner = {};
    derived.keep(owner, 1, "key", "one", 100);
    expect(derived.find<string>(owner, 1, "key")).toBe("one");
    for (const [of, version, key] of [
      [{}, 1, "key"],
      [owner, 2, "key"],
      [owner, 1, "other"],
    ] as const)
      expect(derived.find(of, version, key)).toBeUndefined();
    derived.keep(owner, 2, "key", "two", 200);
    expect(derived.find<string>(owner, 2, "key")).toBe("two");
    expect(derived.find(owner, 1, "key")).toBeUndefined();
    expect(derived.bytes).toBe(200 + around);
  });

  test("is not where there is no room", () => {
    const derived = new Derived(1_000);
    derived.keep({}, 1, "key", "one", 100);
    const owner = {};
    derived.keep(owner, 1, "key", "two", 100);
    expect(derived.find(owner, 1, "key")).toBeUndefined();
  });

  test("is handed on to what is derived for another version", () => {
    const derived = new Derived(10_000);
    const owner = {};
    const extend = (known = "") => ({ value: `${known}+`, bytes: 10 });
    expect(derived.get(owner, 1, "key", 10, extend)).toBe("+");
    expect(derived.get(owner, 2, "key", 10, extend)).toBe("++");
    expect(derived.get(owner, 2, "key", 10, extend)).toBe("++");
  });
});

describe("a budget", () => {
  test("of nothing keeps nothing and derives nothing", () => {
    const ask = asker(new Derived(0));
    expect(ask({ version: 1 })).toEqual({ value: undefined, made: false });
    expect(ask({ version: 1 }, "key", 0)).toEqual({ value: undefined, made: false });
  });

  test("that is full of what the latest questions used takes no more", () => {
    const derived = new Derived(2_500);
    const ask = asker(derived);
    const [a, b, c] = [{ version: 1 }, { version: 1 }, { version: 1 }];
    ask(a);
    ask(b);
    questions(derived, 15);
    expect(ask(c).made).toBe(false);
    expect([ask(a).made, ask(b).made]).toEqual([false, false]);
  });

  test("gives way to what was used the longest ago", () => {
    const derived = new Derived(2_500);
    const ask = asker(derived);
    const [a, b, c] = [{ version: 1 }, { version: 1 }, { version: 1 }];
    ask(a);
    ask(b);
    questions(derived, 40);
    expect(ask(a).made).toBe(false);
    questions(derived, 30);
    expect(ask(c).made).toBe(true);
    expect(ask(a).made).toBe(false);
    expect(ask(b)).toEqual({ value: undefined, made: false });
  });

  test("holds also where deriving derives something else", () => {
    const derived = new Derived(2_500);
    const [inner, outer] = [{}, {}];
    const value = derived.getAlways(outer, 1, "key", 1_200, () => ({
      value: derived.getAlways(inner, 1, "key", 600, () => ({ value: 1, bytes: 600 })) + 1,
      bytes: 1_200,
    }));
    expect(value).toBe(2);
    expect(derived.find<number>(inner, 1, "key")).toBe(1);
    expect(derived.bytes).toBeLessThanOrEqual(2_500);
    const small = new Derived(2_000);
    const twice = () => small.get(inner, 1, "key", 600, () => ({ value: 1, bytes: 600 }));
    expect(small.get(outer, 1, "key", 1_200, () => ({ value: twice(), bytes: 1_200 }))).toBe(1);
    expect([small.find<number>(outer, 1, "key"), small.bytes]).toEqual([undefined, 600 + around]);
  });

  test("counts in an account, and gives way there but for what the latest questions used", () => {
    const account = new MemoryAccount(4_000, new Scratch());
    const derived = new Derived(10_000, account);
    const ask = asker(derived);
    const [a, b, c] = [{ version: 1 }, { version: 1 }, { version: 1 }];
    ask(a);
    ask(b);
    ask(c);
    expect(account.bytes).toBe(3_000);
    questions(derived, 16);
    ask(a);
    expect(account.makeRoom(1_500)).toBe(true);
    expect([ask(a).made, ask(c).made, derived.bytes]).toEqual([false, false, 2_000]);
    expect(account.makeRoom(3_000)).toBe(false);
    expect(derived.bytes).toBe(2_000);
  });

  test("takes the place of mappings up to what it is itself, and no more", () => {
    const account = new MemoryAccount(5_000, new Scratch());
    const mapped = { bytes: 4_500, shed: (bytes: number) => void (mapped.bytes -= bytes) };
    account.add("mapped", mapped);
    const ask = asker(new Derived(2_500, account));
    const owners = [{ version: 1 }, { version: 1 }, { version: 1 }] as const;
    expect(owners.map((owner) => ask(owner).made)).toEqual([true, true, false]);
    expect(mapped.bytes).toBe(3_000);
  });

  test("is of no use where the account has no room", () => {
    const ask = asker(new Derived(2_500, new MemoryAccount(900, new Scratch())));
    const owner = { version: 1 };
    expect([ask(owner).made, ask(owner).made]).toEqual([true, true]);
  });

  test("has an eighth that what is large leaves to the small", () => {
    const derived = new Derived(80_000);
    const keep = (bytes: number) => {
      const before = derived.bytes;
      derived.keep({}, 1, "key", 1, bytes - around);
      return derived.bytes - before;
    };
    for (const [bytes, kept] of [
      [65_000, 65_000],
      [5_001, 0],
      [5_000, 5_000],
      [5_000, 0],
      [4_097, 0],
      [4_096, 4_096],
      [4_096, 4_096],
      [4_096, 0],
    ] as const)
      expect(keep(bytes)).toBe(kept);
  });

  test("lets go of all that is kept of an owner, and of nothing else", () => {
    const derived = new Derived(10_000);
    const [one, other] = [{}, {}];
    for (const key of ["a", "b"]) for (const owner of [one, other]) derived.keep(owner, 1, key, key, 100);
    const { bytes } = derived;
    derived.drop(one);
    derived.drop({});
    expect(derived.bytes).toBe(bytes / 2);
    expect([derived.find(one, 1, "a"), derived.find(other, 1, "b")] as unknown[]).toEqual([undefined, "b"]);
    derived.keep(one, 1, "a", "again", 100);
    expect(derived.find<string>(one, 1, "a")).toBe("again");
  });

  test("is roomy while half of it is free", () => {
    const derived = new Derived(8_000);
    expect(derived.isRoomy).toBe(true);
    derived.keep({}, 1, "key", 1, 3_999 - around);
    expect(derived.isRoomy).toBe(true);
    derived.keep({}, 2, "key", 1, 1_000);
    expect(derived.isRoomy).toBe(false);
    expect(new Derived(0).isRoomy).toBe(false);
  });

  test("is not freed for what is larger than all of it", () => {
    const derived = new Derived(2_500);
    const ask = asker(derived);
    const a = { version: 1 };
    ask(a);
    questions(derived, 100);
    expect(ask({ version: 1 }, "large", 2_500).made).toBe(false);
    expect(ask(a).made).toBe(false);
  });

  test("is never exceeded, whatever is asked, and every answer is right", () => {
    const random = randomFrom(seed());
    const derived = new Derived(50_000);
    const owners = Array.from({ length: 30 }, () => ({ version: 0 }));
    let hits = 0;
    for (let at = 0; at < 5_000; at++) {
      if (random() < 0.3) derived.beginQuestion();
      const owner = owners[Math.floor(random() ** 2 * owners.length)] as Owned;
      if (random() < 0.05) owner.version++;
      const key = `key ${Math.floor(random() * 5)}`;
      const right = `${owners.indexOf(owner)} ${key} ${owner.version}`;
      const bytes = Math.floor(random() * 4_000);
      let made = false;
      const value = derived.get(owner, owner.version, key, bytes, () => {
        made = true;
        return { value: right, bytes: Math.floor(bytes * random()) };
      });
      hits += Number(value !== undefined && !made);
      expect([right, undefined]).toContain(value);
      expect(derived.bytes).toBeLessThanOrEqual(50_000);
    }
    expect(hits).toBeGreaterThan(500);
  });
});
