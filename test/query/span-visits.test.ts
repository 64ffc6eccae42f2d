/** Distinct visits of spans: those of facts are those of rows, also where visits have rows in several chunks. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { IntervalName, Period, SummaryQuery } from "../../src/core/questions/query.ts";
import type { Target } from "../../src/core/website/goal.ts";
import type { SiteWithFacts } from "../../src/facts/facts.ts";
import { answerSummary } from "../../src/query/answers/summary.ts";
import { rowFlag, visitFlag } from "../../src/store/columns/row-flag.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { Site } from "../../src/store/state/site.ts";
import { randomFrom } from "../support/random.ts";
import { valuesOf } from "../support/records.ts";
import { randomBySeed, seed } from "../support/seed.ts";
import { reduceMonths } from "../support/reduced.ts";
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

interface Asked extends Period {
  readonly interval?: IntervalName;
  readonly nowMs?: number;
  readonly goal?: Target;
}

/** Visits of each interval and of the whole period, or those that reached the goal, how many rows were read for them, and numbers of facts added. */
function visits(site: SiteWithFacts, { startMs, endMs, interval = "day", nowMs: now = nowMs, goal }: Asked) {
  const context = new QueryContext(site, new QueryCache(0));
  const query: SummaryQuery & { readonly nowMs: number } = {
    period: { startMs, endMs },
    filters: [],
    previous: false,
    interval,
    timezone: "UTC",
    nowMs: now,
    ...(goal ? { goal, metrics: ["conversions"] } : { metrics: ["visits"] }),
  };
  const { recorded_from: _, ...answer } = answerSummary(query, context);
  const { factsAdded, rowsRead, isApproximate } = context;
  return { answer, factsAdded, rowsRead, isApproximate };
}

test.each(Array.from({ length: 40 }, (_, world) => world))("as in world %i", (world) => {
  const random = randomFrom(seed() + world);
  const site = siteOf(random);
  const sealed = [...site.chunks.values()].filter((chunk) => chunk.sealed);
  const made = withFacts(
    site,
    sealed.filter(() => random() < 0.8).map(({ number }) => number),
  );
  const expectSame = (asked: Asked) => {
    const { answer } = visits(made, asked);
    expect<unknown>(answer).toEqual(naive(site, asked));
    expect(visits(site, asked).answer).toEqual(answer);
  };
  for (let question = 0; question < 5; question++) {
    const startMs = aprilMs + Math.floor(random() * 5 - 3) * dayMs;
    expectSame({ startMs, endMs: startMs + Math.ceil(random() * 4) * dayMs - 1 });
  }
  // Mostly the first day or the last is a short one. Rows lie before and after it, on one side of it, or in it.
  for (let question = 0; question < 20; question++) {
    const quarter = random() < 0.8 ? hourMs / 4 : 1;
    const at = () => aprilMs + Math.floor(((random() * 6 - 3) * dayMs) / quarter) * quarter;
    const [startMs, endMs] = [at(), at()].sort((a, b) => a - b) as [number, number];
    const interval = random() < 0.2 ? "hour" : "day";
    expectSame({ startMs, endMs, interval });
    // A question without a start or an end is about all hits, or those until now.
    expectSame({ startMs, endMs: Infinity, nowMs: endMs });
    expectSame({ startMs: -Infinity, endMs, nowMs: endMs });
  }
});

const everyDay = { startMs: aprilMs - 3 * dayMs, endMs: aprilMs + 4 * dayMs - 1 };

function withAllFacts(site: Site): SiteWithFacts {
  return withFacts(
    site,
    [...site.chunks.values()].map(({ number }) => number),
  );
}

test("and facts stand for most rows where they are whole", () => {
  expect(visits(withAllFacts(siteOf(() => 0.5)), everyDay).factsAdded).toBeGreaterThan(0);
});

/** A visit of two rows each six hours of March and April; the first one comes in an evening. */
function twoMonths(): Site {
  const site = new Site(1);
  const firstMs = Date.UTC(2026, 2, 1, 18, 20);
  for (let visit = 0; visit < 160; visit++)
    for (const later of [0, 5 * hourMs]) {
      const timeMs = firstMs + visit * 6 * hourMs + later;
      site.addRow(timeMs, valuesOf("/"), rowFlag.first, { visit: visit + 1 });
    }
  sealAndStore(site, nowMs);
  return site;
}

test("a short span reads no rows where none lie before it or none after it, and else those of its month", () => {
  const site = twoMonths();
  const made = withAllFacts(site);
  const [march, april] = [...site.chunks.values()];
  const [firstMs, lastMs] = [march!.minMs, april!.maxMs];
  const midnightMs = Math.ceil(lastMs / dayMs) * dayMs;
  const rowsRead = (asked: Asked) => {
    const { answer, rowsRead } = visits(made, asked);
    expect<unknown>(answer).toEqual(naive(site, asked));
    return rowsRead;
  };
  const noon = Date.UTC(2026, 2, 20, 12);
  expect(rowsRead({ ...everyDay, startMs: -Infinity })).toBe(0);
  expect(rowsRead({ startMs: noon - 12 * hourMs, endMs: Infinity, nowMs: midnightMs + 10 * hourMs })).toBe(0);
  expect(rowsRead({ startMs: firstMs, endMs: lastMs, nowMs: lastMs })).toBe(0);
  // A visit may go on from the morning to the next day without a row in the afternoon.
  const fromNoon = march!.time.subarray(0, march!.rows).filter((ms) => march!.monthMs + ms >= noon).length;
  expect(rowsRead({ startMs: noon, endMs: Infinity, nowMs: midnightMs })).toBe(fromNoon);
});

