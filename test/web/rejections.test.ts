import { expect, test } from "bun:test";
import { rejectionNames } from "../../src/core/rejection.ts";
import { reasonsText, recent, summed } from "../../src/web/lib/set-up/rejections.ts";

const nowMs = Date.UTC(2026, 2, 15, 23, 59);

test("the last fourteen days are shown, today included", () => {
  const days = ["2026-03-15", "2026-03-02", "2026-03-01", "2025-12-31"].map((date) => ({ date, crawler: 1 }));
  expect(recent(days, nowMs).map(({ date }) => date)).toEqual(["2026-03-15", "2026-03-02"]);
});

test("reasons are summed over days, the most frequent first, without those that never were", () => {
  const days = [
    { crawler: 1, late: 5, spam: 0 },
    { crawler: 1, blocked: 9 },
  ];
  expect(summed(days)).toEqual([
    ["blocked", 9],
    ["late", 5],
    ["crawler", 2],
  ]);
  expect(summed([])).toEqual([]);
});

test("a day's reasons are words, each with its count", () => {
  expect(reasonsText({ date: "2026-03-15", late: 2, crawler: 1_200 })).toBe("Crawlers: 1,200; Too late: 2");
  const all = Object.fromEntries(rejectionNames.map((name) => [name, 1]));
  expect(reasonsText({ date: "2026-03-15", ...all }).split("; ")).toHaveLength(rejectionNames.length);
});
