/**
 * A dimension that a month's file knows nothing of, because it was added to the table later: the month has the facts that
 * it would have if all of its rows had had the value from before. `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import { dimensions } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import { dimensionIndex, valuesBefore } from "../../src/core/questions/stored-dimension.ts";
import { rollupTogether } from "../../src/facts/months/months-together.ts";
import { ReducedFacts } from "../../src/facts/months/reduced-facts.ts";
import { overflowId } from "../../src/store/values/dictionary.ts";
import { ReducedMonth } from "../../src/store/state/reduced-month.ts";
import type { Site } from "../../src/store/state/site.ts";
import { UsedIds } from "../../src/store/state/rebuilding/used-ids.ts";
import type { TrafficRecord } from "../support/model.ts";
import { reduceMonths } from "../support/reduced.ts";
import { randomBySeed } from "../support/seed.ts";
import { storeOf } from "../support/traffic-store.ts";
import { Traffic } from "../support/traffic.ts";

const later = ["utm_term", "visit_utm_term"] as const;

/** Returns a record with "" as the term of each hit and visit in it. */
function withoutTerm(part: unknown, name = ""): unknown {
  if (Array.isArray(part) && name === "values") return part.with(dimensionIndex.utm_term, "");
  if (Array.isArray(part) && name === "visitValues")
    return part.with(dimensionIndex.visit_utm_term - dimensions.length, "");
  if (Array.isArray(part)) return part.map((own) => withoutTerm(own));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, own]) => [name, withoutTerm(own, name)]));
}

/** A website with months without rows whose hits have no term. */
function siteWithMonths(): Site {
  const traffic = new Traffic(randomBySeed());
  const records = traffic.thatStay(3_000).map((record) => withoutTerm(record) as TrafficRecord);
  const site = storeOf(records).sites.get(1) as Site;
  site.seal(traffic.timeMs + 80 * dayMs);
  reduceMonths(site, traffic.timeMs + 80 * dayMs);
  return site;
}

/** The month as a program wrote it that did not know the dimensions. */
function withoutLater({ head, file, read, idsBefore }: ReducedMonth): ReducedMonth {
  const names = later.flatMap((name) =>
    ["rows", "sums", "visits", "days", "repeats", "timed sums", "timed days", "timed repeats"].map(
      (of) => `${of} ${name}`,
    ),
  );
  const all = read() as ReadonlyMap<string, Uint8Array>;
  const sections = new Map([...all].filter(([name]) => !names.includes(name)));
  expect(sections.size).toBe(all.size - names.length);
  return new ReducedMonth(head, file, () => sections, [], idsBefore);
}

/** One with events only has values of nothing. */
const hasPageViews = (month: ReducedMonth) => month.uses({ dimension: dimensionIndex.path }).ids.length > 0;

const factsOf = (month: ReducedMonth) => new ReducedFacts(month, (_, __, make) => make().value);

test("has one value in all of the month, as if its rows had had it", () => {
  const site = siteWithMonths();
  expect(site.reduced.size).toBeGreaterThan(1);
  for (const month of [...site.reduced.values()].filter(hasPageViews)) {
    const [known, found] = [month, withoutLater(month)].map(factsOf) as [ReducedFacts, ReducedFacts];
    for (const name of later) {
      const of = dimensionIndex[name];
      for (const unit of ["whole", "day"] as const)
        expect([name, unit, { ...found.rollup(of, unit) }]).toEqual([
          name,
          unit,
          { ...known.rollup(of, unit) },
        ]);
      expect([name, found.repeats(of)]).toEqual([name, known.repeats(of)]);
      expect(found.month.uses({ dimension: of }).ids).toEqual(known.month.uses({ dimension: of }).ids);
    }
  }
});

test("its value stays when nothing else has it, under its new id", () => {
  const site = siteWithMonths();
  const [month] = [...site.reduced.values()] as [ReducedMonth];
  const used = new UsedIds(site);
  const of = dimensionIndex.utm_term;
  expect(used.ofValues(of)[site.dictionaries[of]?.find("") as number]).toBe(0);
  used.addMonth(withoutLater(month));
  expect(used.ofValues(of)[site.dictionaries[of]?.find("") as number]).toBe(1);
  expect(valuesBefore[of]).toBe("");
});

test("a channel of which the file knows nothing is not kept apart", () => {
  const month = [...siteWithMonths().reduced.values()].find(hasPageViews) as ReducedMonth;
  const all = month.read() as ReadonlyMap<string, Uint8Array>;
  const sections = new Map([...all].filter(([name]) => !name.endsWith(" channel")));
  const found = factsOf(new ReducedMonth(month.head, month.file, () => sections, [], month.idsBefore));
  expect(found.has("channel")).toBeFalse();
  const { ids, distinctVisits, visitsOfPart } = rollupTogether(
    [found],
    "channel",
    (_, make) => make(),
    new Uint32Array(1),
  );
  expect([ids, distinctVisits]).toEqual([Uint32Array.of(overflowId), visitsOfPart]);
});
