import { describe, expect, test } from "bun:test";
import { MemoryBudget } from "../../src/lib/memory/memory-budget.ts";
import type { MemoryPart } from "../../src/lib/memory/scratch.ts";
import { Scratch } from "../../src/lib/memory/scratch.ts";

/** Lets go of whole hundreds, down to `least`. */
class Part implements MemoryPart {
  constructor(
    public bytes: number,
    private readonly least = 0,
  ) {}

  shed(bytes: number): void {
    this.bytes = Math.max(this.least, this.bytes - 100 * Math.ceil(bytes / 100));
  }
}

/** A budget of 1,000 bytes. */
function full(derived: Part, held: number, mapped: Part) {
  const scratch = new Scratch();
  const budget = new MemoryBudget(1_000, scratch);
  budget.add("mapped", mapped);
  budget.add("cache", derived);
  scratch.begin(() => {});
  scratch.hold({ letGo: () => {} }, held);
  scratch.end(Infinity);
  const parts = () => [derived.bytes, scratch.bytes, mapped.bytes];
  return { budget, scratch, parts };
}

describe("a budget of memory", () => {
  test("is the sum of its parts, which stay while there is room", () => {
    const { budget, parts } = full(new Part(300), 300, new Part(300));
    expect(budget.bytes).toBe(900);
    expect(budget.ownBytes).toBe(600);
    expect(budget.makeRoom(100)).toBe(true);
    expect(parts()).toEqual([300, 300, 300]);
  });

  test.each([
    [101, [200, 300, 300]],
    [400, [0, 300, 300]],
    [401, [0, 0, 300]],
    [701, [0, 0, 200]],
    [1_000, [0, 0, 0]],
  ])("has room for %i bytes more after what was derived, scratch, then mappings went", (bytes, left) => {
    const { budget, parts } = full(new Part(300), 300, new Part(300));
    expect(budget.makeRoom(bytes)).toBe(true);
    expect(parts()).toEqual(left);
  });

  test("says where no room could be made", () => {
    const { budget, parts } = full(new Part(300, 200), 300, new Part(300, 100));
    expect(budget.makeRoom(701)).toBe(false);
    expect(parts()).toEqual([200, 0, 100]);
    expect(budget.makeRoom(700)).toBe(true);
  });

  test("has room for anything without a bound", () => {
    const budget = new MemoryBudget(Infinity, new Scratch());
    const part = new Part(2 ** 50);
    budget.add("mapped", part);
    expect(budget.makeRoom(2 ** 50)).toBe(true);
    expect(budget.run(() => part.bytes)).toBe(2 ** 50);
  });

  test("leaves to a task what it uses, others giving way, and takes it back when it is over", () => {
    const [derived, mapped] = [new Part(300, 200), new Part(300, 100)];
    const { budget, scratch, parts } = full(derived, 300, mapped);
    const gone: string[] = [];
    const used = { letGo: () => void gone.push("used") };
    budget.run(() => {
      scratch.hold(used, 900);
      expect(parts()).toEqual([200, 900, 100]);
      expect(gone).toEqual([]);
    });
    // More than half is for one task alone.
    expect(parts()).toEqual([200, 0, 100]);
    expect(gone).toEqual(["used"]);
    budget.run(() => scratch.hold(used, 500));
    expect(parts()).toEqual([200, 500, 100]);
    derived.bytes += 300;
    budget.run(() => {});
    expect(parts()).toEqual([400, 500, 100]);
  });

  test("is within its bound also after a task that failed", () => {
    const { budget, scratch, parts } = full(new Part(0), 0, new Part(900));
    const fails = () =>
      budget.run(() => {
        scratch.hold({ letGo: () => {} }, 400);
        scratch.need(10_000);
        throw new Error("it failed");
      });
    expect(fails).toThrow("it failed");
    expect(parts()).toEqual([0, 400, 0]);
    expect(budget.bytes).toBeLessThanOrEqual(1_000);
  });
});
