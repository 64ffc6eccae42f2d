/** Distinct visits by value: sums of facts stand for rows only where they count each visit of a row of the list once. */
import { expect, test } from "bun:test";
import type { ListName } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { channelsOf } from "../../src/query/names/derived.ts";
import { rowFlag, visitFlag } from "../../src/store/columns/row-flag.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";
import { listOf } from "../support/site.ts";
import { factsOf, seenWith } from "../support/some-facts.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const aprilMs = Date.UTC(2026, 3);
const wholeApril = { startMs: aprilMs, endMs: aprilMs + 30 * dayMs - 1 };
const someDays = { startMs: aprilMs + 3 * dayMs, endMs: aprilMs + 11 * dayMs - 1 };
const languages = ["de", "de-AT", "de-CH", "en", "en-GB", "fr", ""];
const countries = ["DE", "AT", "GB", "FR", ""];
const referrers = ["", "google.com", "google.de/search", "news.ycombinator.com"];

interface Mixing {
  /** How likely each row of a visit has values of its own. */
  readonly share: number;
  /** The days of April whose visits may. */
  readonly days: readonly number[];
}

/** April in two chunks with visits of one to five rows, of which those of some days mix values. */
function siteOf(random: () => number, { share, days }: Mixing): Site {
  const pick = (values: readonly string[]) => values[Math.floor(random() * values.length)]!;
  const site = new Site(1);
  const visits = 600;
  for (let visit = 1; visit <= visits; visit++) {
    if (visit === visits / 2) sealAndStore(site, Date.UTC(2026, 6));
    const startMs = aprilMs + Math.floor(((visit - 1) / visits) * 29.4 * dayMs);
    const own = { country: pick(countries), language: pick(languages), referrer: pick(referrers) };
    for (let row = Math.ceil(random() * 5); row > 0; row--) {
      const timeMs = startMs + Math.floor(random() * dayMs * 0.4);
      const isMixed = random() < share && days.includes(Math.floor((timeMs - aprilMs) / dayMs));
      const country = isMixed ? pick(countries) : own.country;
      const language = isMixed ? pick(languages) : own.language;
      const referrer = random() < 0.5 ? own.referrer : pick(referrers);
      const values = ["/", referrer, "", "", "", "Firefox", "Linux", "Desktop", country, language, "", ""];
      const ref = site.addRow(timeMs, values, rowFlag.first, { visit });
      if (random() < 0.5) ref.chunk.addDuration(ref.row, Math.floor(random() * 9_000));
      ref.chunk.markVisit(ref.row, visitFlag.entry | visitFlag.exit);
    }
  }
  sealAndStore(site, Date.UTC(2026, 6));
  return site;
}

function asked(site: Site, list: ListName, period = wholeApril) {
  const context = new QueryContext();
  const metrics = ["visits", "time_per_visit", "views_per_visit"] as const;
  const facts = new Map(site.chunks.values().map((chunk) => [chunk, factsOf(site, chunk, channelsOf)]));
  const made = seenWith(site, (chunk) => facts.get(chunk));
  const [ofFacts, ofRows] = [made, site].map((own) => {
    const query = listOf(list, { period, metrics, grouped: true });
    return answerList(own, query, own === made ? context : new QueryContext());
  });
  expect<unknown>(ofFacts).toEqual(ofRows);
  expect(ofFacts!.length).toBeGreaterThan(2);
  return { rowsRead: context.rowsRead, rows: ofFacts! };
}

const allDays = Array.from({ length: 30 }, (_, day) => day);

test("no row is read where each visit has one value, or each row of the list has", () => {
  const random = randomFrom(seed());
  const apart = siteOf(random, { share: 0, days: [] });
  const mixed = siteOf(random, { share: 0.5, days: allDays });
  for (const period of [wholeApril, someDays]) {
    expect(asked(apart, "languages", period).rowsRead).toBe(0);
    expect(asked(apart, "countries", period).rowsRead).toBe(0);
    expect(asked(mixed, "countries", period).rowsRead).toBe(0);
    expect(asked(mixed, "channels", period).rowsRead).toBe(0);
  }
});

test("rows are read where a visit has two values of one row of the list, of the part that has it", () => {
  const random = randomFrom(seed());
  const mixed = siteOf(random, { share: 0.5, days: allDays });
  const rows = mixed.chunks.values().reduce((sum, chunk) => sum + chunk.rows, 0);
  expect(asked(mixed, "languages").rowsRead).toBe(rows);
  const once = siteOf(random, { share: 0.7, days: [2] });
  const { rowsRead } = asked(once, "languages");
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThan(once.chunks.values().reduce((sum, chunk) => sum + chunk.rows, 0));
  expect(asked(once, "languages", someDays).rowsRead).toBe(0);
});
