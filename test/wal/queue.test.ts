import { describe, expect, test } from "bun:test";
import { encodeBatch, SegmentStrings } from "../../src/record/codec.ts";
import {
  BatchQueue,
  batchBytesMax,
  batchRecordsMax,
  bytesAbout,
  waitingBytesMax,
  waitingRecordsMax,
  type Waiting,
} from "../../src/wal/queue.ts";
import { numbered } from "../support/log-folder.ts";

function waiting(number: number, bytes = 100): Waiting<number> {
  return { record: numbered(number), bytes, resolve() {}, reject() {} };
}

function queueOf(count: number, bytes = 100): BatchQueue<number> {
  const queue = new BatchQueue<number>();
  for (let number = 0; number < count; number++) queue.add(waiting(number, bytes));
  return queue;
}

const numbers = (batch: readonly Waiting<number>[]) =>
  batch.map(({ record }) => record.timeMs - 1_700_000_000_000);

describe("BatchQueue", () => {
  test("gives records in their order and each once", () => {
    const queue = queueOf(10);
    expect(numbers(queue.takeBatch())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(queue.takeBatch()).toEqual([]);
  });

  test("gives at most 4,096 records", () => {
    const queue = queueOf(batchRecordsMax + 1);
    expect(queue.takeBatch()).toHaveLength(4_096);
    expect(numbers(queue.takeBatch())).toEqual([4_096]);
  });

  test("gives at most 1 MiB, but a larger record alone", () => {
    const queue = queueOf(3, batchBytesMax / 2);
    queue.add(waiting(3, batchBytesMax * 3));
    queue.add(waiting(4));
    expect([1, 2, 3, 4].map(() => numbers(queue.takeBatch()))).toEqual([[0, 1], [2], [3], [4]]);
  });

  test("ends a batch at a rotation, which is taken by itself", () => {
    const queue = queueOf(2);
    let rotated = 0;
    queue.addRotation(() => rotated++);
    queue.add(waiting(2));
    expect(queue.takeRotation()).toBeUndefined();
    expect(numbers(queue.takeBatch())).toEqual([0, 1]);
    expect(queue.takeBatch()).toEqual([]);
    queue.takeRotation()?.rotated();
    expect(rotated).toBe(1);
    expect(queue.takeRotation()).toBeUndefined();
    expect(numbers(queue.takeBatch())).toEqual([2]);
  });

  test("is full at 65,536 records or 8 MiB, and no longer when a batch was taken", () => {
    for (const queue of [queueOf(waitingRecordsMax - 1, 1), queueOf(15, waitingBytesMax / 16)]) {
      expect(queue.full).toBe(false);
      queue.add(waiting(0, waitingBytesMax / 16));
      expect(queue.full).toBe(true);
      queue.takeBatch();
      expect(queue.full).toBe(false);
    }
  });
});

describe("bytesAbout", () => {
  test("is within a factor of two of a record's bytes where no string repeats", () => {
    const record = { ...numbered(1), values: Array.from({ length: 10 }, (_, at) => `value number ${at}`) };
    const bytes = encodeBatch([record], new SegmentStrings()).length;
    expect(bytesAbout(record)).toBeWithin(bytes / 2, bytes * 2);
  });

  test("counts all members of lists, also of lists in lists", () => {
    const small = numbered(1);
    const large = { ...small, properties: [["name", "x".repeat(10_000)]] as const };
    expect(bytesAbout(large) - bytesAbout(small)).toBeWithin(9_900, 10_100);
  });

  test("asserts that strings are well formed, wherever they stand", () => {
    for (const record of [
      { ...numbered(1), beacon: "\ud800" },
      { ...numbered(1), values: ["\udc00x"] },
      { ...numbered(1), properties: [["a", "b\ud83d"]] },
    ])
      expect(() => bytesAbout(record)).toThrow("lone surrogate");
    expect(() => bytesAbout({ ...numbered(1), beacon: "\u{1f463}" })).not.toThrow();
  });
});
