/**
 * A backup of a website that has two years of page views already copies next to nothing, when a month has ended at most that
 * month, whose chunks are merged, and nothing of a month that was dropped. Nor does it copy the log again.
 */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { addPageView, pageViews, type PageViewRow } from "../../bench/data.ts";
import { bytesOf, copyToStore } from "../../src/cli/backup/copy.ts";
import { FolderStore } from "../../src/cli/backup/folder.ts";
import { readStore } from "../../src/cli/backup/store.ts";
import { restoreInto } from "../../src/cli/backup/restoration.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { Site } from "../../src/store/state/site.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { useFolder } from "../support/folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { load, valuesOf } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { dumpOf } from "../support/sound-folder.ts";

const top = useFolder();

/** With FOOTFALL_ROUNDS=2, a month has two full chunks, which become one when it has ended, and a small one. */
const isMerged = rounds(1) > 1;
const rowsPerMonth = isMerged ? 132_000 : 3_000;
const months = Array.from({ length: 25 }, (_, month) => Date.UTC(2024, 10 + month));
const [firstMonthMs = 0, secondMonthMs = 0] = months;
const [lastMonthMs = 0, endMs = 0] = months.slice(-2);

/** Adds two years of page views, and has each month in files before the next one begins. */
async function fill(engine: RunningEngine, site: Site, clock: TestClock): Promise<void> {
  const views = [...pageViews(1_000, seed())];
  let visit = 0;
  for (const [month, startMs] of months.slice(0, -1).entries()) {
    clock.set(startMs + 3 * dayMs);
    // The time of the log says that the month before is over.
    await engine.commit(load(`${month}`, { timeMs: clock.nowMs(), values: valuesOf("/") }));
    await engine.purge();
    const stepMs = ((months[month + 1] as number) - startMs) / rowsPerMonth;
    for (let row = 0; row < rowsPerMonth; row++) {
      const view = views[row % views.length] as PageViewRow;
      addPageView(site, { ...view, timeMs: Math.floor(startMs + row * stepMs), visit: ++visit });
    }
  }
}

test("the second backup of two years copies under 5 %, also after a month's end and a dropped month", async () => {
  const [folder, place] = [join(top, "data"), join(top, "store")];
  mkdirSync(place);
  const clock = new TestClock(firstMonthMs);
  const engine = await openFolder(folder, { clock });
  const timeMs = clock.nowMs();
  await engine.commit({ ...userAdded(1, "ada"), timeMs });
  await engine.commit({ ...websiteAdded(1, "a.example"), timeMs });
  const site = engine.site(1) as Site;
  const save = () => engine.purge();
  await fill(engine, site, clock);
  const chunksOf = (monthMs: number) =>
    [...site.chunks.values()].filter((chunk) => chunk.monthMs === monthMs).length;
  /** Makes a backup, and returns the share of its bytes that it copied. */
  const copied = async () => {
    await save();
    const { release, ...files } = await engine.pinFiles();
    const copying = { disk: systemDisk, folder, files, isServed: false, clock, random: systemRandom };
    const store = new FolderStore(place);
    const { list, newBytes } = await copyToStore(store, Infinity, { ...copying, onProgress: () => {} });
    release();
    return newBytes / bytesOf(list);
  };

  clock.set(endMs - 3_600_000);
  expect(await copied()).toBe(1);
  await engine.commit(load("first", { timeMs: clock.nowMs(), values: valuesOf("/first") }));
  expect(await copied()).toBeLessThan(0.05);

  expect(chunksOf(lastMonthMs)).toBe(isMerged ? 3 : 1);
  clock.set(endMs + 5 * dayMs);
  await engine.commit(load("next", { timeMs: clock.nowMs(), values: valuesOf("/next") }));
  // Chunks are merged by the checkpoint after the one that seals them.
  for (let made = 0; made < 3; made++) await save();
  expect(chunksOf(lastMonthMs)).toBe(isMerged ? 2 : 1);
  const afterMonth = await copied();
  expect(afterMonth).toBeGreaterThan(isMerged ? 0.02 : 0);
  expect(afterMonth).toBeLessThan(0.05);

  expect(chunksOf(firstMonthMs)).toBe(1);
  await engine.commit({
    kind: "monthsDropped",
    timeMs: clock.nowMs(),
    beforeMs: secondMonthMs,
    deadPercent: 30,
  });
  expect(chunksOf(firstMonthMs)).toBe(0);
  expect(await copied()).toBeLessThan(0.05);

  const restored = join(top, "restored");
  await restoreInto(restored, (put) => readStore(new FolderStore(place), put));
  expect(dumpOf(restored)).toEqual(dumpOf(folder));
  await engine.stop();
});

test("a backup copies what was logged since the last one, and not all that no checkpoint has", async () => {
  const [folder, place] = [join(top, "quiet"), join(top, "quiet-store")];
  mkdirSync(place);
  const clock = new TestClock(firstMonthMs);
  const engine = await openFolder(folder, { clock });
  const timeMs = clock.nowMs();
  await engine.commit({ ...userAdded(1, "ada"), timeMs });
  await engine.commit({ ...websiteAdded(1, "a.example"), timeMs });
  const hits = (from: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        engine.commit(load(`beacon ${from + at}`, { timeMs: clock.nowMs(), values: valuesOf(`/${at}`) })),
      ),
    );
  const copied = async () => {
    const { release, ...files } = await engine.pinFiles();
    const copying = { disk: systemDisk, folder, files, isServed: false, clock, random: systemRandom };
    const made = await copyToStore(new FolderStore(place), 30, { ...copying, onProgress: () => {} });
    release();
    return made.newBytes;
  };
  await hits(0, 6_000);
  expect(await copied()).toBeGreaterThan(100_000);
  for (let day = 1; day <= 3; day++) {
    clock.advance(dayMs);
    await hits(6_000 + day, 1);
    expect(await copied()).toBeLessThan(2_000);
  }
  const restored = join(top, "quiet-restored");
  await restoreInto(restored, (put) => readStore(new FolderStore(place), put));
  expect(dumpOf(restored)).toEqual(dumpOf(folder));
  await engine.stop();
});
