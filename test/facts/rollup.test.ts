import { describe, expect, test } from "bun:test";
import type { DimensionName } from "../../src/core/questions/dimension.ts";
import { dimensionIndex } from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import type { Rollup, Unit } from "../../src/facts/entries.ts";
import { dayEnds, rollUp, visitorOf } from "../../src/facts/rollup.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import { pageViewClasses, type VisitorFlag } from "../../src/store/columns/row-class.ts";
import { columnMembers, type Site } from "../../src/store/state/site.ts";
import { noonMs } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { siteOf, type View } from "../support/site.ts";

const monthMs = Date.UTC(2026, 2);

function chunkOf(site: Site): Chunk {
  const [chunk, ...others] = site.chunks.values();
  expect(others).toEqual([]);
  return chunk as Chunk;
}

function rolledUp(site: Site, name: DimensionName = "browser", unit: Unit = "whole"): Rollup | undefined {
  const made = rollUp(site, chunkOf(site), lookUps);
  return made.find((one) => one.of === dimensionIndex[name] && one.unit === unit)?.rollup;
}

interface Figures {
  readonly pageviews: number;
  readonly visitors: number;
  readonly known: number;
  readonly bounced: number;
  readonly judged: number;
  readonly totalMs: number;
}

/** The entries of each part as figures by value. */
function figures(site: Site, name: DimensionName, rollup: Rollup): Map<string, Figures>[] {
  const dictionary = site.dictionaries[dimensionIndex[name]];
  let from = 0;
  return Array.from(rollup.ends, (end) => {
    const byValue = new Map<string, Figures>();
    for (; from < end; from++) {
      const [untimed, timed, visitorUntimed, visitorTimed, uniqueTimed, uniqueBounced] =
        rollup.counts.subarray(from * 6, from * 6 + 6) as unknown as [
          number,
          number,
          number,
          number,
          number,
          number,
        ];
      const value = dictionary?.value(rollup.ids[from] as number) as string;
      expect(byValue.has(value)).toBe(false);
      const judged = uniqueTimed + uniqueBounced;
      const visitors = visitorUntimed + visitorTimed + judged;
      byValue.set(value, {
        pageviews: untimed + timed + visitors,
        visitors,
        known: timed + visitorTimed + judged,
        bounced: uniqueBounced,
        judged,
        totalMs: rollup.totalMs[from] as number,
      });
    }
    return byValue;
  });
}

/** The same, view by view. */
function expected(views: readonly View[], name: DimensionName, visitor: VisitorFlag): Map<string, Figures> {
  const byValue = new Map<string, Figures>();
  const zero = { pageviews: 0, visitors: 0, known: 0, bounced: 0, judged: 0, totalMs: 0 };
  for (const view of views) {
    if (view.bare) continue;
    const { p = true, q = !p, ms, evented } = view;
    const value = view[name] as string;
    const old = byValue.get(value) ?? zero;
    const isVisitor = visitor === rowFlag.unique ? p : p || !q;
    byValue.set(value, {
      pageviews: old.pageviews + 1,
      visitors: old.visitors + Number(isVisitor),
      known: old.known + Number(ms !== undefined),
      judged: old.judged + Number(p && ms !== undefined),
      bounced: old.bounced + Number(p && ms !== undefined && ms < 5_000 && !evented),
      totalMs: old.totalMs + (ms ?? 0),
    });
  }
  return byValue;
}

/** In the order of their time, over the whole month. */
function randomViews(count: number, values: number, random: () => number): View[] {
  const times = Array.from({ length: count }, () => monthMs + Math.floor(random() * 31 * dayMs)).sort(
    (a, b) => a - b,
  );
  const value = () => `value ${Math.floor(random() * values)}`;
  return times.map((timeMs): View => ({
    timeMs,
    path: value(),
    browser: value(),
    utm_medium: value(),
    language: value(),
    p: random() < 0.4,
    q: random() < 0.4,
    ...(random() < 0.6 && { ms: Math.floor(random() ** 3 * 86_400_000) }),
    evented: random() < 0.2,
    bare: random() < 0.1,
  }));
}

