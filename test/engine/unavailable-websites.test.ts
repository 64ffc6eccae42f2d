/**
 * A damaged file of one website makes that website alone unavailable: its hits wait in the log, and a start that finds the
 * file whole again has everything as if nothing had been.
 */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { waitingBytesMax } from "../../src/engine/unavailable-websites.ts";
import { noSums } from "../../src/facts/months/month-sums.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { changeManifest } from "../support/change-manifest.ts";
import { dumpOf } from "../support/dump.ts";
import { hitTo } from "../support/hits.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { event, imported, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { refusalOf } from "../support/refusals.ts";
import { listOf } from "../support/site.ts";

const websiteFile = /^\/data\/chunks\/2\/.*\.site$/;
const refused = { code: 500, message: expect.stringContaining("this website is unavailable") };

/** Two websites with a month that is over and one that goes on, in two checkpoints and a tail of the log. */
async function filled(): Promise<{ disk: MemoryDisk; clock: TestClock }> {
  const disk = new MemoryDisk();
  const clock = new TestClock();
  const engine = await openInMemory(disk, { clock });
  await engine.commit(userAdded(1, "ada"));
  for (const websiteId of [1, 2]) {
    await engine.commit(websiteAdded(websiteId, `${websiteId}.example`));
    const past = Array.from({ length: 50 }, (_, at) => noonMs - 60 * dayMs + at * 1_000);
    await engine.commit(imported(past, { websiteId }));
  }
  await take(engine, clock, 1);
  for (let round = 0; round < 2; round++) await engine.purge();
  await take(engine, clock, 2);
  return { disk, clock };
}

/** Hits of both websites, some of which belong to page views of earlier rounds. */
function recordsOf(round: number, timeMs: number): LogRecord[] {
  return [1, 2].flatMap((websiteId) => [
    load(`${websiteId}-${round}`, { websiteId, timeMs, values: valuesOf(`/round-${round}`), visit: round }),
    unload(`${websiteId}-${round - 1}`, { websiteId, timeMs, visibleMs: 4_000 + round }),
    unload(`${websiteId}-${round}`, { websiteId: 0, timeMs, visibleMs: 90 + round }),
    event(`${websiteId}-${round - 1}`, { websiteId, timeMs, properties: [["round", String(round)]] }),
  ]);
}

async function take(engine: RunningEngine, clock: TestClock, round: number): Promise<void> {
  clock.advance(60_000);
  for (const record of recordsOf(round, clock.nowMs())) expect(await engine.commit(record)).toBe("done");
}

/** Flips a bit of each file, and returns what puts them back. */
function damage(disk: MemoryDisk, pattern: RegExp): () => void {
  const paths = [...disk.files.keys()].filter((path) => pattern.test(path));
  expect(paths).not.toBeEmpty();
  const whole = paths.map((path) => [path, disk.read(path)] as const);
  for (const [path, bytes] of whole)
    disk.put(path, bytes.with(bytes.length >> 1, 0x55 ^ (bytes[bytes.length >> 1] ?? 0)));
  return () => {
    for (const [path, bytes] of whole) disk.put(path, bytes);
  };
}

function manifestsOf(disk: MemoryDisk): string[] {
  return [...disk.files.keys()].filter((path) => path.endsWith(".manifest")).sort();
}

/** Stops as a kill does: nothing is written at the end. */
type Stop = "killed" | "stopped";

async function life(
  disk: MemoryDisk,
  clock: TestClock,
  round: number,
  stop: Stop,
  more: Partial<OpenOptions> = {},
): Promise<void> {
  const engine = await openInMemory(disk, { clock, ...more });
  await take(engine, clock, round);
  await engine.purge();
  await take(engine, clock, round + 1);
  if (stop === "stopped") await engine.stop();
}

