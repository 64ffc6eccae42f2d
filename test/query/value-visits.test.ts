/** Distinct visits by value: facts count each visit of a row of the list once, whatever values the row merges. */
import { expect, test } from "bun:test";
import type { ListName } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Period } from "../../src/core/questions/query.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag, visitFlag } from "../../src/store/columns/row-flag.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { randomBySeed } from "../support/seed.ts";
import { listOf } from "../support/site.ts";
import { factsOf, labelledBy, seenWith } from "../support/some-facts.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const aprilMs = Date.UTC(2026, 3);
const wholeApril = { startMs: aprilMs, endMs: aprilMs + 30 * dayMs - 1 };
const someDays = { startMs: aprilMs + 3 * dayMs, endMs: aprilMs + 11 * dayMs - 1 };
/** Lists call `nb` and `no` Norwegian, and `xq`, `T1` and "" Unknown; null is not kept apart. */
const languages = [null, "de", "de-AT", "de-CH", "en", "en-GB", "nb", "no", "xq", ""];
const countries = [null, "DE", "AT", "GB", "FR", "T1", ""];
const referrers = [null, "", "google.com", "google.de/search", "news.ycombinator.com"];

/** April in two chunks with visits of one to five rows. `share`: how likely a row has other values than its visit. */
function siteOf(random: () => number, share: number): Site {
  const pick = (values: readonly (string | null)[]) => values[Math.floor(random() * values.length)]!;
  const site = new Site(1);
  const visits = 2_000;
  for (let visit = 1; visit <= visits; visit++) {
    if (visit === visits / 2) sealAndStore(site, Date.UTC(2026, 6));
    const startMs = aprilMs + Math.floor(((visit - 1) / visits) * 29.4 * dayMs);
    const own = { country: pick(countries), language: pick(languages), referrer: pick(referrers) };
    for (let row = Math.ceil(random() * 5); row > 0; row--) {
      const timeMs = startMs + Math.floor(random() * dayMs * 0.4);
      const isMixed = random() < share;
      const country = isMixed ? pick(countries) : own.country;
      const language = isMixed ? pick(languages) : own.language;
      const referrer = isMixed ? pick(referrers) : own.referrer;
      const values = ["/", referrer, "", "", "", "Firefox", "Linux", "Desktop", country, language, "", ""];
      const ref = site.addRow(timeMs, values, rowFlag.first, { visit });
      if (random() < 0.5) ref.chunk.addDuration(ref.row, Math.floor(random() * 9_000));
      ref.chunk.markVisit(ref.row, visitFlag.entry | visitFlag.exit);
    }
  }
  sealAndStore(site, Date.UTC(2026, 6));
  return site;
}

interface Asked {
  readonly list: ListName;
  readonly locale?: boolean;
}

/** Every list that merges values, and one that merges none. */
const lists: readonly Asked[] = [
  { list: "languages" },
  { list: "languages", locale: true },
  { list: "referrers" },
  { list: "countries" },
  { list: "channels" },
  { list: "browsers" },
];
const periods = { "a whole month": wholeApril, "some days": someDays };

/**
 * Expects the answer that rows give. Returns how many rows were read, and how many chunks' facts are to be made again.
 * `by`: what facts are made by.
 */
function asked(site: Site, { list, locale = false }: Asked, period: Period, by = lookUps) {
  const metrics = ["visits", "time_per_visit", "views_per_visit"] as const;
  const facts = new Map(site.chunks.values().map((chunk) => [chunk, factsOf(site, chunk, by)]));
  const again = new Set<Chunk>();
  const made = seenWith(
    site,
    (chunk) => facts.get(chunk),
    (chunk) => again.add(chunk),
  );
  const context = new QueryContext(made);
  const query = listOf(list, { period, metrics, grouped: true, locale });
  const [ofFacts, ofRows] = [
    answerList(made, query, context),
    answerList(site, query, new QueryContext(site)),
  ] as const;
  expect(ofFacts).toEqual(ofRows);
  expect(ofFacts.length).toBeGreaterThan(list === "browsers" ? 0 : 2);
  return { rowsRead: context.rowsRead, again: again.size };
}

for (const share of [0, 0.1, 0.7])
  for (const [name, period] of Object.entries(periods))
    test(`no row is read of ${name} where ${share * 100} % of rows have other values than their visit`, () => {
      const site = siteOf(randomBySeed(), share);
      for (const list of lists) expect(asked(site, list, period)).toEqual({ rowsRead: 0, again: 0 });
    });

test("rows are read, and facts made again, where values had other labels when these were made", () => {
  const site = siteOf(randomBySeed(), 0.5);
  const rows = site.chunks.values().reduce((sum, chunk) => sum + chunk.rows, 0);
  const merging = lists.filter(({ list }) => list !== "browsers" && list !== "channels");
  const others = [(value: string) => value, () => "all"];
  for (const by of others.map((labelOf) => ({ ...lookUps, labellers: labelledBy(labelOf) })))
    for (const list of merging) {
      expect(asked(site, list, wholeApril, by)).toEqual({ rowsRead: rows, again: 2 });
      const { rowsRead, again } = asked(site, list, someDays, by);
      expect(rowsRead).toBeGreaterThan(0);
      expect(rowsRead).toBeLessThan(rows);
      expect(again).toBeGreaterThan(0);
    }
});
