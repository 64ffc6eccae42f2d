import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { rejectionDaysMax } from "../../src/core/rejection.ts";
import { Rejected } from "../../src/store/state/rejected.ts";

test("counts add up by day and reason, and websites are apart", () => {
  const rejected = new Rejected();
  rejected.add(1, 5 * dayMs + 1, { crawler: 2 });
  rejected.add(1, 5 * dayMs + 9, { crawler: 1, flood: 4 });
  rejected.add(1, 3 * dayMs, { late: 1 });
  rejected.add(2, 5 * dayMs, { late: 7 });
  expect(rejected.daysOf(1)).toEqual([
    [3, { late: 1 }],
    [5, { crawler: 3, flood: 4 }],
  ]);
  const loaded = Rejected.load(JSON.parse(JSON.stringify(rejected.save())));
  expect(loaded.daysOf(1)).toEqual(rejected.daysOf(1));
  loaded.removeWebsite(1);
  expect([loaded.daysOf(1), loaded.daysOf(2)]).toEqual([[], [[5, { late: 7 }]]]);
});

test("days are kept for a year", () => {
  const rejected = new Rejected();
  for (let day = 0; day < 2 * rejectionDaysMax; day++) rejected.add(1, day * dayMs, { late: 1 });
  expect(rejected.daysOf(1)).toHaveLength(rejectionDaysMax);
  expect(rejected.daysOf(1)[0]?.[0]).toBe(rejectionDaysMax);
});

test("a day that a clock wrote years ahead removes no other, and none of them removes it", () => {
  const rejected = new Rejected();
  for (const day of [100, 101, 5_000, 102]) rejected.add(1, day * dayMs, { late: 1 });
  expect(rejected.daysOf(1).map(([day]) => day)).toEqual([100, 101, 102, 5_000]);
});

test("a reason of a later version is kept for it, and nobody sees it", () => {
  const rejected = new Rejected();
  const counts = [
    { reason: "late", count: 2 },
    { reason: "of a later version", count: 3 },
  ];
  rejected.apply({ kind: "rejected", timeMs: 5 * dayMs, websiteId: 1, counts });
  rejected.apply({ kind: "rejected", timeMs: 6 * dayMs, websiteId: 1, counts: counts.slice(1) });
  expect(rejected.daysOf(1)).toEqual([[5, { late: 2 }]]);
  const saved = JSON.parse(JSON.stringify(Rejected.load(rejected.save()).save()));
  expect(saved).toEqual([
    [
      1,
      [
        [5, { late: 2, "of a later version": 3 }],
        [6, { "of a later version": 3 }],
      ],
    ],
  ]);
});
