import { beforeEach, describe, expect, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GarbageBound } from "../../src/lib/memory/garbage.ts";
import { withFolder } from "../support/folder.ts";

class FakeHeap {
  bytes = 1_000;
  workedMs = 0;
  collectedYoung = 0;
  collected = 0;
  collectMs = 0;

  collectYoung(): void {
    this.collectedYoung++;
  }

  collect(): void {
    this.collected++;
    this.workedMs += this.collectMs;
  }
}

describe("a bound on garbage", () => {
  let heap: FakeHeap;
  let bound: GarbageBound;
  beforeEach(() => {
    heap = new FakeHeap();
    bound = new GarbageBound(1_600, Infinity, heap);
  });

  /** Returns whether a look at so many bytes collects. */
  const collectsAt = (bytes: number) => {
    const { collected } = heap;
    heap.bytes = bytes;
    bound.look();
    return heap.collected > collected;
  };

  test("collects when the heap has grown by so much", () => {
    expect([1_000, 1_099, 1_100].map(collectsAt)).toEqual([false, false, true]);
  });

  test("counts from what was left, and from less where the runtime has collected", () => {
    collectsAt(1_100);
    expect([1_199, 1_050, 1_149, 1_150].map(collectsAt)).toEqual([false, false, false, true]);
  });

  test("collects after ten seconds of work, though the heap has not grown", () => {
    const collectsAfter = (workedMs: number) => {
      heap.workedMs = workedMs;
      return collectsAt(1_000);
    };
    expect([9_999, 10_000, 19_999, 20_000].map(collectsAfter)).toEqual([false, true, false, true]);
  });

  test("collects less garbage too where that may be soon, as long as it takes a tenth of the work", () => {
    bound = new GarbageBound(1_600, 10, heap);
    heap.collectMs = 3;
    const collectsAfter = (workedMs: number, bytes: number) => {
      heap.workedMs += workedMs;
      return collectsAt(bytes);
    };
    expect([collectsAfter(0, 1_009), collectsAfter(0, 1_010)]).toEqual([false, true]);
    expect([collectsAfter(29, 1_030), collectsAfter(1, 1_019), collectsAfter(0, 1_020)]).toEqual([
      ...[false, false, true],
    ]);
    // More than may be is collected whatever it takes.
    expect([collectsAfter(0, 1_119), collectsAfter(0, 1_120)]).toEqual([false, true]);
  });

  test("collects young garbage of a thread that was busy, and leaves alone one that has done next to nothing", () => {
    const collectsYoung = (workedMs: number) => {
      const { collectedYoung } = heap;
      heap.workedMs = workedMs;
      bound.lookAtYoung();
      return heap.collectedYoung > collectedYoung;
    };
    expect([19, 20, 39, 39, 40].map(collectsYoung)).toEqual([false, true, false, false, true]);
    expect(heap.collected).toBe(0);
  });
});

/** Returns by how many bytes a heap grows at most where garbage is made beside a mapped file. */
async function grownBy(path: string, memoryBytes: number): Promise<number> {
  const script = join(import.meta.dir, "garbage-made.ts");
  return Number(await Bun.$`${process.execPath} ${script} ${path} ${memoryBytes}`.text());
}

describe("the garbage of a thread", () => {
  test("stays within its bound beside a mapped file, which the runtime counts as alive", () =>
    withFolder(async (folder) => {
      const path = join(folder, "large");
      writeFileSync(path, "");
      truncateSync(path, 2 ** 28);
      const memoryBytes = 2 ** 28;
      expect(await grownBy(path, memoryBytes)).toBeLessThan(memoryBytes / 8);
      expect(await grownBy(path, Infinity)).toBeGreaterThan(memoryBytes / 8);
    }));
});