test("an edge inside a quarter of an hour reads the rows around it, and not those of its month", () => {
  const site = twoMonths();
  const made = withAllFacts(site);
  const [march] = site.chunks.values();
  const [startMs, endMs] = [Date.UTC(2026, 2, 10, 6, 20, 1), Date.UTC(2026, 2, 25, 18, 20)];
  const { answer, rowsRead } = visits(made, { startMs, endMs });
  expect<unknown>(answer).toEqual(naive(site, { startMs, endMs }));
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThan(march!.rows / 4);
});

test("an edge inside a quarter of an hour leaves out the page views without a visit that come before it there", () => {
  const site = new Site(1);
  const firstMs = Date.UTC(2026, 2, 10, 6, 15);
  // A page view each minute of two days, with a time of its own; one of three has no visit.
  const rows = Array.from({ length: 2 * 1_440 }, (_, at) => {
    const visit = at % 3 === 0 ? 0 : 1 + Math.floor(at / 60);
    return { timeMs: firstMs + at * 60_000, visit, durationMs: 1_000 + at };
  });
  for (const { timeMs, visit, durationMs } of rows) {
    const { chunk, row } = site.addRow(timeMs, valuesOf("/"), rowFlag.first, visit === 0 ? {} : { visit });
    chunk.addDuration(row, durationMs);
  }
  sealAndStore(site, nowMs);
  const made = withAllFacts(site);
  const random = randomBySeed();
  for (let question = 0; question < 50; question++) {
    const startMs = firstMs + Math.floor(random() * 10 * hourMs);
    const period = { startMs, endMs: startMs + Math.floor((13 + random() * 20) * hourMs) };
    const metrics = ["views_per_visit", "time_per_visit"] as const;
    const query = { period, filters: [], previous: false, timezone: "UTC", nowMs, metrics };
    const own = rows.filter(
      ({ timeMs, visit }) => visit > 0 && timeMs >= period.startMs && timeMs <= period.endMs,
    );
    const visits = new Set(own.map(({ visit }) => visit)).size;
    const totalMs = own.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const context = new QueryContext(made, new QueryCache(0));
    const { current } = answerSummary(query, context);
    expect<unknown>(current).toEqual({
      views_per_visit: Math.round((100 * own.length) / visits) / 100,
      time_per_visit: Math.round(totalMs / visits),
    });
    expect(context.factsAdded).toBeGreaterThan(0);
  }
});

test("sums of months without rows are exact where no short span lies among their rows", () => {
  let exact = 0;
  for (let world = 0; world < 40; world++) {
    const [site, months] = [siteOf(randomFrom(seed() + world)), siteOf(randomFrom(seed() + world))];
    months.seal(nowMs);
    const random = randomFrom(seed() - world);
    reduceMonths(months, random() < 0.5 ? aprilMs : nowMs);
    for (let question = 0; question < 20; question++) {
      const at = () => aprilMs + Math.floor((random() * 6 - 3) * 96) * (hourMs / 4);
      const [startMs, endMs] = [at(), at()].sort((a, b) => a - b) as [number, number];
      const asked = { startMs, endMs: endMs + hourMs / 4 - 1 };
      const { answer, isApproximate } = visits(months, asked);
      if (isApproximate) continue;
      expect<unknown>(answer).toEqual(naive(site, asked));
      exact++;
    }
  }
  expect(exact).toBeGreaterThan(200);
});

test("an answer is approximate where a short span lies among the rows of a month without rows, and not months later", () => {
  const site = twoMonths();
  const target: Target = { page: [{ operator: "eq", operands: ["/"] }] };
  reduceMonths(site, aprilMs, [target]);
  const [day, morningMs] = [Date.UTC(2026, 2, 20), Date.UTC(2026, 3, 9, 10)];
  for (const goal of [undefined, target]) {
    const isApproximate = (startMs: number, endMs: number) =>
      visits(site, { startMs, endMs, ...(goal && { goal }) }).isApproximate;
    expect(isApproximate(day, morningMs - 1)).toBeFalse();
    expect(isApproximate(-Infinity, morningMs - 1)).toBeFalse();
    expect(isApproximate(day, Date.UTC(2026, 2, 31, 10) - 1)).toBeTrue();
    expect(isApproximate(day + 12 * hourMs, morningMs)).toBeTrue();
  }
});

function naive(site: Site, { startMs, endMs, interval = "day", nowMs: now = nowMs }: Asked) {
  const rows = [...site.chunks.values()].flatMap((chunk) =>
    Array.from({ length: chunk.rows }, (_, row) => ({
      timeMs: chunk.monthMs + (chunk.time[row] as number),
      visit: chunk.visit[row],
    })),
  );
  const between = (fromMs: number, toMs: number) =>
    new Set(rows.filter(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs).map(({ visit }) => visit)).size;
  const fromMs = Number.isFinite(startMs) ? startMs : Math.min(...rows.map(({ timeMs }) => timeMs));
  const toMs = Math.min(endMs, now);
  const unitMs = interval === "day" ? dayMs : hourMs;
  const intervals = [];
  for (let ms = Math.floor(fromMs / unitMs) * unitMs; fromMs <= toMs && ms <= toMs; ms += unitMs)
    intervals.push({
      date: `${new Date(ms).toISOString().slice(0, 19)}+00:00`,
      visits: between(Math.max(ms, fromMs), Math.min(ms + unitMs - 1, toMs)),
    });
  return { current: { visits: between(startMs, endMs) }, interval: intervals };
}