test("questions about it are refused, all others are answered, and its hits are taken", async () => {
  const { disk, clock } = await filled();
  damage(disk, websiteFile);
  const { lines, logger } = linesOf();
  const engine = await openInMemory(disk, { clock, logger });
  engine.check();
  expect(JSON.parse((await engine.ask(1, listOf("pages"))).json)).toContainEqual(
    expect.objectContaining({ path: "/round-2" }),
  );
  expect(await refusalOf(() => engine.ask(2, listOf("pages")))).toMatchObject(refused);
  expect(await refusalOf(() => engine.removeRows(2, listOf("pages"), true))).toMatchObject(refused);
  expect(await refusalOf(() => engine.commit(imported([noonMs], { websiteId: 2 })))).toMatchObject(refused);
  expect(() => engine.site(2)).toThrow("this website is unavailable");
  const bodies = [
    { b: "new", u: "https://2.example/new" },
    { b: "new", u: "https://2.example/new", m: 400, e: undefined },
    { b: "2-2", m: 1_000 },
  ];
  for (const body of bodies) expect(await hitTo(engine, body)).toEqual({ accepted: true });
  const told = () => lines.filter((line) => line.includes("a website is unavailable"));
  expect(told()).toHaveLength(1);
  expect(told()[0]).toMatch(/its name has a dot and a checksum .* see what 'footfall repair' can keep/);
  expect(told()[0]).toMatch(/^error a website is unavailable.* website=2\.example .*chunks\/2\/\d+\.site/);
  clock.advance(3_600_000);
  for (let time = 0; time < 2; time++) await refusalOf(() => engine.ask(2, listOf("pages")));
  expect(told()).toHaveLength(2);
  await engine.commit({ kind: "websiteRemoved", timeMs: clock.nowMs(), websiteId: 1 });
  await engine.purge();
  expect(lines.at(-1)).toContain("deleted data stays in files until no website is unavailable");
  await engine.stop();
});

test("an older checkpoint is used where only the newest has the damage: nothing was ever unavailable", async () => {
  const { disk, clock } = await filled();
  const engine = await openInMemory(disk, { clock });
  await engine.commit(imported([noonMs - 50 * dayMs], { websiteId: 2 }));
  await engine.commit(load("other", { websiteId: 2, timeMs: clock.nowMs(), values: valuesOf("/other") }));
  await engine.stop();
  const newest = [...disk.files.keys()]
    .filter((path) => websiteFile.test(path))
    .sort()
    .at(-1) as string;
  damage(disk, new RegExp(`^${newest.replaceAll(".", "\\.")}$`));
  const { lines, logger } = linesOf();
  const again = await openInMemory(disk, { clock, logger });
  expect(lines).toEqual([expect.stringContaining("a damaged checkpoint was skipped")]);
  await again.stop();
});

test.each<[Stop, Stop]>([
  ["killed", "killed"],
  ["stopped", "stopped"],
  ["stopped", "killed"],
])("with its file back, all is as if it had never been damaged: %s, then %s", async (first, second) => {
  const sound = await filled();
  const { disk, clock } = await filled();
  const restore = damage(disk, websiteFile);
  for (const [at, stop] of [first, second, first].entries()) {
    await life(sound.disk, sound.clock, 3 + 2 * at, stop);
    await life(disk, clock, 3 + 2 * at, stop);
  }
  expect(() => dumpOf(disk)).toThrow(/chunks\/2\/\d+\.site: its checksum differs/);
  restore();
  const { lines, logger } = linesOf();
  const engine = await openInMemory(disk, { clock, logger });
  expect(lines).toEqual([expect.stringContaining("whole again: all records since are replayed")]);
  const never = await openInMemory(sound.disk, { clock: sound.clock });
  for (const websiteId of [1, 2])
    for (const list of ["pages", "browsers"] as const)
      expect((await engine.ask(websiteId, listOf(list))).json).toBe(
        (await never.ask(websiteId, listOf(list))).json,
      );
  // Page views of before take their hits still.
  for (const [each, own] of [
    [engine, clock],
    [never, sound.clock],
  ] as const)
    await take(each, own, 9);
  await engine.stop();
  await never.stop();
  expect(dumpOf(disk)).toEqual(dumpOf(sound.disk));
  // Nothing is kept for it any more.
  const last = await openInMemory(disk, { clock });
  await last.purge();
  await last.stop();
  expect([...disk.files.keys()].filter((path) => /manifest|wal/.test(path)).length).toBeLessThanOrEqual(3);
});

