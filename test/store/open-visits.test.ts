import { describe, expect, test } from "bun:test";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import { visitFlag } from "../../src/store/columns/row-flag.ts";
import { OpenVisits, visitsMax } from "../../src/store/state/open-visits.ts";
import type { Site } from "../../src/store/state/site.ts";
import { Store } from "../../src/store/state/store.ts";
import { imported, load, noonMs } from "../support/records.ts";
import { restart } from "../support/restart.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { addView, siteOf } from "../support/site.ts";

const minuteMs = 60_000;
const { entry, exit, engaged } = visitFlag;

function storeOf(...records: Parameters<Store["apply"]>[0][]): Store {
  const store = new Store(new Beacons(1n));
  store.addSite(1);
  for (const record of records) store.apply(record);
  return store;
}

/** The marks of the rows of each visit, in the order in which they came. */
function marks(store: Store): Record<number, number[]> {
  const found: Record<number, number[]> = {};
  for (const { rows, visit, visitFlags } of (store.sites.get(1) as Site).chunks.values())
    for (let row = 0; row < rows; row++) (found[visit[row] as number] ??= []).push(visitFlags[row] as number);
  return found;
}

describe("visits that may go on", () => {
  test("know their first page view and their last", () => {
    const store = storeOf(load("a", { visit: 1 }), load("b", { visit: 1 }), load("c", { visit: 1 }));
    expect(marks(store)).toEqual({ 1: [entry | engaged, 0, exit] });
  });

  test("begin with their first page view, also one that is logged after those of later visits", () => {
    const store = storeOf(load("a", { visit: 2 }), load("b", { visit: 1 }), load("c", { visit: 1 }));
    expect(marks(store)).toEqual({ 1: [entry | engaged, exit], 2: [entry | exit] });
  });

  test("are still known after a restart, beside many of access logs", () => {
    const { loads, ...past } = imported(
      Array.from({ length: 200 }, (_, at) => noonMs - 40 * 24 * 60 * minuteMs + at),
    );
    const store = storeOf(load("a", { visit: 1 }), {
      ...past,
      loads: loads.map((view, at) => ({ ...view, visit: at + 2 })),
    });
    restart(store);
    store.apply(load("b", { visit: 1, timeMs: noonMs + minuteMs }));
    expect(marks(store)[1]).toEqual([entry | engaged, exit]);
  });

  test.each([1, 10, 14, 23, 25])("are the same after a restart beside many hits of %i hours ago", (hours) => {
    const store = storeOf(load("a", { visit: 1 }));
    const atMs = noonMs - hours * 60 * minuteMs;
    for (let visit = 2; visit <= 200; visit++) store.apply(load(`b${visit}`, { visit, atMs }));
    restart(store);
    store.apply(load("c", { visit: 1, timeMs: noonMs + minuteMs }));
    expect(marks(store)[1]).toEqual([entry | engaged, exit]);
  });

  test("go on after a restart though a clock was two days ahead for a moment, and back", () => {
    const ahead = load("ahead", { visit: 1, timeMs: noonMs + 48 * hourMs });
    const store = storeOf(ahead, load("a", { visit: 2 }));
    restart(store);
    store.apply(load("b", { visit: 2, timeMs: noonMs + minuteMs }));
    expect(marks(store)).toEqual({ 1: [entry | exit], 2: [entry | engaged, exit] });
  });

  test("go on without a first page view if that was removed, also after a restart", () => {
    const store = storeOf(load("a", { visit: 1 }), load("b", { visit: 1, timeMs: noonMs + minuteMs }), {
      kind: "rowsRemoved",
      timeMs: noonMs + minuteMs,
      websiteId: 1,
      startMs: noonMs,
      endMs: noonMs,
      having: [],
    });
    for (const beacon of ["c", "d"]) {
      restart(store);
      store.apply(load(beacon, { visit: 1, timeMs: noonMs + 2 * minuteMs }));
    }
    expect(marks(store)[1]).toEqual([0, 0, exit]);
  });

  test("give way to newer ones past the limit, and take nothing back", () => {
    const site = siteOf();
    const visits = new OpenVisits(site.chunks);
    const see = (visit: number) => {
      const { chunk, row } = addView(site);
      visits.addPageView(visit, noonMs, { chunk, row });
      return chunk.visitFlags[row];
    };
    expect(see(1)).toBe(entry | exit);
    for (let visit = 2; visit <= visitsMax; visit++) visits.addEvent(visit, noonMs);
    expect(see(1)).toBe(exit);
    expect(see(visitsMax + 1)).toBe(entry | exit);
    expect(see(1)).toBe(0);
    expect(see(visitsMax + 1)).toBe(exit);
  });

  test("leave a chunk alone whose rows are marked already", () => {
    const site = siteOf();
    const visits = new OpenVisits(site.chunks);
    const { chunk, row } = addView(site);
    visits.addPageView(1, noonMs, { chunk, row });
    const versions = [1, 2, 3].map(() => {
      visits.markEngaged(1, noonMs);
      return chunk.version;
    });
    expect(chunk.visitFlags[row]).toBe(entry | exit | engaged);
    expect(versions).toEqual([versions[0]!, versions[0]!, versions[0]!]);
  });
});

