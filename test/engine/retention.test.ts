/** Months that are dropped by a clock that is moved by hand and real timers that are moved with it. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import { keptFromMs } from "../../src/engine/upkeep/retention.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { Site } from "../../src/store/state/site.ts";
import type { LogStore, SharedLog, StreamPosition } from "../../src/wal/log-store.ts";
import { websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { hitTo } from "../support/hits.ts";
import { entriesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load, noonMs, unload, valuesOf } from "../support/records.ts";
import { someOf } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { passHours, turns } from "../support/turns.ts";
import { addWebsites } from "../support/websites.ts";

const hourMs = 3_600_000;

describe("what is kept", () => {
  const kept = (now: string, months: number) => new Date(keptFromMs(Date.parse(now), months)).toISOString();

  test.each([
    ["2026-11-21T09:00:00Z", 24, "2024-11-01T00:00:00.000Z"],
    ["2026-11-30T23:59:59.999Z", 24, "2024-11-01T00:00:00.000Z"],
    ["2026-12-01T00:00:00Z", 24, "2024-12-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00Z", 1, "2025-12-01T00:00:00.000Z"],
    ["2026-03-31T12:00:00Z", 1, "2026-02-01T00:00:00.000Z"],
    ["2024-02-29T23:59:59Z", 12, "2023-02-01T00:00:00.000Z"],
    ["2026-10-25T00:30:00Z", 13, "2025-09-01T00:00:00.000Z"],
  ])("at %s with %i months begins at %s", (now, months, expected) => {
    expect(kept(now, months)).toBe(expected);
  });

  test("a month goes when its last millisecond is as old as the retention, and not before", () => {
    const lastOfApril = Date.UTC(2024, 4, 1) - 1;
    expect(lastOfApril).toBeGreaterThan(keptFromMs(Date.UTC(2026, 4, 1) - 1, 24));
    expect(lastOfApril).toBeLessThan(keptFromMs(Date.UTC(2026, 4, 1), 24));
  });

  test("is everything where the months are more than there ever were", () => {
    expect(keptFromMs(noonMs, 119_988)).toBeLessThan(0);
  });
});

describe("an engine with a retention of two months, in March", () => {
  let disk: MemoryDisk;
  let clock: TestClock;
  let heard: ReturnType<typeof entriesOf>;
  const opened: RunningEngine[] = [];

  beforeEach(() => {
    jest.useFakeTimers();
    disk = new MemoryDisk();
    clock = new TestClock();
    heard = entriesOf();
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.stop();
    jest.useRealTimers();
  });

  async function open(more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
    const engine = await openInMemory(disk, { clock, retentionMonths: 2, ...more });
    opened.push(engine);
    return engine;
  }

  /** A page view in each month from October to March. */
  async function fill(engine: RunningEngine): Promise<void> {
    await addWebsites(engine, "a.example");
    for (const [month, name] of ["october", "november", "december", "january", "february"].entries()) {
      const timeMs = Date.UTC(2025, 9 + month, 28);
      const properties = [[`name-${name}`, `value-${name}`]] as const;
      await engine.commit(load(name, { timeMs, values: valuesOf(`/${name}`), properties }));
    }
    await engine.commit(load("march", { values: valuesOf("/march") }));
  }

  const pass = (hours: number) => passHours(clock, hours);

  function paths(engine: RunningEngine): string[] {
    const site = engine.site(1) as Site;
    engine.check();
    return [...site.chunks.values()].flatMap(({ ids, rows }) =>
      [...ids.path.values.subarray(0, rows)].map((id) => site.dictionaries[0]?.value(id) as string),
    );
  }

  const all = ["/october", "/november", "/december", "/january", "/february", "/march"];
  const young = ["/january", "/february", "/march"];

  const onDisk = (text: string) => [...disk.files.values()].some((file) => Buffer.from(file).includes(text));

  test("drops nothing for 24 hours, and then what is older, in memory and on the disk", async () => {
    const engine = await open({ logger: heard.logger });
    await fill(engine);
    await pass(23);
    expect(paths(engine)).toEqual(all);
    expect(onDisk("value-december")).toBeTrue();
    await pass(1);
    expect(paths(engine)).toEqual(young);
    for (const gone of ["october", "november", "december"]) expect(onDisk(gone)).toBeFalse();
    for (const kept of ["january", "february", "/march"]) expect(onDisk(kept)).toBeTrue();
    expect(heard.entries).toMatchObject([
      { message: "months are due to be deleted or reduced, and wait until the clock is trusted", hours: 23 },
      { message: "old statistics were deleted", before: "2026-01" },
    ]);
  });

  test("drops it too where no run lasts for an hour", async () => {
    const first = await open();
    await fill(first);
    await first.stop();
    for (let run = 0; run < 50; run++) {
      const engine = await open();
      clock.advance(hourMs / 2);
      jest.advanceTimersByTime(hourMs / 2);
      await turns();
      await engine.stop();
    }
    expect(paths(await open())).toEqual(young);
  });

  test("does so once, and again when the next month is over", async () => {
    const engine = await open({ logger: heard.logger });
    await fill(engine);
    await pass(16 * 24);
    expect(paths(engine)).toEqual(young);
    // The first one says that it waits.
    expect(heard.entries).toHaveLength(2);
    await pass(24);
    expect(new Date(clock.nowMs()).toISOString()).toBe("2026-04-01T12:00:00.000Z");
    expect(paths(engine)).toEqual(["/february", "/march"]);
    expect(heard.entries).toHaveLength(3);
    expect(onDisk("january")).toBeFalse();
  });

  test("is the same after a start, with and without a clean stop, without waiting again", async () => {
    const engine = await open();
    await fill(engine);
    await pass(24);
    disk = disk.clone();
    expect(paths(await open())).toEqual(young);
    disk = disk.clone();
    await engine.commit(load("later", { timeMs: clock.nowMs(), values: valuesOf("/later") }));
    await engine.stop();
    const again = await open();
    expect(paths(again)).toEqual(young);
    await again.stop();
    expect(paths(await open({ retentionMonths: undefined }))).toEqual(young);
  });

  test("a power cut after the record: the next start drops the same, and cleans the disk", async () => {
    const engine = await open();
    await fill(engine);
    await engine.stop();
    const next = await open();
    await next.commit({ kind: "monthsDropped", timeMs: noonMs, beforeMs: Date.UTC(2026, 0) });
    disk = disk.clone();
    expect(onDisk("december")).toBeTrue();
    const recovered = await open({ retentionMonths: undefined });
    await turns();
    expect(paths(recovered)).toEqual(young);
    expect(onDisk("december")).toBeFalse();
  });

  test("believes no clock that was set forward by a year, until it has gone right for 24 hours", async () => {
    const engine = await open();
    await fill(engine);
    await pass(23);
    clock.set(clock.nowMs() + 365 * dayMs);
    await pass(1);
    expect(paths(engine)).toEqual(all);
    await pass(12);
    clock.set(clock.nowMs() - 365 * dayMs);
    await pass(24);
    expect(paths(engine)).toEqual(all);
    await pass(1);
    expect(paths(engine)).toEqual(young);
  });

  test("a clock that is only slewed is believed", async () => {
    const engine = await open();
    await fill(engine);
    for (let hour = 0; hour < 24; hour++) {
      clock.set(clock.nowMs() + 4_000);
      await pass(1);
    }
    expect(paths(engine)).toEqual(young);
  });

  test("a start goes on with the hours for which the clock went right before, also after a crash", async () => {
    let engine = await open();
    await fill(engine);
    for (let day = 1; day <= 3; day++) {
      await pass(8);
      expect(paths(engine)).toEqual(day < 3 ? all : young);
      if (day === 1) await engine.stop();
      else disk = disk.clone();
      clock.advance(16 * hourMs);
      engine = await open();
    }
    // It is trusted at once from then on.
    await engine.commit(load("old", { timeMs: Date.UTC(2025, 11, 30), values: valuesOf("/december") }));
    await pass(1);
    expect(paths(engine)).toEqual(young);
  });

  /** The log of a cluster in which this engine is the only node. */
  function sharedLog(): SharedLog {
    const store = (place: StreamPosition): LogStore => ({
      nextSeq: place.nextSeq,
      append: async ({ length }) => {
        const { message, nextSeq } = place;
        place = { ...place, message: message + 1, nextSeq: nextSeq + length, epoch: 1 };
        return { failure: null, freeBytes: NaN, tookMs: 0, bytes: 0, end: place };
      },
      rotate: () => {},
      close: async () => {},
    });
    const start = { incarnation: "ab".repeat(16), folderId: "cd".repeat(16), baseSeq: 0 };
    return { ...start, mayTake: () => undefined, open: store };
  }

  test("a node deletes nothing while another one is told to keep statistics for another time", async () => {
    let agrees = false;
    const engine = await open({ shared: { ...sharedLog(), agreesOnRetention: () => agrees } });
    engine.beginAppending();
    await fill(engine);
    await pass(48);
    expect(paths(engine)).toEqual(all);
    agrees = true;
    await pass(1);
    expect(paths(engine)).toEqual(young);
  });

  test("a node counts the hours also while another one appends, and over its starts", async () => {
    const shared = sharedLog();
    let engine = await open({ shared });
    engine.beginAppending();
    await fill(engine);
    await pass(2);
    await engine.endAppending(true);
    await pass(30);
    engine.beginAppending();
    expect(paths(engine)).toEqual(all);
    await pass(1);
    expect(paths(engine)).toEqual(young);
    await engine.commit(load("old", { timeMs: Date.UTC(2025, 11, 30), values: valuesOf("/december") }));
    await engine.endAppending(true);
    await pass(30);
    await engine.stop();
    engine = await open({ shared });
    await pass(30);
    engine.beginAppending();
    await pass(1);
    expect(paths(engine)).toEqual(young);
  });

  test("a start with a clock that is more than a day ahead, or behind, waits 24 hours", async () => {
    for (const offMs of [dayMs + 1, -hourMs]) {
      disk = new MemoryDisk();
      clock = new TestClock();
      const engine = await open();
      await fill(engine);
      await pass(23);
      await engine.stop();
      clock.set(clock.nowMs() + offMs);
      const again = await open();
      await pass(23);
      expect(paths(again)).toEqual(all);
      await pass(1);
      expect(paths(again)).toEqual(young);
    }
  });

  const ahead = "the clock is over a month ahead: what is due to be deleted or reduced waits for 14 days";

  test("a clock that is years ahead at the start is not believed for 14 days, over more starts, and says so", async () => {
    let engine = await open();
    await fill(engine);
    await pass(30);
    expect(paths(engine)).toEqual(young);
    await engine.stop();
    clock.set(Date.UTC(2036, 1, 5));
    for (const offDays of [0, 2, 0, 0]) {
      clock.advance(offDays * dayMs);
      engine = await open({ logger: heard.logger });
      await pass(4 * 24);
      // The log has times by that clock from now on.
      await engine.commit(unload("march", { timeMs: clock.nowMs() }));
      expect(paths(engine)).toEqual(young);
      await engine.stop();
    }
    const warned = heard.entries.filter(({ level }) => level === "warn");
    expect(warned[0]).toMatchObject({
      message: ahead,
      hours: 14 * 24 - 1,
      trusted: "2026-03-16T18:00:00.000Z",
    });
    // Once it is right it needs a day.
    clock.set(Date.UTC(2026, 3, 2));
    engine = await open();
    await pass(23);
    expect(paths(engine)).toEqual(young);
    await pass(2);
    expect(paths(engine)).toEqual(["/february", "/march"]);
  });

  test("a folder that began before the clock was set needs a day, as any other", async () => {
    clock.set(0);
    let engine = await open();
    await engine.stop();
    clock.set(noonMs);
    engine = await open({ logger: heard.logger });
    await fill(engine);
    await pass(30);
    expect(paths(engine)).toEqual(young);
    expect(JSON.stringify(heard.entries)).not.toContain(ahead);
  });

  test("a server that was really off for so long deletes after 14 days, and so does one that never noted the time", async () => {
    for (const forget of [() => {}, () => disk.remove("/data/clock")]) {
      disk = new MemoryDisk();
      clock = new TestClock();
      let engine = await open();
      await fill(engine);
      await pass(24);
      await engine.stop();
      forget();
      clock.set(Date.UTC(2027, 0, 10));
      engine = await open();
      await pass(14 * 24 - 1);
      expect(paths(engine)).toEqual(young);
      await pass(1);
      expect(paths(engine)).toEqual([]);
      await engine.stop();
    }
  });

  test("a clock that goes to a year ahead while the server is there is not believed either, and one of 1970 sets no mark", async () => {
    const engine = await open();
    await fill(engine);
    await pass(24);
    clock.set(clock.nowMs() + 3_652 * dayMs);
    await pass(13 * 24);
    expect(paths(engine)).toEqual(young);
    clock.set(0);
    await pass(30);
    expect(paths(engine)).toEqual(young);
    clock.set(Date.UTC(2026, 3, 1));
    await pass(25);
    expect(paths(engine)).toEqual(["/february", "/march"]);
  });

  test("what it knows of the clock may be missing, damaged or not readable: then it waits", async () => {
    for (const spoil of [
      () => disk.put("/data/clock", Buffer.from("1 86400000 2 3\n")),
      () => disk.put("/data/clock", new Uint8Array(9)),
      () => disk.remove("/data/clock"),
    ]) {
      disk = new MemoryDisk();
      clock = new TestClock();
      const engine = await open();
      await fill(engine);
      await pass(23);
      await engine.stop();
      expect(disk.files.has("/data/clock")).toBeTrue();
      spoil();
      const again = await open();
      await pass(23);
      expect(paths(again)).toEqual(all);
      await pass(1);
      expect(paths(again)).toEqual(young);
    }
  });

  test("drops months also where there is no room to write what stays: their names go with a later month", async () => {
    const engine = await open({ logger: heard.logger });
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    const written = (path: string) => !path.includes("2026-03-") && path.endsWith(".chunk");
    const chunks = () => [...disk.files.keys()].filter(written);
    const before = chunks().filter((path) => !path.includes("2025-"));
    disk.free = Math.round(engine["room"]["needed"] + engine["recovered"].files.chunks.bytes.sealed / 2);
    await pass(24);
    expect(paths(engine)).toEqual(young);
    expect(chunks()).toEqual(before);
    expect(onDisk("value-december")).toBeTrue();
    expect(JSON.stringify(heard.entries)).not.toContain("could not be deleted yet");
    const found = disk.clone();
    disk.free = 1_000_000_000;
    await pass(16 * 24);
    expect(onDisk("december")).toBeFalse();
    disk = found;
    expect(paths(await open({ retentionMonths: undefined }))).toEqual(young);
  });

  test("drops nothing while a file of what stays is damaged: the log must not ask for what cannot be done", async () => {
    const first = await open();
    await fill(first);
    for (let round = 0; round < 2; round++) await first.purge();
    await first.stop();
    const february = [...disk.files].find(([path]) => path.includes("/2026-02-")) as [string, Uint8Array];
    const [path, bytes] = february;
    disk.put(path, bytes.toReversed());
    const engine = await open({ logger: heard.logger });
    await pass(25);
    expect(onDisk("december")).toBeTrue();
    expect(JSON.stringify(heard.entries)).toContain("old statistics could not be deleted yet");
    expect(JSON.stringify(heard.entries)).toContain("no checkpoint file at byte 0");
    disk.put(path, bytes);
    await pass(1);
    expect(paths(engine)).toEqual(young);
    expect(onDisk("december")).toBeFalse();
  });

  test("no checkpoint comes between what it reads and the drop: one could merge chunks that were not read", async () => {
    const first = await open();
    await fill(first);
    for (let websiteId = 2; websiteId <= 60; websiteId++) {
      await first.commit(websiteAdded(websiteId, `${websiteId}.example`));
      for (const timeMs of [Date.UTC(2025, 11, 28), Date.UTC(2026, 0, 28)])
        await first.commit(load(`${websiteId} ${timeMs}`, { websiteId, timeMs }));
    }
    for (let round = 0; round < 2; round++) await first.purge();
    await first.stop();
    const isDropped: boolean[] = [];
    let isReading = false;
    const io = memoryIo(disk);
    const engine = await open({
      io: {
        ...io,
        writeCheckpoint(...given) {
          if (isReading) isDropped.push(!paths(engine).includes("/december"));
          return io.writeCheckpoint(...given);
        },
      },
    });
    await pass(23);
    // Somebody removes something at that moment.
    Object.assign(disk, {
      map(path: string) {
        if (!isReading) void engine.purge();
        isReading = true;
        return MemoryDisk.prototype.map.call(disk, path);
      },
    });
    await pass(2);
    for (let more = 0; more < 100 && paths(engine).length > young.length; more++) await turns();
    expect(paths(engine)).toEqual(young);
    expect(isDropped.length).toBeGreaterThan(0);
    expect(isDropped).not.toContain(false);
  });

  test("in demo mode drops too; without a retention nothing is ever dropped", async () => {
    const engine = await open({ demo: true });
    await fill(engine);
    await pass(24);
    expect(paths(engine)).toEqual(young);
    disk = new MemoryDisk();
    const other = await open({ retentionMonths: undefined });
    await fill(other);
    await pass(48);
    expect(paths(other)).toEqual(all);
    expect(other.keptFromMs()).toBe(0);
  });

  /** Fills a folder and comes to the hour before the drop; then the disk counts its calls. */
  async function beforeTheDrop(): Promise<RunningEngine> {
    disk = new MemoryDisk();
    clock = new TestClock();
    const engine = await open({ logger: heard.logger });
    await fill(engine);
    await pass(23);
    disk.calls = 0;
    return engine;
  }

  async function callsOfADrop(): Promise<number> {
    const engine = await beforeTheDrop();
    await pass(1);
    const { calls } = disk;
    expect(paths(engine)).toEqual(young);
    return calls;
  }

  const callsUpTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

  test("a disk that refuses any one call of it is tried again", async () => {
    const calls = await callsOfADrop();
    expect(calls).toBeGreaterThan(20);
    for (const call of someOf(callsUpTo(calls))) {
      const engine = await beforeTheDrop();
      disk.failAt({ call, code: "EIO" });
      await pass(2);
      expect(paths(engine)).toEqual(young);
      expect(onDisk("december")).toBeFalse();
      jest.clearAllTimers();
    }
    expect(JSON.stringify(heard.entries)).toContain("old statistics could not be deleted yet");
  });

  test("a power cut at any one call of it leaves all or only what is young", async () => {
    const random = randomBySeed();
    const calls = await callsOfADrop();
    const found: string[][] = [];
    for (const call of [1, ...someOf(callsUpTo(calls).slice(1, -1)), calls]) {
      await beforeTheDrop();
      opened.pop();
      disk.cutPowerAt(call);
      await pass(1);
      disk = disk.crash(random);
      const recovered = await open({ retentionMonths: undefined });
      await turns();
      found.push(paths(recovered));
      jest.clearAllTimers();
      expect([all, young]).toContainEqual(found.at(-1) as string[]);
      if (found.at(-1)?.length === young.length) expect(onDisk("december")).toBeFalse();
    }
    expect(found[0]).toEqual(all);
    expect(found.at(-1)).toEqual(young);
  });

  test("an unload of a page view that was dropped is late, also when the clock was set back", async () => {
    const engine = await open();
    await fill(engine);
    const loadMs = Date.UTC(2025, 11, 31, 23);
    await engine.commit(load("old", { timeMs: loadMs, values: valuesOf("/december") }));
    await pass(24);
    const bye = () => hitTo(engine, { b: "old", u: "https://a.example/", m: 5 });
    expect(await bye()).toEqual({ accepted: false, reason: "late" });
    clock.set(loadMs + hourMs);
    expect(await bye()).toEqual({ accepted: false, reason: "late" });
    expect(await engine.commit(unload("march", { timeMs: noonMs + 1, visibleMs: 7 }))).toBe("done");
    expect(paths(engine)).toEqual(young);
  });

  test("says from when on it keeps statistics", async () => {
    expect((await open()).keptFromMs()).toBe(Date.UTC(2026, 0));
  });
});
