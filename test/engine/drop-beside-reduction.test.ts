/** Months that are dropped in the hour in which another one gives up its rows: the names that stay are those of a replay. */
import { expect, jest, test } from "bun:test";
import { dumpLines } from "../../src/engine/dump.ts";
import { digestOf } from "../../src/engine/log/state-digest.ts";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load, valuesOf } from "../support/records.ts";
import { passHours } from "../support/turns.ts";
import { addWebsites } from "../support/websites.ts";

test("names that only a month without rows had go with it, as in a replay", async () => {
  jest.useFakeTimers();
  const disk = new MemoryDisk();
  const clock = new TestClock(Date.UTC(2026, 2, 30, 0, 30));
  const io = memoryIo(disk);
  let isFull = false;
  const writeCheckpoint: typeof io.writeCheckpoint = (...given) =>
    isFull ? Promise.reject(new DiskError("write", "checkpoint", "ENOSPC")) : io.writeCheckpoint(...given);
  const options = { clock, rowsMonths: 2, retentionMonths: 4, io: { ...io, writeCheckpoint } };
  const first = await openInMemory(disk, options);
  await addWebsites(first, "a.example");
  for (let at = 0; at < 18; at++) {
    const month = Math.floor(at / 3);
    // Enough of them are long for names to be forgotten.
    const value = `value ${month} ${"x".repeat(month < 2 ? 400 : 1)}`;
    const timeMs = Date.UTC(2025, 9 + month, 3 + (at % 3));
    await first.commit(
      load(`b${at}`, { timeMs, values: valuesOf(`/${month}`), properties: [["plan", value]] }),
    );
  }
  await first.stop();
  const engine = await openInMemory(disk, options);
  await passHours(clock, 26, 200);
  // From here on the log has all that happens, because no checkpoint can be written.
  isFull = true;
  await passHours(clock, 24, 200);
  const months = engine.site(1)!;
  expect(months.reduced.size).toBeGreaterThan(0);
  const replayed = await openInMemory(disk.clone(), { clock });
  replayed.check();
  const [state, other] = [engine["state"], replayed["state"]];
  expect([...dumpLines(other)]).toEqual([...dumpLines(state)]);
  expect(replayed.site(1)?.propertyValues.size).toBe(months.propertyValues.size);
  expect(digestOf(other, 0)).toBe(digestOf(state, 0)!);
  isFull = false;
  jest.useRealTimers();
  await engine.stop();
});
