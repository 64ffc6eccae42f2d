import { describe, expect, test } from "bun:test";
import type { IntervalTotals, SummaryQuery } from "../../src/core/query.ts";
import { dayMs } from "../../src/core/hit.ts";
import { Derived } from "../../src/query/derived.ts";
import { intervalTotals } from "../../src/query/interval-totals.ts";
import { Work } from "../../src/query/work.ts";
import type { Site } from "../../src/store/site.ts";
import { addView, filter, siteOf } from "../support/site.ts";

const hourMs = dayMs / 24;
const marchMs = Date.UTC(2026, 2);
const march = { startMs: marchMs, endMs: marchMs + 31 * dayMs - 1 };
const nowMs = march.endMs;

/** Two views an hour of March. */
function site(): Site {
  return siteOf(
    ...Array.from({ length: 31 * 48 }, (_, at) => ({
      timeMs: marchMs + at * (hourMs / 2),
      p: at % 2 === 0,
      ms: at * 10,
      path: `/${at % 3}`,
    })),
  );
}

interface Asked {
  readonly totals: IntervalTotals[];
  readonly read: number;
}

function ask(of: Site, derived: Derived, more: Partial<SummaryQuery> = {}): Asked {
  const work = new Work(derived);
  const query: SummaryQuery = { period: march, filters: [], previous: false, timezone: "UTC", ...more };
  const totals = intervalTotals(of, query, more.interval ?? "day", nowMs, work);
  return { totals, read: work.rowsRead };
}

/** The same, with nothing kept. */
function counted(of: Site, more: Partial<SummaryQuery> = {}): IntervalTotals[] {
  return ask(of, new Derived(0), more).totals;
}

describe("totals of intervals", () => {
  test("are those of their rows", () => {
    const totals = counted(site());
    expect(totals).toHaveLength(31);
    expect(totals[1]).toEqual({
      date: "2026-03-02T00:00:00+00:00",
      visitors: 24,
      pageviews: 48,
      bounce_percentage: 100,
      duration: 715,
    });
  });

  test("are kept: asked again, only the last interval is counted", () => {
    const [own, derived] = [site(), new Derived(1_000_000)];
    const first = ask(own, derived);
    expect(first).toEqual({ totals: counted(own), read: 2 * 31 * 48 });
    expect(ask(own, derived)).toEqual({ totals: first.totals, read: 2 * 48 });
  });

  test("serve every period that has the interval whole", () => {
    const [own, derived] = [site(), new Derived(1_000_000)];
    ask(own, derived);
    const period = { startMs: marchMs + 2 * dayMs, endMs: marchMs + 9 * dayMs - 1 };
    expect(ask(own, derived, { period })).toEqual({ totals: counted(own, { period }), read: 2 * 48 });
    const ragged = { ...period, startMs: period.startMs + 1 };
    expect(ask(own, derived, { period: ragged })).toEqual({
      totals: counted(own, { period: ragged }),
      read: 2 * (48 - 1 + 48),
    });
  });

  test("are counted between others that are kept", () => {
    const [own, derived] = [site(), new Derived(1_000_000)];
    const days = (from: number, end: number) => ({
      startMs: marchMs + from * dayMs,
      endMs: marchMs + end * dayMs - 1,
    });
    ask(own, derived, { period: days(3, 6) });
    ask(own, derived, { period: days(10, 13) });
    const day = { period: days(4, 5) };
    expect(ask(own, derived, day)).toEqual({ totals: counted(own, day), read: 2 * 48 });
    // Kept are the days from 3 to 4, and from 10 to 11.
    expect(ask(own, derived)).toEqual({ totals: counted(own), read: 2 * (31 - 4) * 48 });
  });

  test("are counted again when a row of the chunk changed", () => {
    const [own, derived] = [site(), new Derived(1_000_000)];
    ask(own, derived);
    addView(own, { timeMs: marchMs + 3 * dayMs, ms: 1 });
    expect(ask(own, derived).totals).toEqual(counted(own));
    const [chunk] = own.chunks.values();
    chunk?.addDuration(0, 80_000_000);
    expect(ask(own, derived).totals).toEqual(counted(own));
    chunk?.markEvented(1);
    expect(ask(own, derived).totals).toEqual(counted(own));
  });

  test("stay where the row that came is in another month", () => {
    const [own, derived] = [site(), new Derived(1_000_000)];
    const period = { startMs: marchMs, endMs: marchMs + 33 * dayMs - 1 };
    ask(own, derived, { period });
    addView(own, { timeMs: marchMs + 32 * dayMs });
    expect(ask(own, derived, { period })).toEqual({ totals: counted(own, { period }), read: 2 });
  });

  test("of other filters, zones and calendars are others", () => {
    const [own, derived] = [site(), new Derived(1_000_000)];
    const questions: Partial<SummaryQuery>[] = [
      {},
      { interval: "week" },
      { timezone: "Asia/Kathmandu" },
      { timezone: "Europe/Berlin" },
      { timezone: "Europe/Berlin", interval: "week" },
      { filters: [filter("path", "eq", "/1")] },
      { filters: [filter("path", "neq", "/1")] },
    ];
    for (let time = 0; time < 2; time++)
      for (const more of questions) expect(ask(own, derived, more).totals).toEqual(counted(own, more));
  });

  test("of minutes and hours are not kept: there are too many", () => {
    const [own, derived] = [site(), new Derived(1_000_000)];
    const hours = { interval: "hour" as const };
    const { read } = ask(own, derived, hours);
    expect(ask(own, derived, hours)).toEqual({ totals: counted(own, hours), read });
    expect(derived.bytes).toBe(0);
  });

  test("of a website without rows are none, from its first hit on", () => {
    const period = { startMs: -Infinity, endMs: Infinity };
    expect(ask(siteOf(), new Derived(1_000), { period }).totals).toEqual([]);
  });
});
