/** A dump says everything that was recorded, and the same of the same state, however it lies in files. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { dumpOf } from "../support/dump.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { randomFrom } from "../support/random.ts";
import { event, imported, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

/** Writes the records to a new folder. `isSaved` says after which of them a checkpoint is made. */
async function folderOf(
  records: readonly LogRecord[],
  isSaved: (at: number) => boolean,
): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const clock = new TestClock(noonMs - 100 * dayMs);
  const engine = await openInMemory(disk, { clock, checkpointRecords: Infinity });
  for (const [at, record] of records.entries()) {
    clock.set(Math.max(clock.nowMs(), record.timeMs));
    await engine.commit(record);
    if (isSaved(at)) await engine.purge();
  }
  // It is not stopped: that would make another checkpoint.
  return disk;
}

function someRecords(chance: () => number): LogRecord[] {
  const below = (count: number) => Math.floor(chance() * count);
  // A later time would seal what the first checkpoint finds.
  const timeMs = noonMs - 100 * dayMs;
  const added = [userAdded(1, "ada"), websiteAdded(1, "a.example"), websiteAdded(2, "b.example")];
  const records: LogRecord[] = added.map((record) => ({ ...record, timeMs }));
  const past = Array.from({ length: 400 }, (_, at) => noonMs - 60 * dayMs + at * 1_000);
  records.push(imported(past, { websiteId: 2, timeMs: noonMs - 59 * dayMs }));
  for (let at = 0; at < 300; at++) {
    const timeMs = noonMs - 50 * dayMs + at * 4 * 3_600_000;
    const [websiteId, beacon] = [1 + below(2), `b${at}`];
    const visit = below(3) === 0 ? 0 : at + 1;
    records.push(
      load(beacon, { timeMs, websiteId, values: valuesOf(`/${below(20)}`), ...(visit > 0 && { visit }) }),
    );
    if (below(2) === 0) records.push(unload(beacon, { timeMs: timeMs + 1, visibleMs: below(60_000) }));
    if (below(3) === 0)
      records.push(event(beacon, { timeMs: timeMs + 2, websiteId, properties: [["plan", `${below(4)}`]] }));
  }
  return records;
}

test("the log alone, checkpoints and the log, and checkpoints that merge give the same lines", async () => {
  for (let round = 0; round < rounds(10); round++) {
    const chance = randomFrom(seed() + round);
    const records = someRecords(chance);
    const plain = dumpOf(await folderOf(records, () => false));
    const saved = dumpOf(await folderOf(records, () => chance() < 0.05));
    const lastOnly = dumpOf(await folderOf(records, (at) => at === records.length - 1));
    expect(saved).toEqual(plain);
    expect(lastOnly).toEqual(plain);
    expect(plain.length).toBeGreaterThan(700);
  }
});

test("each row is a line with all that is known of it", async () => {
  const records: LogRecord[] = [
    userAdded(1, "ada"),
    websiteAdded(1, "a.example"),
    load("b", { values: valuesOf("/a"), properties: [["plan", "pro"]] }),
    unload("b", { timeMs: noonMs + 9, visibleMs: 7_000 }),
    event("other", { timeMs: noonMs - 1_000 }),
  ];
  const lines = dumpOf(await folderOf(records, () => false)).map((line) => JSON.parse(line));
  expect(lines.map(({ kind }) => kind)).toEqual([
    "folder",
    "user",
    "website",
    "statistics",
    "event",
    "pageview",
  ]);
  expect(lines.at(-2)).toMatchObject({ flags: ["bare"], properties: [{ name: "signup", value: "yes" }] });
  expect(lines.at(-1)).toMatchObject({
    time: new Date(noonMs).toISOString(),
    websiteId: 1,
    path: "/a",
    browser: "Firefox",
    durationMs: 7_000,
    flags: ["unique", "first", "timed"],
    properties: [{ name: "plan", value: "pro" }],
  });
});
