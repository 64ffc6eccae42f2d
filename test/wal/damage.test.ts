/** Every byte of a small log, damaged; every length of it, cut. It is never read as other records. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { LogRecord } from "../../src/record/record.ts";
import { alignment } from "../../src/wal/format.ts";
import { LogDamage } from "../../src/wal/damage.ts";
import { directory, numberedFrom, replayAll, writeLog, type Read } from "../support/log-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

let whole: MemoryDisk;
let paths: string[];
const written: LogRecord[] = numberedFrom(1, 9);

beforeAll(async () => {
  whole = new MemoryDisk();
  const batches = [
    written.slice(0, 2),
    written.slice(2, 3),
    written.slice(3, 5),
    written.slice(5, 8),
    written.slice(8),
  ];
  await writeLog(whole, batches, [1, 2]);
  paths = whole.list(directory).map((name) => `${directory}/${name}`);
  expect(paths).toHaveLength(3);
});

/** Returns what is read of the log when one of its files has other bytes; undefined if it is refused. */
function readWith(path: string, bytes: Uint8Array): Read | undefined {
  const disk = whole.clone();
  disk.put(path, bytes);
  try {
    return replayAll(disk);
  } catch (error) {
    expect(error).toBeInstanceOf(LogDamage);
    expect((error as LogDamage).offset).toBeLessThanOrEqual(Math.max(bytes.length, whole.size(path)));
    return undefined;
  }
}

describe("a byte that changed", () => {
  test.each([0x01, 0x80, 0xff])("by ^ %i is refused, or in the last batch cut off and reported", (change) => {
    for (const path of paths) {
      const bytes = whole.read(path);
      for (let at = 0; at < bytes.length; at++) {
        const result = readWith(path, bytes.with(at, (bytes[at] as number) ^ change));
        if (result === undefined) continue;
        expect(path).toBe(paths.at(-1) as string);
        expect(result.read).toEqual(written.slice(0, 8));
        expect(result.repairs).toHaveLength(1);
      }
    }
  });
});

describe("a file that was cut", () => {
  test("at any length: the last gives its whole batches, any other is refused", () => {
    const last = paths.at(-1) as string;
    const counts = new Set<number>();
    for (const path of paths) {
      const bytes = whole.read(path);
      for (let length = 0; length < bytes.length; length++) {
        const result = readWith(path, bytes.subarray(0, length));
        if (path !== last) expect(result).toBeUndefined();
        else {
          expect(result?.read).toEqual(written.slice(0, result?.records));
          counts.add(result?.records as number);
        }
      }
    }
    expect([...counts].sort()).toEqual([5, 8]);
  });

  test("and filled up with zeros to its length is no different", () => {
    const last = paths.at(-1) as string;
    const bytes = whole.read(last);
    for (let length = 60; length < bytes.length; length++) {
      const zeroed = bytes.slice();
      zeroed.fill(0, length);
      // Padding is zeros: what the fill restored was not cut.
      let end = length;
      while (end % alignment !== 0 && bytes[end] === 0) end++;
      const cut = readWith(last, bytes.subarray(0, end));
      expect(readWith(last, zeroed)?.read).toEqual(cut?.read as LogRecord[]);
    }
  });
});
