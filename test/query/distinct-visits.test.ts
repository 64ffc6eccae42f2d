/** Distinct visits with a first view by group, from linked rows of several chunks, beside a set of pairs. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { Filter, Period } from "../../src/core/questions/query.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { DistinctVisits } from "../../src/query/visits/distinct/distinct-visits.ts";
import { SharedVisits } from "../../src/query/visits/distinct/shared-visits.ts";
import {
  keepFlagged,
  selectedFlags,
  selectedIds,
  selectedVisits,
  type Block,
} from "../../src/query/rows/block.ts";
import { linkedFirstViews } from "../../src/query/rows/linked-rows.ts";
import { visitSelected } from "../../src/query/rows/select.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { Site } from "../../src/store/state/site.ts";
import { valuesOf } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { everything, filter } from "../support/site.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const aprilMs = Date.UTC(2026, 3);
const nowMs = Date.UTC(2026, 6);
const rows = 9_000;
/** More than that many rows of a visit are in a set. */
const ofLongVisit = 300;

/** Two months, of which the first may be sealed; some visits have rows in both, one has many, some rows have none. */
function siteOf(random: () => number, isSealed: boolean): Site {
  const site = new Site(1);
  for (let at = 0; at < rows; at++) {
    if (at === rows / 2 && isSealed) sealAndStore(site, nowMs);
    const timeMs = aprilMs + Math.floor((at / rows) * 60 * dayMs);
    const isLong = random() < (3 * ofLongVisit) / rows;
    const visit = isLong ? 1 + (at < rows / 3 ? 0 : 1) : Math.floor((at / 3) * random() ** 0.01 + 3);
    const flags = random() < 0.6 ? rowFlag.first : 0;
    const path = isLong ? `/${Math.floor(random() * 200)}` : `/${Math.floor(random() ** 3 * 40)}`;
    site.addRow(timeMs, valuesOf(path), flags, { visit: random() < 0.1 ? 0 : visit });
  }
  return site;
}

const filters = [[], [filter("path", "neq", "/1")], [filter("path", "contains", "2")]];
const periods: readonly Period[] = [
  everything.period,
  { startMs: aprilMs + 5 * dayMs, endMs: aprilMs + 40 * dayMs },
];

test.each([true, false])("are those of the rows, with a sealed chunk: %p", (isSealed) => {
  const random = randomBySeed();
  const site = siteOf(random, isSealed);
  const cache = new QueryCache(2 ** 24);
  for (const own of filters)
    for (const period of periods) {
      const expected = pairs(site, own, period);
      // The second time from the cache.
      for (let time = 0; time < 2; time++) {
        const context = new QueryContext(site, cache);
        const paths = site.dictionaries[0]?.size ?? 0;
        const shared = SharedVisits.of(period, context);
        const distinct = new DistinctVisits(paths, shared);
        const selection = { period, filters: own };
        visitSelected(selection, context, (block) => {
          const views = keepFlagged(block, rowFlag.first);
          const ids = selectedIds(views, "path");
          for (let at = 0; at < views.count; at++) distinct.addFirstViews(ids[at] as number, 1);
        });
        for (const chunk of site.chunks.values()) {
          distinct.keepFirst(linkedFirstViews(chunk, selection, context), byPath);
          const ofShared = shared.firstViewsIn(chunk, selection, context);
          distinct.addShared(ofShared.chunk, ofShared.rows, byPath);
        }
        expect(Array.from(distinct.counts)).toEqual(expected.counts);
        expect(distinct.all).toBe(expected.all);
      }
    }
});

const byPath = (block: Block) => selectedIds(block, "path");

function pairs(site: Site, filters: readonly Filter[], period: Period) {
  const seen = new Set<string>();
  const visits = new Set<number>();
  const counts = Array.from({ length: site.dictionaries[0]?.size ?? 0 }, () => 0);
  visitSelected({ period, filters }, new QueryContext(site, new QueryCache(0)), (block) => {
    const [ids, flags, own] = [selectedIds(block, "path"), selectedFlags(block), selectedVisits(block)];
    for (let at = 0; at < block.count; at++) {
      const [visit, path] = [own[at] as number, ids[at] as number];
      if (visit === 0 || ((flags[at] as number) & rowFlag.first) === 0) continue;
      visits.add(visit);
      if (seen.has(`${visit} ${path}`)) continue;
      seen.add(`${visit} ${path}`);
      (counts[path] as number)++;
    }
  });
  return { counts, all: visits.size };
}
