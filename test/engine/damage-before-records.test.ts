/**
 * The log must not ask for what cannot be done: what a record has checkpoints write anew is compared whole before it is
 * logged, or is in memory. Else no checkpoint would succeed any more.
 */
import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { Selection } from "../../src/core/questions/query.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { TestClock } from "../support/clock.ts";
import { middleOfSection } from "../support/damage.ts";
import { dumpOf } from "../support/dump.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { load, noonMs, unload, valuesOf } from "../support/records.ts";
import { refusalOf } from "../support/refusals.ts";
import { filter } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";

const octoberMs = Date.UTC(2025, 9, 10);
const januaryMs = Date.UTC(2026, 0, 10);
/** The names below take nearly all of it. */
const nameBytes = 30_000;
const fileMinimums = { beaconRunMin: 1e9, openRowsMin: 1, basedRowsMin: 1 };

const views = (path: string): Selection => ({
  period: { startMs: -Infinity, endMs: Infinity },
  filters: [filter("path", "eq", path)],
});

/** An engine with page views of October, January and today, each of 100 paths, whose older months are over. */
class World {
  readonly disk = new MemoryDisk();
  readonly heard = linesOf();
  private readonly clock = new TestClock();
  private visibleMs = 100;
  engine!: RunningEngine;

  async start(): Promise<void> {
    const { disk, clock } = this;
    const { logger } = this.heard;
    const months = { rowsMonths: 1, retentionMonths: 3 };
    this.engine = await openInMemory(disk, { clock, logger, nameBytes, fileMinimums, ...months });
    await addWebsites(this.engine, "a.example");
    for (const timeMs of [octoberMs, januaryMs, noonMs])
      for (let at = 0; at < 100; at++) {
        const path = `/${new Date(timeMs).getUTCMonth()}-${at}-${"x".repeat(60)}`;
        await this.engine.commit(load(`${timeMs}-${at}`, { timeMs: timeMs + at, values: valuesOf(path) }));
      }
    // The first seals the months that are over, after the second their rows are in files.
    for (let round = 0; round < 2; round++) await this.engine.purge();
  }

  get upkeep() {
    return this.engine["intake"]["upkeep"]!;
  }

  get chunks() {
    return [...this.engine.site(1)!.chunks.values()];
  }

  /** Lets days pass, after which the clock is trusted, and old months give up their rows. */
  async reduce(): Promise<void> {
    this.clock.advance(2 * dayMs);
    await this.upkeep.reduction!.round();
    expect(this.engine.site(1)!.reduced.size).toBe(2);
  }

  /** Lets a day pass, after which names are old. */
  passDays(): void {
    this.clock.advance(2 * dayMs);
  }

  /** Flips a bit of the newest file of that kind, in the middle of a section. Returns what puts it back. */
  damage(pattern: RegExp, section?: string): () => void {
    const path = [...this.disk.files.keys()]
      .filter((name) => pattern.test(name))
      .sort()
      .at(-1) as string;
    const whole = this.disk.read(path);
    const at = section === undefined ? whole.length >> 1 : middleOfSection(this.disk, path, section);
    this.disk.put(path, whole.with(at, whole[at]! ^ 8));
    return () => this.disk.put(path, whole);
  }

  /** Checkpoints succeed, also after hits of page views in every chunk that still changes. */
  async expectSound(minutes = 1): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await this.engine.purge();
      const visibleMs = this.visibleMs++;
      await this.engine.commit(unload(`${noonMs}-5`, { timeMs: noonMs + minutes * 60_000, visibleMs }));
    }
    await this.engine.purge();
  }

  async stop(): Promise<void> {
    this.engine.check();
    await this.engine.stop();
    dumpOf(this.disk);
  }

  hasName(path: string): boolean {
    return this.engine.site(1)!.dictionaries[0]!.has(path);
  }
}

/** Folded first, and of the month that is dropped. */
const oldestName = `/9-7-${"x".repeat(60)}`;
const oldName = `/0-7-${"x".repeat(60)}`;
const newName = `/2-7-${"x".repeat(60)}`;
const notYet = {
  fold: "rare names could not be folded yet",
  drop: "old statistics could not be deleted yet",
};