const hourMs = 60 * minuteMs;

/** Says what is in each slot; nothing where its visit takes no more page views, because it is twelve hours old. */
function slotsOf(visits: OpenVisits, nowMs: number): unknown[] {
  const { visit, firstMs, entryChunk, entryRow, exitChunk, exitRow } = visits["slots"];
  return Array.from(visit, (number, slot) =>
    nowMs - (firstMs[slot] as number) > 12 * hourMs
      ? 0
      : [number, entryChunk[slot], entryRow[slot], exitChunk[slot], exitRow[slot]],
  );
}

test(`${rounds(30, 3)} times past the limit, slots are the same after a restart, beside imports and hits of before`, () => {
  const random = randomBySeed();
  const below = (count: number) => Math.floor(random() * count);
  for (let round = rounds(30, 3); round > 0; round--) {
    const store = storeOf();
    const site = store.sites.get(1) as Site;
    const visits = (site["visits"] = new OpenVisits(site.chunks, 64));
    let [nowMs, number, name] = [noonMs, 0, 0];
    /** Visits of now, which end before they are twelve hours old. */
    const open: { readonly visit: number; readonly endMs: number; lastMs: number }[] = [];
    const given: { visit: number; atMs: number }[] = [];
    for (let step = 0; step < 600; step++) {
      nowMs += below(3 * minuteMs);
      const chance = random();
      const beacon = `b${name++}`;
      if (chance < 0.1) {
        // Each visit of an import has its rows one after the other, and nobody else's.
        const ended = Array.from({ length: 1 + below(4) }, () => ({
          visit: ++number,
          atMs: nowMs - below(14 * hourMs),
        }));
        const rows = ended.flatMap(({ visit, atMs }) =>
          Array.from({ length: 1 + below(3) }, (_, at) => ({
            visit,
            timeMs: Math.min(nowMs, atMs + at * minuteMs),
          })),
        );
        const record = imported(
          rows.map(({ timeMs }) => timeMs),
          { timeMs: nowMs, file: beacon },
        );
        store.apply({ ...record, loads: record.loads.map((own, at) => ({ ...own, ...rows[at] })) });
      } else if (chance < 0.25) {
        const known = random() < 0.5 ? given[below(given.length)] : undefined;
        const { visit, atMs } = known ?? { visit: ++number, atMs: nowMs - below(20 * hourMs) };
        if (known === undefined) given.push({ visit, atMs });
        store.apply(
          load(beacon, { visit, timeMs: nowMs, atMs: Math.min(nowMs, atMs + below(10 * minuteMs)) }),
        );
      } else {
        const going = open.filter(({ endMs, lastMs }) => endMs > nowMs && nowMs - lastMs < 30 * minuteMs);
        const known = random() < 0.6 ? going[below(going.length)] : undefined;
        const { visit } = known ?? { visit: ++number };
        if (known === undefined) open.push({ visit, endMs: nowMs + below(12 * hourMs), lastMs: nowMs });
        else known.lastMs = nowMs;
        store.apply(load(beacon, { visit, timeMs: nowMs }));
      }
    }
    expect(slotsOf(OpenVisits.of(site.chunks, nowMs, 64), nowMs)).toEqual(slotsOf(visits, nowMs));
  }
});
