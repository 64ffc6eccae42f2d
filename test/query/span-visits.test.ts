/** Distinct visits of spans: those of facts are those of rows, also where visits have rows in several chunks. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { SummaryQuery } from "../../src/core/questions/query.ts";
import type { SiteWithFacts } from "../../src/facts/facts.ts";
import { answerSummary } from "../../src/query/answers/summary.ts";
import { rowFlag, visitFlag } from "../../src/store/columns/row-flag.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { Site } from "../../src/store/state/site.ts";
import { randomFrom } from "../support/random.ts";
import { valuesOf } from "../support/records.ts";
import { seed } from "../support/seed.ts";
import { withFacts } from "../support/some-facts.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const hourMs = dayMs / 24;
const aprilMs = Date.UTC(2026, 3);
const nowMs = Date.UTC(2026, 6);

/** Visits of a few rows each around the turn of a month, some of them in chunks that are sealed before others come. */
function siteOf(random: () => number): Site {
  const site = new Site(1);
  const starts: number[] = [];
  for (let part = 0; part < 3; part++) {
    for (let at = 0; at < 60; at++) {
      const visit = random() < 0.3 ? Math.floor(random() * starts.length) : starts.length;
      const startMs = (starts[visit] ??= aprilMs + (part - 1.5 + 2 * random()) * dayMs);
      for (let rows = Math.ceil(random() * 4); rows > 0; rows--) {
        const timeMs = Math.floor(startMs + random() * 12 * hourMs);
        const flags = random() < 0.2 ? rowFlag.bare : rowFlag.first;
        const { chunk, row } = site.addRow(timeMs, valuesOf("/"), flags, { visit: visit + 1 });
        // Facts have copies of the rows of some visits, and not of others.
        if (random() < 0.45) chunk.markVisit(row, visitFlag.entry | visitFlag.exit);
      }
    }
    if (random() < 0.7) sealAndStore(site, nowMs);
  }
  return site;
}

/** Visits of each day and of the whole period, and how many numbers of facts they were added from. */
function visits(site: SiteWithFacts, startMs: number, endMs: number) {
  const context = new QueryContext(new QueryCache(0));
  const period = { startMs, endMs };
  const query: SummaryQuery = {
    period,
    filters: [],
    previous: false,
    interval: "day",
    timezone: "UTC",
    metrics: ["visits"],
  };
  return { answer: answerSummary(site, query, nowMs, context), factsAdded: context.factsAdded };
}

test.each(Array.from({ length: 40 }, (_, world) => world))("as in world %i", (world) => {
  const random = randomFrom(seed() + world);
  const site = siteOf(random);
  const sealed = [...site.chunks.values()].filter((chunk) => chunk.sealed);
  const made = withFacts(
    site,
    sealed.filter(() => random() < 0.8).map(({ number }) => number),
  );
  for (let question = 0; question < 5; question++) {
    const startMs = aprilMs + Math.floor(random() * 5 - 3) * dayMs;
    const endMs = startMs + Math.ceil(random() * 4) * dayMs - 1;
    const { answer } = visits(made, startMs, endMs);
    expect<unknown>(answer).toEqual(naive(site, startMs, endMs));
    expect(visits(site, startMs, endMs).answer).toEqual(answer);
  }
});

test("and facts stand for most rows where they are whole", () => {
  const site = siteOf(() => 0.5);
  const made = withFacts(
    site,
    [...site.chunks.values()].map(({ number }) => number),
  );
  expect(visits(made, aprilMs - 3 * dayMs, aprilMs + 4 * dayMs - 1).factsAdded).toBeGreaterThan(0);
});

function naive(site: Site, startMs: number, endMs: number) {
  const rows = [...site.chunks.values()].flatMap((chunk) =>
    Array.from({ length: chunk.rows }, (_, row) => ({
      timeMs: chunk.monthMs + (chunk.time[row] as number),
      visit: chunk.visit[row],
    })),
  );
  const between = (fromMs: number, toMs: number) =>
    new Set(rows.filter(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs).map(({ visit }) => visit)).size;
  const days = Array.from({ length: Math.round((endMs + 1 - startMs) / dayMs) }, (_, day) => ({
    date: `${new Date(startMs + day * dayMs).toISOString().slice(0, 10)}T00:00:00+00:00`,
    visits: between(startMs + day * dayMs, startMs + (day + 1) * dayMs - 1),
  }));
  return { current: { visits: between(startMs, endMs) }, interval: days };
}