const acts = {
  fold: (world: World) => world.upkeep.folding.round(),
  drop: (world: World) => world.upkeep.retention!.round(),
};

describe.each(["fold", "drop"] as const)("a %s waits while the file is damaged", (what) => {
  /** It is put off, and done once the file is there again; checkpoints succeed all the while. */
  async function expectWait(world: World, restore: () => void): Promise<void> {
    await acts[what](world);
    expect(world.heard.lines.join()).toContain(notYet[what]);
    await world.expectSound();
    restore();
    await acts[what](world);
    expect(world.hasName(oldestName)).toBe(false);
    await world.expectSound();
    await world.stop();
  }

  test("of a month without rows, in a section that it does not read", async () => {
    const world = new World();
    await world.start();
    await world.reduce();
    const restore = world.damage(/2026-01.*\.month$/, "days path");
    await expectWait(world, restore);
    expect(world.heard.lines.join()).toContain("wrong section checksum");
  });

  test("from which a chunk that still changes is mapped", async () => {
    const world = new World();
    await world.start();
    world.passDays();
    expect(world.chunks.filter(({ basis }) => basis !== undefined)).toHaveLength(1);
    const restore = world.damage(/2026-03.*\.chunk$/);
    await expectWait(world, restore);
  });
});

describe("a purge", () => {
  test("is refused while the file of a month without rows is damaged", async () => {
    const world = new World();
    await world.start();
    await world.reduce();
    const restore = world.damage(/2026-01.*\.month$/, "days path");
    const remove = () =>
      world.engine.removeRows(1, { ...views(newName), period: { startMs: noonMs, endMs: Infinity } }, false);
    expect(await refusalOf(remove)).toMatchObject({
      code: 500,
      message: "a file of the website cannot be read: see the log of the server",
    });
    await world.expectSound();
    restore();
    expect(await remove()).toMatchObject({ pageviews: 1 });
    await world.expectSound();
    expect(world.hasName(newName)).toBe(false);
    await world.stop();
  });

  test("is refused while the file is damaged from which other rows are mapped, and theirs need not be whole", async () => {
    const world = new World();
    await world.start();
    world.damage(/2026-03.*\.chunk$/, "flags");
    expect((await refusalOf(() => world.engine.removeRows(1, views(oldName), false))).code).toBe(500);
    await world.expectSound();
    expect(world.hasName(oldName)).toBe(true);
    // These are saved as they are in memory.
    expect(await world.engine.removeRows(1, views(newName), false)).toMatchObject({ pageviews: 1 });
    await world.expectSound();
    expect([world.hasName(newName), world.chunks.every(({ basis }) => basis?.isDamaged !== true)]).toEqual([
      false,
      true,
    ]);
    expect(await world.engine.removeRows(1, views(oldName), false)).toMatchObject({ pageviews: 1 });
    await world.expectSound();
    await world.stop();
  });
});

describe("a chunk that is mapped from a damaged file", () => {
  async function changed(): Promise<World> {
    const world = new World();
    await world.start();
    await world.engine.commit(unload(`${noonMs}-3`, { timeMs: noonMs + 5_000, visibleMs: 7 }));
    await world.engine.purge();
    return world;
  }

  test("and whose changes are damaged too has these written again, and checkpoints go on", async () => {
    const world = await changed();
    const restore = world.damage(/2026-03.*\.chunk$/);
    world.damage(/2026-03.*\.changes$/);
    await world.engine["scrubber"].pass();
    await world.expectSound();
    restore();
    await world.expectSound();
    await world.stop();
  });

  test("goes on with changes when a checkpoint that was to write it anew has failed", async () => {
    const world = await changed();
    const restore = world.damage(/2026-03.*\.chunk$/);
    // Hardly a hit comes for it any more: it is to have a new file.
    await world.engine.commit(unload(`${noonMs}-4`, { timeMs: noonMs + 11 * 60_000, visibleMs: 9 }));
    await expect(world.engine.purge()).rejects.toThrow("its checksum differs");
    await world.expectSound(12);
    restore();
    await world.expectSound(13);
    expect(world.chunks.at(-1)!.duration.subarray(3, 6)).toEqual(Uint32Array.of(7, 9, 103));
    await world.stop();
  });
});
