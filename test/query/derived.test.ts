import { describe, expect, test } from "bun:test";
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
    questions(derived, 63);
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
