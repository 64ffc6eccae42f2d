import { expect, test } from "bun:test";
import { VisitTable } from "../../src/collect/visits/visit-table.ts";
import { noSlot } from "../../src/lib/collections/chains.ts";
import { randomBySeed } from "../support/seed.ts";

/** A visit as an object; the model's list has the oldest first. */
interface Visit {
  readonly websiteId: number;
  account: number;
  readonly number: number;
  hash: bigint | undefined;
}

const isOf = (websiteId: number, number: number) => (visit: Visit) =>
  visit.websiteId === websiteId && visit.number === number;

/** Does everything to a table and to a list of objects, with up to some 500 visits at a time. */
class Both {
  private readonly table = new VisitTable();
  private visits: Visit[] = [];
  private given = 0;
  mostOpen = 0;

  /** Does something random, which rather adds than removes while `isGrowing`. */
  step(upTo: (bound: number) => number, isGrowing: boolean): void {
    const { table } = this;
    const some = this.visits[upTo(this.visits.length)];
    // Few lower halves: many hashes are in one chain, and differ in the upper half alone.
    const hash = BigInt(upTo(30)) * 2n ** 32n + BigInt(upTo(8)) * 0x20000001n;
    if (some === undefined || upTo(10) < (isGrowing ? 4 : 1)) {
      const ids = { websiteId: 1 + upTo(3), number: ++this.given, account: upTo(3) };
      const visit: Visit = { ...ids, hash: undefined };
      table.add(visit.websiteId, visit.number, visit.account);
      this.visits.push(visit);
    } else if (upTo(4) === 0) this.remove(upTo(2) === 0 ? some : this.visits[0]!);
    else if (upTo(2) === 0) {
      if (upTo(4) === 0) some.account = upTo(3);
      table.use(this.slotOf(some), some.account);
      this.visits.splice(this.visits.indexOf(some), 1);
      this.visits.push(some);
    } else {
      table.place(this.slotOf(some), hash);
      for (const other of this.visits) if (other.hash === hash) other.hash = undefined;
      some.hash = hash;
    }
    this.mostOpen = Math.max(this.mostOpen, this.visits.length);
    this.expectHash(hash);
    this.expectNumber(1 + upTo(3), 1 + upTo(this.given + 1));
  }

  /** Expects that both have the same visits in the same order, and takes all of them out. */
  expectOrder(): void {
    for (const visit of [...this.visits]) {
      expect(this.table.oldestOf(visit.account)).toBe(this.slotOf(visit));
      const own = this.visits.filter(({ account }) => account === visit.account);
      expect(this.table.sizeOf(visit.account)).toBe(own.length);
      this.remove(visit);
    }
    const oldest = [0, 1, 2].map((account) => this.table.oldestOf(account));
    expect([this.table.size, [...this.table.accounts], oldest]).toEqual([0, [], [noSlot, noSlot, noSlot]]);
  }

  private remove(visit: Visit): void {
    this.table.remove(this.slotOf(visit));
    this.visits = this.visits.filter((other) => other !== visit);
    expect(this.table.size).toBe(this.visits.length);
  }

  private slotOf({ websiteId, number }: Visit): number {
    const slot = this.table.find(websiteId, number);
    const { columns } = this.table;
    expect([columns.websiteId[slot], columns.number[slot]]).toEqual([websiteId, number]);
    return slot;
  }

  private expectHash(hash: bigint): void {
    const found = this.table.findHash(hash);
    const visit = this.visits.find((other) => other.hash === hash);
    expect(found).toBe(visit === undefined ? noSlot : this.slotOf(visit));
    for (const other of this.visits.slice(-5))
      expect(this.table.hasHash(this.slotOf(other), hash)).toBe(other === visit);
  }

  private expectNumber(websiteId: number, number: number): void {
    const isKnown = this.visits.some(isOf(websiteId, number));
    expect(this.table.find(websiteId, number) !== noSlot).toBe(isKnown);
  }
}

test("a table of visits has what a list of objects has, in its order, while it grows and empties", () => {
  const random = randomBySeed();
  const upTo = (bound: number) => Math.floor(random() * bound);
  const both = new Both();
  for (let life = 0; life < 3; life++) {
    for (let at = 0; at < 2_500; at++) both.step(upTo, at % 1_000 < 700);
    both.expectOrder();
  }
  expect(both.mostOpen).toBeGreaterThan(130);
});
