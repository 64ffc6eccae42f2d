/**
 * Whole months together are one rollup: by value it has what the rollups of its months add up to, also where a month is
 * from before a dimension or from before visits were timed. `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import type { ListQuery } from "../../src/core/questions/query.ts";
import { derivedColumns, derivedNames, type DerivedName } from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Rollup } from "../../src/facts/entries.ts";
import type { RollupOf } from "../../src/facts/facts.ts";
import { daysByClass, rollupByClass } from "../../src/facts/months/class-sums.ts";
import { rollupTogether } from "../../src/facts/months/months-together.ts";
import { ReducedFacts } from "../../src/facts/months/reduced-facts.ts";
import { listedOf } from "../../src/facts/rollup.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { channelsOf } from "../../src/query/names/derived.ts";
import { visitParts } from "../../src/store/columns/row-flag.ts";
import { pageViewClasses } from "../../src/store/columns/row-class.ts";
import { ReducedMonth } from "../../src/store/state/reduced-month.ts";
import type { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { reduceMonths, written } from "../support/reduced.ts";
import { randomBySeed } from "../support/seed.ts";
import { storeOf } from "../support/traffic-store.ts";
import { Traffic } from "../support/traffic.ts";

/** A website with several months without rows. */
function siteWithMonths(): Site {
  const traffic = new Traffic(randomBySeed());
  const site = storeOf(traffic.thatStay(4_000)).sites.get(1) as Site;
  site.seal(traffic.timeMs + 80 * dayMs);
  reduceMonths(site, traffic.timeMs + 80 * dayMs);
  expect(site.reduced.size).toBeGreaterThan(1);
  return site;
}

const factsOf = (month: ReducedMonth) => new ReducedFacts(month, (_, __, make) => make().value);

/** The month without those of its sections whose names `isGone` says. */
function without({ head, file, read, idsBefore }: ReducedMonth, isGone: (name: string) => boolean) {
  const all = read() as ReadonlyMap<string, Uint8Array>;
  const sections = new Map([...all].filter(([name]) => !isGone(name)));
  expect(sections.size).toBeLessThan(all.size);
  return new ReducedMonth(head, file, () => sections, [], idsBefore);
}

/** By class of a value, all that a rollup says of it; `keyOf`: the class. */
function byKey(rollups: readonly Rollup[], keyOf: (id: number) => number): Map<number, number[]> {
  const sums = new Map<number, number[]>();
  for (const rollup of rollups) {
    const { ids, counts, totalMs, visits, distinctVisits, timedVisits, outside } = rollup;
    ids.forEach((id, at) => {
      const numbers = [
        ...counts.subarray(at * pageViewClasses, (at + 1) * pageViewClasses),
        totalMs[at]!,
        ...visits.subarray(at * visitParts, (at + 1) * visitParts),
        distinctVisits[at]!,
        timedVisits[at]!,
        outside?.pageviews[at] ?? 0,
        outside?.totalMs[at] ?? 0,
      ];
      const known = sums.get(keyOf(id)) ?? numbers.map(() => 0);
      sums.set(
        keyOf(id),
        known.map((sum, place) => sum + numbers[place]!),
      );
    });
  }
  return sums;
}

function ofAll(rollups: readonly Rollup[]): number[] {
  const sum = (name: "unique" | "visitsOfPart" | "timedVisitsOfPart") =>
    rollups.reduce((all, rollup) => all + rollup[name][0]!, 0);
  return [sum("unique"), sum("visitsOfPart"), sum("timedVisitsOfPart")];
}

function expectSums(months: readonly ReducedMonth[], of: RollupOf, classOf?: Uint32Array): void {
  const facts = months.map(factsOf);
  const together = rollupTogether(facts, of, (_, make) => make(), classOf);
  const apart = facts.map((own) => own.rollup(of, "whole"));
  const keyOf = (id: number) => (classOf === undefined ? id : classOf[id]!);
  expect([of, byKey([together], keyOf)]).toEqual([of, byKey(apart, keyOf)]);
  expect([of, ofAll([together])]).toEqual([of, ofAll(apart)]);
  expect(new Set(Array.from(together.ids, keyOf)).size).toBe(together.ids.length);
  expect([...together.ends]).toEqual([together.ids.length]);
}

const ofTerms = (name: string) => name.endsWith(" utm_term") && !name.startsWith("goals");
const kinds = {
  "as they are": (months: ReducedMonth[]) => months,
  "one of them from before a dimension": (months: ReducedMonth[]) =>
    months.with(1, without(months[1]!, ofTerms)),
  "one of them from before sums by channel": (months: ReducedMonth[]) =>
    months.with(
      1,
      without(months[1]!, (name) => name.startsWith("classes")),
    ),
  "one of them from before visits were timed": (months: ReducedMonth[]) =>
    months.with(
      0,
      without(months[0]!, (name) => /^(timed|classes) /.test(name)),
    ),
};

test.each(Object.entries(kinds))("months %s add up to what each of them has", (_, changed) => {
  const site = siteWithMonths();
  const months = changed([...site.reduced.values()]);
  for (const of of listedOf) expectSums(months, of);
  for (const of of derivedNames) expectSums(months, of, channelsOf(site, of));
  const classOf = Uint32Array.from({ length: site.tuples.source.size }, (_, tuple) => tuple % 3);
  expectSums(months, "channel", classOf);
});

