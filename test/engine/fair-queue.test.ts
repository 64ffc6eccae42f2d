/** The queue that accounts share, against what it says of itself, over random comings and goings. */
import { expect, test } from "bun:test";
import { FairQueue, type Queued } from "../../src/query-worker/fair-queue.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const places = 12;

test("no account waits for more than one turn of each other, or has fewer places than one with more", () => {
  const random = randomFrom(seed());
  const queue = new FairQueue<Queued>(places);
  const waiting = new Set<Queued>();
  /** How many turns others have had since an account that waits had its own. */
  const passed = new Map<number, number>();
  const countOf = (account: number) => [...waiting].filter((item) => item.account === account).length;
  for (let step = 0; step < 20_000; step++) {
    const chance = random();
    const item: Queued = { account: Math.floor(random() ** 3 * 6), key: String(step) };
    if (chance < 0.55) {
      if (countOf(item.account) === 0) passed.set(item.account, 0);
      waiting.add(item);
      const out = queue.add(item);
      expect(out === undefined).toBe(waiting.size <= places);
      if (out !== undefined) {
        for (const other of waiting)
          expect(countOf(out.account)).toBeGreaterThanOrEqual(countOf(other.account));
        waiting.delete(out);
      }
    } else if (chance < 0.9) {
      const first = queue.first();
      expect(first === undefined).toBe(waiting.size === 0);
      if (first === undefined) continue;
      expect([...waiting].find(({ account }) => account === first.account)).toBe(first);
      queue.remove(first);
      queue.endTurn(first.account);
      waiting.delete(first);
      passed.set(first.account, 0);
      for (const account of new Set([...waiting].map((one) => one.account)))
        if (account !== first.account) passed.set(account, (passed.get(account) ?? 0) + 1);
      for (const account of passed.keys())
        if (countOf(account) > 0) expect(passed.get(account)).toBeLessThan(6);
    } else {
      const [gone] = waiting;
      if (gone === undefined) continue;
      expect(queue.find({ ...gone })).toBe(gone);
      queue.remove(gone);
      waiting.delete(gone);
    }
    expect([...queue.values()]).toHaveLength(waiting.size);
  }
});

test("one that does not wait takes no place from an equal one that does, and equal ones never both wait", () => {
  const queue = new FairQueue<Queued>(1);
  const [first, equal] = [1, 2].map(() => ({ account: 1, key: "same" })) as [Queued, Queued];
  queue.add(first);
  queue.remove(equal);
  expect(queue.find(equal)).toBe(first);
  expect(() => queue.add(equal)).toThrow("wait as one");
  queue.remove(first);
  expect(queue.add(equal)).toBeUndefined();
});
