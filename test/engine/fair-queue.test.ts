/** The queue that accounts share, against what it says of itself, over random comings and goings. */
import { expect, test } from "bun:test";
import { FairQueue, type Queued } from "../../src/query-worker/fair-queue.ts";
import { randomBySeed } from "../support/seed.ts";

const places = 12;

test("no account waits for more than one turn of each other where all take as long, or has fewer places than one with more", () => {
  const random = randomBySeed();
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
      queue.endTurn(first.account, 7);
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

test("accounts that always wait have as much time but for one turn, and one that had less is next", () => {
  const random = randomBySeed();
  const queue = new FairQueue<Queued>(100);
  const longestMs = [50, 10, 1, 1];
  const tookMs = longestMs.map(() => 0);
  let key = 0;
  const add = (account: number) => queue.add({ account, key: String(++key) });
  const next = () => {
    const first = queue.first()!;
    queue.remove(first);
    return first;
  };
  for (const account of longestMs.keys()) add(account);
  for (let turn = 0; turn < 5_000; turn++) {
    const { account } = next();
    add(account);
    // Others ask for more at once, which brings them nothing.
    if (turn < 60) add(turn % 2);
    const comes = turn > 100 && random() < 0.1;
    if (comes) add(9);
    const ms = 0.1 + random() * longestMs[account]!;
    const isDue = queue.isDue(account, ms);
    queue.endTurn(account, ms);
    expect(queue.first()?.account === account).toBe(!isDue);
    tookMs[account]! += ms;
    expect(Math.max(...tookMs) - Math.min(...tookMs)).toBeLessThan(Math.max(...longestMs) + 1);
    if (!comes) continue;
    expect(isDue).toBe(true);
    expect(next().account).toBe(9);
    expect(queue.isDue(9, 0)).toBe(false);
    queue.endTurn(9, 0);
  }
});

test("time that an account had is forgotten once nobody waits, and never made up for", () => {
  const queue = new FairQueue<Queued>(10);
  const turn = (ms: number) => {
    const first = queue.first()!;
    queue.remove(first);
    queue.endTurn(first.account, ms);
    return first.account;
  };
  queue.add({ account: 1, key: "a" });
  turn(1_000);
  for (const account of [1, 2]) for (const key of ["a", "b", "c"]) queue.add({ account, key });
  expect([turn(5), turn(1), turn(3), turn(3)]).toEqual([1, 2, 2, 2]);
  queue.add({ account: 3, key: "a" });
  queue.add({ account: 3, key: "b" });
  // It begins with the 4 ms of the second account, and not with none.
  expect([turn(2), turn(1), turn(1), turn(1)]).toEqual([3, 1, 3, 1]);
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