test("sums of a month are refused for it, and those of others are there after it is back", async () => {
  const { disk, clock } = await filled();
  const restore = damage(disk, websiteFile);
  const engine = await openInMemory(disk, { clock });
  const monthMs = Date.UTC(2025, 0);
  const day = { day: monthMs / dayMs, all: { ...noSums, pageviews: 5 }, sources: [], events: [] };
  const path = [["/before", { ...noSums, pageviews: 5 }] as const];
  const values = { path, browser: [], os: [], device: [], country: [] };
  const sums = { monthMs, days: [{ ...day, values }] };
  expect(await refusalOf(() => engine.monthImport.add(2, sums))).toMatchObject(refused);
  expect(await engine.monthImport.add(1, sums)).toBeUndefined();
  const ofMonth = { ...listOf("pages"), period: { startMs: monthMs, endMs: Date.UTC(2025, 1) - 1 } };
  const expected = (await engine.ask(1, ofMonth)).json;
  expect(expected).toContain("/before");
  // The next checkpoint has a file of its own for the month; the log after the one that is kept names the first file.
  await engine.purge();
  await engine.stop();
  await life(disk, clock, 3, "stopped");
  restore();
  for (let start = 0; start < 2; start++) {
    const whole = await openInMemory(disk, { clock });
    expect((await whole.ask(1, ofMonth)).json).toBe(expected);
    await whole.purge();
    await whole.stop();
  }
  expect([...disk.files.keys()].filter((name) => name.endsWith(".month"))).toHaveLength(1);
});

test("of another website that is damaged later: both are unavailable, and come back together", async () => {
  const { disk, clock } = await filled();
  const expected = await filled();
  const restoreSecond = damage(disk, websiteFile);
  await life(disk, clock, 3, "stopped");
  await life(expected.disk, expected.clock, 3, "stopped");
  const restoreFirst = damage(disk, /^\/data\/chunks\/1\/.*\.site$/);
  await life(disk, clock, 5, "killed");
  await life(expected.disk, expected.clock, 5, "killed");
  const engine = await openInMemory(disk, { clock });
  for (const websiteId of [1, 2])
    expect(await refusalOf(() => engine.ask(websiteId, listOf("pages")))).toMatchObject(refused);
  await engine.stop();
  restoreSecond();
  restoreFirst();
  expect(dumpOf(disk)).toEqual(dumpOf(expected.disk));
});

test.each<[Stop]>([["killed"], ["stopped"]])(
  "that is removed leaves every file, and the log is let go: %s in between",
  async (stop) => {
    const { disk, clock } = await filled();
    damage(disk, websiteFile);
    await life(disk, clock, 3, stop);
    const engine = await openInMemory(disk, { clock });
    await engine.commit({ kind: "websiteRemoved", timeMs: clock.nowMs(), websiteId: 2 });
    await engine.purge();
    const ofIt = [...disk.files].filter(
      ([path, bytes]) => path.includes("/chunks/2/") || Buffer.from(bytes).includes("2.example"),
    );
    expect(ofIt.map(([path]) => path)).toEqual([]);
    expect(manifestsOf(disk)).toHaveLength(1);
    await engine.stop();
    expect(dumpOf(disk).join()).not.toContain("2.example");
  },
);

test("a crash after the removal, and before its checkpoint, removes it at the next start", async () => {
  const { disk, clock } = await filled();
  damage(disk, websiteFile);
  const engine = await openInMemory(disk, { clock });
  await engine.purge();
  await engine.commit({ kind: "websiteRemoved", timeMs: clock.nowMs(), websiteId: 2 });
  const after = disk.clone();
  const again = await openInMemory(after, { clock });
  expect([...again.registry.websites.keys()]).toEqual([1]);
  await again.purge();
  expect([...after.files.keys()].filter((path) => path.includes("/chunks/2/"))).toEqual([]);
  await again.stop();
});

test("its hits are refused when they take too much of the log", async () => {
  const { disk, clock } = await filled();
  damage(disk, websiteFile);
  const engine = await openInMemory(disk, { clock });
  await engine.purge();
  await engine.stop();
  // As if so much had come already.
  changeManifest(disk, manifestsOf(disk).at(-1) as string, (manifest) => ({
    ...manifest,
    unavailable: { ...manifest.unavailable, websites: [[2, waitingBytesMax]] },
  }));
  const again = await openInMemory(disk, { clock });
  expect(await refusalOf(() => again.commit(load("more", { websiteId: 2 })))).toMatchObject(refused);
  expect(await again.commit(load("more", { websiteId: 1 }))).toBe("done");
  await again.stop();
});

test("a checkpoint that needs an earlier one does without nothing: it is refused when that is gone", async () => {
  const { disk, clock } = await filled();
  damage(disk, websiteFile);
  await life(disk, clock, 3, "stopped");
  const [oldest] = manifestsOf(disk) as [string];
  disk.put(oldest, new Uint8Array(100));
  const before = [...disk.files.keys()];
  await expect(openInMemory(disk, { clock })).rejects.toThrow(
    /\.manifest: no checkpoint file at byte 0: websites that are unavailable need it/,
  );
  expect([...disk.files.keys()]).toEqual(before);
});
