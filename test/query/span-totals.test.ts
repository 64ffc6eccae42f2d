import { describe, expect, test } from "bun:test";
import type { Totals } from "../../src/core/questions/answer.ts";
import type { Selection } from "../../src/core/questions/query.ts";
import { dayMs } from "../../src/core/hit.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { rowFigures } from "../../src/core/questions/metric.ts";
import { spanTotals, type SpanMeasures } from "../../src/query/counts/span-totals.ts";
import type { Site } from "../../src/store/state/site.ts";
import { addView, everything, filter, siteOf } from "../support/site.ts";

const hourMs = dayMs / 24;
const marchMs = Date.UTC(2026, 2);
const march = { startMs: marchMs, endMs: marchMs + 31 * dayMs - 1 };
const days = Array.from({ length: 32 }, (_, day) => marchMs + day * dayMs);

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

/** `copiedMax`: the most durations that are copied to find medians. */
function ask(of: Site, edgesMs = days, more: Partial<Selection> = {}, copiedMax = Infinity) {
  const selection = { period: march, filters: [], ...more };
  const context = new QueryContext(of, new QueryCache(1_000_000), undefined, copiedMax);
  const { spans, all } = spanTotals(selection, edgesMs, context, { hasMedians: true, hasAll: true });
  const figures = (measures: SpanMeasures): Totals => rowFigures("summary", measures);
  return { spans: spans.map(figures), all: all && figures(all) };
}

describe("totals of spans", () => {
  const second: Totals = { visitors: 24, pageviews: 48, bounce_percentage: 100, duration: 715 };

  test("are those of their rows, and those of all are those of the period", () => {
    const { spans, all } = ask(site());
    expect(spans).toHaveLength(31);
    expect(spans[1]).toEqual(second);
    expect(all).toEqual(ask(site(), [march.startMs, march.endMs + 1]).spans[0] as Totals);
    expect(all).toMatchObject({ visitors: 31 * 24, pageviews: 31 * 48, duration: 7_435 });
  });

  test("are the same of rows in no order, also in one span", () => {
    const own = site();
    addView(own, { timeMs: marchMs + dayMs + 5, p: false, q: true });
    expect(ask(own).spans[1]).toEqual({ ...second, pageviews: 49 });
    expect(ask(own, [marchMs, march.endMs + 1]).spans).toMatchObject([{ pageviews: 31 * 48 + 1 }]);
  });

  test("have a row at an edge in the span that begins there, and none before or after the period", () => {
    const own = siteOf(...[-1, 0, 9, 10, 19, 20].map((ms) => ({ timeMs: marchMs + ms })));
    const period = { startMs: marchMs, endMs: marchMs + 19 };
    const { spans } = ask(own, [marchMs, marchMs + 10, marchMs + 20], { period });
    expect(spans.map(({ pageviews }) => pageviews)).toEqual([2, 2]);
  });

  test("of a page have who sees it first as a visitor", () => {
    const { spans } = ask(site(), days, { filters: [filter("path", "eq", "/1")] });
    expect(spans[0]).toMatchObject({ visitors: 8, pageviews: 16 });
    const own = siteOf({ timeMs: marchMs, p: false, q: false });
    expect(ask(own, days, { filters: [filter("path", "eq", "/")] }).all).toMatchObject({ visitors: 1 });
    expect(ask(own).all).toMatchObject({ visitors: 0 });
  });

  test("are the same where there are too many durations to copy them, of each span and of all", () => {
    const own = site();
    addView(own, { timeMs: marchMs + dayMs + 5, ms: 3 });
    for (const copiedMax of [0, 1_488, 1_489, 2_977])
      for (const edgesMs of [days, [marchMs, march.endMs + 1]])
        expect(ask(own, edgesMs, {}, copiedMax)).toEqual(ask(own, edgesMs));
  });

  test("of nothing are 0", () => {
    const nothing = { visitors: 0, pageviews: 0, bounce_percentage: 0, duration: 0 };
    expect(ask(siteOf(), [0, 1, 2], everything)).toEqual({ spans: [nothing, nothing], all: nothing });
  });
});
