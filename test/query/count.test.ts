import { describe, expect, test } from "bun:test";
import { Counts, countVisitors } from "../../src/query/counts/count.ts";
import { selectedDurations, selectedFlags, selectedIds, type Block } from "../../src/query/rows/block.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import type { Site } from "../../src/store/state/site.ts";
import { selectBlocks } from "../support/blocks.ts";
import { everything, siteOf } from "../support/site.ts";

/** Counts by id of the path, of all rows. */
function countIds(counts: Counts, site: Site, ids: number, visitor: 1 | 2): Counts {
  counts.begin(ids);
  for (const block of selectBlocks(site, everything)) {
    const paths = selectedIds(block, "path");
    counts.addRows(paths, selectedFlags(block), selectedDurations(block), block.count, visitor);
  }
  return counts;
}

/** Counts by group of paths; the first `split` pages are group 1, the others 2. */
function counted(site: Site, pages: number, split: number, visitor: 1 | 2 = rowFlag.unique): Counts {
  const groupOf = Uint32Array.from({ length: pages + 1 }, (_, id) => (id === 0 ? 0 : id <= split ? 1 : 2));
  const byId = countIds(new Counts(), site, groupOf.length, visitor);
  const counts = new Counts().begin(3);
  counts.addCounts(byId, groupOf);
  return counts;
}

describe("what is counted of a group", () => {
  for (const pages of [2, 600, 5_000])
    test(`of ${pages} pages`, () => {
      const views = Array.from({ length: pages * 2 }, (_, at) => ({
        path: `/${at % pages}`,
        p: at < pages,
        q: at % 4 === 3,
        ...(at % 2 === 0 && { ms: at % 4 === 0 ? 10 : 6_000 }),
      }));
      const split = pages / 2;
      const [site, group] = [siteOf(...views), views.filter((_, at) => at % pages < split)];
      const unique = counted(site, pages, split);
      const first = counted(site, pages, split, rowFlag.first);
      expect(unique.pageviews(1)).toBe(group.length);
      expect(unique.visitors(1)).toBe(group.filter(({ p }) => p).length);
      expect(first.visitors(1)).toBe(group.filter(({ p, q }) => p || !q).length);
      const known = group.filter(({ ms }) => ms !== undefined);
      expect(unique.known(1)).toBe(known.length);
      expect(unique.totalMs(1)).toBe(known.reduce((sum, { ms = 0 }) => sum + ms, 0));
      const judged = known.filter(({ p }) => p);
      const bounced = judged.filter(({ ms = 0 }) => ms < 5_000);
      for (const counts of [unique, first])
        expect(counts.of(1)).toEqual({
          visitors: counts.visitors(1),
          pageviews: group.length,
          known: known.length,
          uniqueKnown: judged.length,
          bounced: bounced.length,
          totalMs: counts.totalMs(1),
        });
      expect([unique.pageviews(0), unique.visitors(0), unique.totalMs(0)]).toEqual([0, 0, 0]);
      expect(unique.pageviews(2)).toBe(views.length - group.length);
    });

  test("begins at zero, however large the question before", () => {
    const counts = new Counts();
    const site = siteOf({ ms: 10 }, { ms: 20 });
    for (const ids of [2, 200_000, 2, 5_000]) {
      countIds(counts, site, ids, rowFlag.unique);
      expect([counts.pageviews(1), counts.totalMs(1), counts.pageviews(0)]).toEqual([2, 30, 0]);
    }
  });

  test("is not the row of an event without a page view", () => {
    const counts = counted(siteOf({ bare: true }), 1, 1);
    expect([counts.pageviews(1), counts.visitors(1), counts.known(1)]).toEqual([0, 0, 0]);
  });

  test("is only page views and visitors where no more is needed", () => {
    const views = [{ ms: 10 }, { p: false, ms: 20 }, { p: false, q: true }, { bare: true }];
    const [block] = [...selectBlocks(siteOf(...views), everything)];
    const ids = Uint16Array.of(1, 1, 2, 1);
    const [byId, first, odd] = [1, 2, 3].map(() => new Counts().begin(3, "views")) as [
      Counts,
      Counts,
      Counts,
    ];
    byId.addViews(block as Block, ids, rowFlag.unique);
    first.addViews(block as Block, Uint32Array.from(ids), rowFlag.first);
    odd.addViews(block as Block, ids.toReversed(), rowFlag.unique);
    expect([1, 2].map((id) => [first.pageviews(id), first.visitors(id)])).toEqual([
      [2, 1],
      [1, 0],
    ]);
    expect([1, 2].map((id) => [odd.pageviews(id), odd.visitors(id)])).toEqual([
      [2, 1],
      [1, 0],
    ]);
    const counts = new Counts().begin(2, "views");
    counts.addCounts(byId, Uint32Array.of(0, 1, 1));
    expect([byId.pageviews(1), byId.visitors(1), byId.pageviews(2), byId.visitors(2)]).toEqual([2, 1, 1, 0]);
    expect(counts.of(1)).toMatchObject({ pageviews: 3, visitors: 1, known: NaN, totalMs: NaN });
    expect(byId.begin(3).of(1)).toMatchObject({ pageviews: 0, visitors: 0, known: 0, totalMs: 0 });
  });

  test("is of a run of rows of one group what their flags say", () => {
    const site = siteOf({ ms: 10 }, { ms: 6_000 }, { p: false }, { bare: true }, {});
    const [block] = [...selectBlocks(site, everything)];
    const counts = new Counts().begin(2);
    counts.addRun(1, block as Block, 1, 4, rowFlag.unique);
    counts.addRun(1, block as Block, 4, 5, rowFlag.unique);
    expect(counts.of(1)).toEqual({
      visitors: 2,
      pageviews: 3,
      known: 1,
      uniqueKnown: 1,
      bounced: 0,
      totalMs: 6_000,
    });
    expect(counts.pageviews(0)).toBe(0);
  });

  test("may be more milliseconds than 32 bits hold", () => {
    const day = 86_400_000;
    expect(counted(siteOf(...Array.from({ length: 60 }, () => ({ ms: day }))), 1, 1).totalMs(1)).toBe(
      60 * day,
    );
  });
});

test("visitors are counted by their flag", () => {
  const site = siteOf({}, { p: false, q: false }, { p: false, q: true }, { bare: true });
  const [block] = [...selectBlocks(site, everything)] as [Block];
  expect([countVisitors(block, rowFlag.unique), countVisitors(block, rowFlag.first)]).toEqual([1, 2]);
  expect(countVisitors({ ...block, count: 1 }, rowFlag.first)).toBe(1);
});