/** Returns the months whose sums by channel answer. `classOf`: the class of each tuple. */
function byClass(months: readonly ReducedMonth[], of: DerivedName, classOf: Uint32Array): ReducedMonth[] {
  return months.filter((month) => {
    const { ids } = factsOf(month).rollup(of, "whole");
    return rollupByClass(month, of, ids, classOf) !== undefined;
  });
}

/** Returns a part of a rollup as one of its own. */
function partOf(rollup: Rollup, part: number): Rollup {
  const [from, to] = [rollup.ends[part - 1] ?? 0, rollup.ends[part]!];
  const { counts, totalMs, visits, distinctVisits, timedVisits, outside } = rollup;
  const own = (column: Uint32Array, width = 1) => column.slice(from * width, to * width);
  return {
    ...rollup,
    ids: own(rollup.ids),
    counts: own(counts, pageViewClasses),
    totalMs: totalMs.slice(from, to),
    visits: own(visits, visitParts),
    distinctVisits: own(distinctVisits),
    timedVisits: own(timedVisits),
    outside: outside && { pageviews: own(outside.pageviews), totalMs: outside.totalMs.slice(from, to) },
  };
}

/** Compares the days by class with those by tuple. */
function expectDays(month: ReducedMonth, of: DerivedName, classOf: Uint32Array): void {
  const facts = factsOf(month);
  const days = daysByClass(month, of, facts.rollup(of, "whole").ids, classOf)!;
  const apart = facts.rollup(of, "day");
  const ofDays = ({ unique, visitsOfPart, timedVisitsOfPart }: Rollup) =>
    [unique, visitsOfPart, timedVisitsOfPart].map((all) => [...all]);
  expect(ofDays(days)).toEqual(ofDays(apart));
  const keyOf = (id: number) => classOf[id]!;
  for (const day of days.ends.keys())
    expect([day, byKey([partOf(days, day)], keyOf)]).toEqual([day, byKey([partOf(apart, day)], keyOf)]);
}

test.each(derivedNames)("sums by %s answer while the tuples of each still have one", (of) => {
  const site = siteWithMonths();
  const months = [...site.reduced.values()];
  const channels = channelsOf(site, of);
  expect(byClass(months, of, channels)).toEqual(months);
  for (const month of months) expectDays(month, of, channels);
  // Another table may call a whole channel otherwise, or two of them the same.
  const joined = channels.map((channel) => Math.floor(channel / 2));
  expect(byClass(months, of, joined)).toEqual(months);
  expectSums(months, of, joined);
  const shared = months.flatMap((month) => {
    const { ids } = factsOf(month).rollup(of, "whole");
    const tuple = ids.find((id) => ids.some((other) => other !== id && channels[other] === channels[id]));
    return tuple === undefined ? [] : [{ month, tuple }];
  });
  expect(shared).not.toEqual([]);
  for (const { month, tuple } of shared) {
    const moved = channels.with(tuple, 99);
    expect(byClass([month], of, moved)).toEqual([]);
    expectSums([month], of, moved);
  }
});

/** The month after its website has got other tuples. */
function withTuples(month: ReducedMonth, of: DerivedName, newIds: Uint32Array): ReducedMonth {
  const others = Uint32Array.from({ length: 1_000 }, (_, id) => id);
  return month.withIds({ values: [], tuples: { [derivedColumns[of]]: newIds }, propertyNames: others });
}

test.each(derivedNames)("a month that is written again keeps its sums by %s", (of) => {
  const site = siteWithMonths();
  const channels = channelsOf(site, of).slice(0, site.tuples[derivedColumns[of]].size);
  const newIds = channels.map((_, id) => (id === 0 ? 0 : channels.length - id));
  const now = channels.map((_, id) => channels[newIds[id]!]!);
  for (const month of site.reduced.values()) {
    const other = withTuples(month, of, newIds);
    const again = written(other);
    expect(byClass([other, again], of, now)).toEqual([other, again]);
    expectSums([other, again], of, now);
    expectDays(again, of, now);
  }
});

test.each(derivedNames)("tuples that become one get another %s without harm to the others", (of) => {
  const site = siteWithMonths();
  const channels = channelsOf(site, of);
  let compared = 0;
  for (const month of site.reduced.values()) {
    const { ids } = factsOf(month).rollup(of, "whole");
    const [first, last] = [ids[0]!, ids.at(-1)!];
    if (first === last) continue;
    const other = withTuples(
      month,
      of,
      channels.map((_, id) => (id === last ? first : id)),
    );
    const again = written(other);
    const now = channels.with(first, 99);
    expect(byClass([again], of, now)).toEqual([again]);
    expectSums([other, again], of, now);
    expectDays(again, of, now);
    compared++;
  }
  expect(compared).toBeGreaterThan(0);
});

test("what is kept of months is not taken for that of others in their place", () => {
  const site = siteWithMonths();
  const cache = new QueryCache(2 ** 20);
  const period = { startMs: -Infinity, endMs: Infinity };
  const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: false, locale: false };
  const query = { ...page, list: "pages", period } as unknown as ListQuery;
  const answer = (own = cache) => answerList(site, query, new QueryContext(site, own));
  const before = answer();
  expect(answer()).toEqual(before);
  const [first, second] = [...site.reduced.values()] as [ReducedMonth, ReducedMonth];
  site.addMonth(new ReducedMonth(second.head, second.file, first.read, first.rewrites));
  const expected = answer(new QueryCache(0));
  expect(expected).not.toEqual(before);
  expect(answer()).toEqual(expected);
});