test("a rollup of channels has one entry for tuples of one channel, and the sums of their rows", () => {
  const random = randomBySeed();
  const pick = (...values: readonly string[]) => values[Math.floor(random() * values.length)] as string;
  const views = Array.from({ length: 2_000 }, (_, at): View => ({
    timeMs: monthMs + at,
    referrer: pick("", "google.com"),
    utm_source: pick("", "news"),
    utm_medium: pick("", "email"),
    utm_campaign: pick("", "may", "june"),
    utm_term: pick("", "a", "b", "c"),
    p: random() < 0.4,
  }));
  const site = siteOf(...views);
  const rollup = rollUp(site, chunkOf(site)).find(({ of }) => of === "channel")?.rollup as Rollup;
  const keyOf = ({ referrer, utm_source, utm_medium, utm_campaign }: View) =>
    [referrer, utm_source, utm_medium, utm_campaign !== ""].join();
  const expected = new Map([...Map.groupBy(views, keyOf)].map(([origin, own]) => [origin, own.length]));
  const members = site.tuples.source.members;
  const found = [...rollup.ids].map((tuple, entry) => {
    const [referrer, utm_source, utm_medium, utm_campaign] = members.map((ids, member) => {
      const dictionary = site.dictionaries[columnMembers.source[member] as number];
      return dictionary?.value(ids[tuple] as number) as string;
    }) as [string, string, string, string];
    const counts = rollup.counts.subarray(entry * pageViewClasses, (entry + 1) * pageViewClasses);
    return [
      keyOf({ referrer, utm_source, utm_medium, utm_campaign }),
      counts.reduce((sum, rows) => sum + rows, 0),
    ] as const;
  });
  expect(found).toHaveLength(16);
  expect(new Map(found)).toEqual(expected);
});

describe("a rollup adds up its rows", () => {
  const random = randomBySeed();
  for (const name of ["path", "browser", "utm_medium", "language"] as const)
    test(`by ${name}`, () => {
      // An event without a page view has no time on the page.
      const views = randomViews(4_000, 9, random).map((view) =>
        view.bare ? { ...view, ms: undefined } : view,
      ) as View[];
      const site = siteOf(...views);
      const visitor = visitorOf(dimensionIndex[name]);
      expect(visitor).toBe(name === "path" ? rowFlag.first : rowFlag.unique);
      const rollup = rolledUp(site, name) as Rollup;
      expect(figures(site, name, rollup)).toEqual([expected(views, name, visitor)]);
      expect([...rollup.unique]).toEqual([views.filter(({ p, bare }) => p && !bare).length]);
      const ends = dayEnds(chunkOf(site));
      const daily = rolledUp(site, name, "day") as Rollup;
      const dayOf = ({ timeMs = 0 }: View) => Math.floor((timeMs - monthMs) / dayMs);
      const firstDay = dayOf(views[0] as View);
      const days = Array.from(ends, (_, day) => views.filter((view) => dayOf(view) === day + firstDay));
      expect(figures(site, name, daily)).toEqual(days.map((own) => expected(own, name, visitor)));
      expect([...daily.unique]).toEqual(days.map((own) => own.filter(({ p, bare }) => p && !bare).length));
    });

  test("also of a full chunk with more milliseconds than 32 bits hold", () => {
    const site = siteOf(...Array.from({ length: chunkRowsMax }, () => ({ ms: dayMs })));
    const rollup = rolledUp(site) as Rollup;
    expect([...rollup.totalMs]).toEqual([chunkRowsMax * dayMs]);
    expect(rollup.counts[4]).toBe(chunkRowsMax);
  });
});

describe("a rollup is small against its rows", () => {
  const pages = (rows: number, values: number) =>
    siteOf(...Array.from({ length: rows }, (_, row) => ({ path: `/${row % values}` })));
  const entries = (site: Site) => rolledUp(site, "path")?.ids.length;

  test("or there is none", () => {
    expect(entries(pages(80, 10))).toBe(10);
    expect(entries(pages(79, 10))).toBeUndefined();
    expect(entries(pages(chunkRowsMax, chunkRowsMax / 8))).toBe(chunkRowsMax / 8);
    expect(entries(pages(chunkRowsMax, chunkRowsMax / 8 + 1))).toBeUndefined();
  });

  test("as a whole and by day", () => {
    const views = Array.from({ length: 320 }, (_, at) => ({
      timeMs: monthMs + (at * dayMs) / 16,
      path: `/${at % 16}`,
      browser: `b${at % 2}`,
    }));
    const site = siteOf(...views);
    const has = (name: DimensionName) =>
      (["whole", "day"] as const).map((unit) => rolledUp(site, name, unit) !== undefined);
    expect([has("path"), has("browser")]).toEqual([
      [true, false],
      [true, true],
    ]);
  });
});

test("days of a chunk are ranges of its rows, empty ones too", () => {
  const at = [0, 1, dayMs - 1, dayMs, 4 * dayMs - 1, 4 * dayMs].map((ms) => ({
    timeMs: Date.UTC(2026, 2, 15) + ms,
  }));
  expect([...dayEnds(chunkOf(siteOf(...at)))]).toEqual([3, 4, 4, 5, 6]);
  expect([...dayEnds(chunkOf(siteOf({ timeMs: noonMs })))]).toEqual([1]);
});
