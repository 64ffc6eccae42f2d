/** The lists of a month of sums against the totals of its days. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dimensionIndex } from "../../src/core/questions/stored-dimension.ts";
import { noSums, summedNames, type DaySums, type Sums } from "../../src/facts/months/month-sums.ts";
import { SummedNames } from "../../src/facts/months/summed-names.ts";
import { seed } from "../support/seed.ts";

const all: Sums = {
  pageviews: 1_000,
  visitors: 400,
  visits: 500,
  entries: 500,
  bounced: 200,
  exits: 500,
  totalMs: 9_000,
};
const values = Object.fromEntries(summedNames.map((name) => [name, []])) as unknown as DaySums["values"];
const dayOf = (path: DaySums["values"]["path"]): DaySums => ({
  ...{ day: 1, all, sources: [], events: [] },
  values: { ...values, path },
});

function unlisted(day: DaySums): Sums | undefined {
  return new SummedNames([day]).entriesOf(dimensionIndex.path, day).find(([id]) => id === 0)?.[1];
}

describe("page views of which sums do not say the page", () => {
  test("have the page views, first and last pages that the listed ones lack, and no more visitors than page views", () => {
    const figure = fc.nat(100);
    const page = fc.record({ pageviews: figure, visitors: figure, entries: fc.nat(50), exits: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(page, { maxLength: 12, size: "max" }), (pages) => {
        const of = (field: keyof (typeof pages)[number]) => pages.reduce((sum, own) => sum + own[field], 0);
        const rest = {
          ...noSums,
          ...unlisted(dayOf(pages.map((own, at) => [`/${at}`, { ...noSums, ...own }]))),
        };
        for (const field of ["pageviews", "entries", "exits"] as const)
          expect(rest[field]).toBe(Math.max(0, all[field] - of(field)));
        expect(rest.visitors).toBeLessThanOrEqual(rest.pageviews);
        expect(rest.visits).toBeLessThanOrEqual(rest.pageviews);
        expect(rest.totalMs).toBe(0);
      }),
      { seed: seed() },
    );
  });

  test("are none where a list has all first pages and page views, but for last pages that it lacks", () => {
    const { pageviews, entries, exits } = all;
    const listed = (sums: Partial<Sums>) => dayOf([["/", { ...noSums, ...sums }]]);
    expect(unlisted(listed({ pageviews, entries, exits }))).toBeUndefined();
    expect(unlisted(listed({ pageviews, entries }))).toEqual({ ...noSums, bounced: 200, exits });
  });
});
