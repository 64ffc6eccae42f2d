/**
 * Months without rows answer as their rows did: to the last digit for whole units of time where nothing is filtered.
 * Groups are small here, so that times are exact too. `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { Summary } from "../../src/core/questions/answer.ts";
import type { Question as CoreQuestion } from "../../src/core/questions/query.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { fitted } from "../../src/query/answers/reach.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { ReducedMonth } from "../../src/store/state/reduced-month.ts";
import { withoutNames } from "../../src/store/state/rebuilding/fold.ts";
import type { Site } from "../../src/store/state/site.ts";
import { coreOf, Questions } from "../support/questions.ts";
import { randomFrom } from "../support/random.ts";
import { event, load, unload, valuesOf } from "../support/records.ts";
import { reduceMonths, written } from "../support/reduced.ts";
import { someOf } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { storeOf } from "../support/traffic-store.ts";
import { Traffic, trafficStartMs } from "../support/traffic.ts";

const hourMs = 3_600_000;

function answerOf(question: CoreQuestion, context: QueryContext): unknown {
  try {
    return new QuestionPage([question], context).answer(question);
  } catch (error) {
    if (error instanceof Refusal) return String(error);
    throw error;
  }
}

/** A question that filters nothing, and asks for nothing that needs rows. */
function unfiltered(random: () => number, lastMs: number): CoreQuestion {
  const first = trafficStartMs - 90 * dayMs;
  const { kind, query } = new Questions(random, { startMs: first, endMs: lastMs }).next();
  const question = coreOf({ kind, query: { ...query, filters: [] } } as never, lastMs);
  return question;
}

for (const number of someOf([1, 2, 3]))
  test(`traffic ${number}: months without rows answer as their rows did`, () => {
    const random = randomFrom(seed() + number);
    const records = [...new Traffic(random).thatStay(4_000)];
    const lastMs = Math.max(...records.map(({ timeMs }) => timeMs));
    const [whole, reduced] = [storeOf(records), storeOf(records)];
    let [site, months] = [whole, reduced].map((store) => store.sites.get(1)) as [Site, Site];
    for (const own of [site, months]) own.seal(lastMs + 40 * dayMs);
    const starts = [...new Set([...site.chunks.values()].map(({ monthMs }) => monthMs))].sort(
      (a, b) => a - b,
    );
    reduceMonths(months, starts.at(-1)!);
    expect(months.reduced.size).toBeGreaterThan(1);
    const cache = new QueryCache(2 ** 20);
    let compared = 0;
    for (let asked = 0; asked < 300; asked++) {
      if (asked === 200) {
        // The months that stay have other ids then.
        const dropped = { kind: "monthsDropped", timeMs: lastMs, beforeMs: starts[1]! } as const;
        for (const store of [whole, reduced]) store.apply(dropped);
        [site, months] = [whole, reduced].map((store) => store.sites.get(1)) as [Site, Site];
        expect(months.reduced.values().every(({ rewrites }) => rewrites.length === 1)).toBeTrue();
        if (number > 1) for (const month of months.reduced.values()) months.addMonth(written(month));
      }
      const question = unfiltered(random, lastMs);
      let own: CoreQuestion;
      try {
        const fit = fitted(question, new QueryContext(months));
        if (fit.reach.rowsFromMs !== undefined) continue;
        own = fit.question;
      } catch (error) {
        if (error instanceof Refusal) continue;
        throw error;
      }
      const context = new QueryContext(months, cache);
      const got = answerOf(question, context);
      const expected = answerOf(own, new QueryContext(site, new QueryCache(0)));
      const isClose = context.isApproximate && question.list !== "summary";
      if (isClose) continue;
      const [left, right] = [got, expected].map((answer) => strip(answer, context.isApproximate));
      if (!Bun.deepEquals(left, right)) console.log(JSON.stringify(question), JSON.stringify(own.period));
      expect(left).toEqual(right);
      if (context.factsAdded > 0) compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });

/**
 * Leaves out medians that are not exact, and what the first and the last interval say by visit: these may be shorter than
 * the pause in a visit, which counts there without a row.
 */
function strip(answer: unknown, isApproximate: boolean): unknown {
  if (!isApproximate) return answer;
  const { interval = [] } = answer as { readonly interval?: Record<string, unknown>[] };
  for (const short of [interval.at(0), interval.at(-1)])
    for (const name of ["visits", "views_per_visit", "time_per_visit"]) delete short?.[name];
  const text = JSON.stringify(answer, (name, value) =>
    name === "duration" || name === "time_median" || name === "approximate" ? undefined : value,
  );
  return JSON.parse(text);
}

test("the hour of a month's first row has its durations, also where it begins in the middle of it", () => {
  const startMs = Date.UTC(2026, 2, 5, 10, 20);
  const records = Array.from({ length: 6 }, (_, at) => {
    const timeMs = startMs + at * 300_000;
    return [load(`b${at}`, { timeMs }), unload(`b${at}`, { timeMs: timeMs + 60_000, visibleMs: 60_000 })];
  }).flat();
  const site = storeOf([...records, load("later", { timeMs: Date.UTC(2026, 3, 5) })]).sites.get(1) as Site;
  site.seal(Date.UTC(2026, 6, 1));
  reduceMonths(site, Date.UTC(2026, 3, 1));
  const period = { startMs: Date.UTC(2026, 1, 20), endMs: startMs + 25 * 60_000 - 1 };
  const question = { list: "summary", period, filters: [], previous: false } as unknown as CoreQuestion;
  const answer = answerOf(question, new QueryContext(site, new QueryCache(0)));
  expect(answer).toMatchObject({ current: { pageviews: 5, duration: 60_000 } });
});

test("events of the day after a month without rows count by the day, as they are known", () => {
  const [mayMs, nightMs] = [Date.UTC(2026, 4), Date.UTC(2026, 3) - 60_000];
  const records = [
    load("a", { timeMs: nightMs }),
    event("a", { timeMs: nightMs + hourMs, properties: [["night", ""]] }),
    event("a", { timeMs: nightMs + 8 * hourMs, properties: [["morning", ""]] }),
    load("b", { timeMs: nightMs + 9 * hourMs, properties: [["row", ""]] }),
    load("c", { timeMs: mayMs }),
  ];
  const site = storeOf(records).sites.get(1) as Site;
  site.seal(Date.UTC(2026, 6, 1));
  reduceMonths(site, Date.UTC(2026, 3));
  const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: false, locale: false };
  const from = (hours: number) => {
    const period = { startMs: Date.UTC(2026, 3) + hours * hourMs, endMs: mayMs - 1 };
    const question = { ...page, list: "properties", period } as unknown as CoreQuestion;
    const answer = answerOf(question, new QueryContext(site, new QueryCache(0))) as { name: string }[];
    const { reach } = fitted(question, new QueryContext(site));
    return [answer.map(({ name }) => name).sort(), reach.period?.startMs];
  };
  expect(from(6)).toEqual([["morning", "night", "row"], Date.UTC(2026, 3)]);
  // No event of the month is as late as that: the rows answer, to the hour.
  expect(from(8.5)).toEqual([["row"], undefined]);
  expect(from(18)).toEqual([[], undefined]);
});

test("visits of (other) are close where names of one visit were folded since, and others are exact", () => {
  const startMs = Date.UTC(2026, 2, 5);
  const views = ["/a", "/b", "/c", "/a"].map((path, at) =>
    load(`b${at}`, { timeMs: startMs + at * 60_000, unique: at === 0, values: valuesOf(path), visit: 1 }),
  );
  const goal = { page: [{ operator: "eq", operands: ["/c"] }] } as const;
  const hashOf = (name: string) => Bun.hash.wyhash(name, 7n);
  const ask = (folded: readonly string[], more: object, isWritten: boolean) => {
    const site = storeOf([...views, load("later", { timeMs: Date.UTC(2026, 3, 5) })]).sites.get(1) as Site;
    site.seal(Date.UTC(2026, 6, 1));
    reduceMonths(site, Date.UTC(2026, 3), [goal]);
    const kept = withoutNames(site, new Map([["path", new Set(folded.map(hashOf))]]), hashOf);
    if (isWritten) for (const month of kept.reduced.values()) kept.addMonth(written(month));
    const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: false, locale: false };
    const period = { startMs: Date.UTC(2026, 2), endMs: Date.UTC(2026, 3) - 1 };
    const question = {
      ...page,
      list: "pages",
      period,
      metrics: ["visits"],
      ...more,
    } as unknown as CoreQuestion;
    const context = new QueryContext(kept, new QueryCache(0));
    const rows = answerOf(question, context) as { path: string; visits: number }[];
    return [rows.find(({ path }) => path === "(other)")?.visits, context.isApproximate];
  };
  const converted = { goal, metrics: ["conversions", "visits"] };
  for (const isWritten of [false, true]) {
    // Two pages of the visit are one row now.
    for (const more of [{}, converted])
      expect([more, ask(["/a", "/b"], more, isWritten)]).toEqual([more, [2, true]]);
    expect(ask(["/x"], {}, isWritten)).toEqual([undefined, false]);
    expect(ask(["/a", "/b"], { metrics: ["pageviews"] }, isWritten)).toEqual([undefined, false]);
    expect(ask(["/a", "/b"], { list: "entries" }, isWritten)).toEqual([1, false]);
    expect(ask(["/a", "/b"], { ...converted, list: "entries" }, isWritten)).toEqual([1, false]);
    expect(ask(["/a", "/b"], { list: "browsers" }, isWritten)).toEqual([undefined, false]);
  }
});

test("a question that rows answer compares with no months of sums, however early the period before is", () => {
  const [marchMs, aprilMs, mayMs] = [2, 3, 4].map((month) => Date.UTC(2026, month)) as [
    number,
    number,
    number,
  ];
  const views = [marchMs, aprilMs, mayMs].map((timeMs) => load(`${timeMs}`, { timeMs, unique: true }));
  const site = storeOf(views).sites.get(1) as Site;
  site.seal(Date.UTC(2026, 6, 1));
  reduceMonths(site, aprilMs);
  const filters = [{ name: "path", operator: "contains", operands: ["/"] }];
  const visitors = (startMs: number, endMs: number, more: object = { previous: true }) => {
    const period = { startMs, endMs: endMs - 1 };
    const question = {
      list: "summary",
      period,
      filters,
      previous: false,
      ...more,
    } as unknown as CoreQuestion;
    const answer = answerOf(question, new QueryContext(site, new QueryCache(0))) as Summary;
    return [answer.current.visitors, answer.previous?.visitors];
  };
  const juneMs = Date.UTC(2026, 5);
  expect(visitors(marchMs + dayMs, mayMs)).toEqual([1, undefined]);
  expect(visitors(marchMs, mayMs)).toEqual([1, undefined]);
  expect(visitors(aprilMs, mayMs)).toEqual([1, undefined]);
  expect(visitors(mayMs, mayMs + 30 * dayMs)).toEqual([1, 1]);
  const compare = { startMs: mayMs, endMs: juneMs - 1 };
  expect(visitors(marchMs, mayMs, { compare })).toEqual([1, 1]);
});

test("visits with a property are said to be of rows only, as long as events of page views without rows come", () => {
  const aprilMs = Date.UTC(2026, 3);
  const late = {
    timeMs: aprilMs + 600_000,
    websiteId: 0,
    values: null,
    properties: [["plan", "pro"] as const],
  };
  const records = [
    load("b", { timeMs: aprilMs - 600_000, values: valuesOf("/"), visit: 1 }),
    event("b", { ...late, numbers: [] }),
    load("later", { timeMs: aprilMs + 5 * dayMs, values: valuesOf("/"), visit: 2 }),
  ];
  const site = storeOf(records).sites.get(1) as Site;
  site.seal(Date.UTC(2026, 6, 1));
  reduceMonths(site, aprilMs);
  const reachOf = (startMs: number, metrics: readonly string[]) => {
    const period = { startMs, endMs: aprilMs + 9 * dayMs };
    const question = { list: "properties", filters: [], limit: 9, offset: 0, period, metrics };
    return fitted(question as unknown as CoreQuestion, new QueryContext(site)).reach;
  };
  expect(reachOf(aprilMs, ["events", "visits"])).toEqual({ rowsFromMs: aprilMs });
  expect(reachOf(aprilMs + dayMs, ["events", "visits"])).toEqual({});
  expect(reachOf(aprilMs, ["events"])).toEqual({});
});

test("a list has no amounts where months without rows are in its period, and those of the rows elsewhere", () => {
  const [march, april] = [Date.UTC(2026, 2, 5), Date.UTC(2026, 3, 5)];
  const views = [march, april].map((timeMs, at) =>
    load(`b${at}`, {
      timeMs,
      unique: true,
      values: valuesOf("/shop"),
      visit: at + 1,
      properties: [["price", "9.5"]],
      numbers: [9.5],
    }),
  );
  const site = storeOf(views).sites.get(1) as Site;
  site.seal(Date.UTC(2026, 6, 1));
  const goal = { event: { propName: "price", propValue: null, amount: "price" } } as const;
  reduceMonths(site, Date.UTC(2026, 3), [goal]);
  const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: false, locale: false };
  const ask = (list: string, startMs: number) => {
    const period = { startMs, endMs: Date.UTC(2026, 4) - 1 };
    const question = { ...page, list, period, goal, metrics: ["conversions", "amount"] };
    return answerOf(question as unknown as CoreQuestion, new QueryContext(site, new QueryCache(0)));
  };
  for (const list of ["pages", "entries", "exits"]) {
    expect(ask(list, Date.UTC(2026, 2))).toEqual([{ path: "/shop", conversions: 2 }]);
    expect(ask(list, Date.UTC(2026, 3))).toEqual([{ path: "/shop", conversions: 1, amount: 9.5 }]);
  }
});

test("a list reads no section of a month again for each of its values, also where nothing is kept", () => {
  const records = [...new Traffic(randomFrom(seed())).thatStay(4_000)];
  const lastMs = Math.max(...records.map(({ timeMs }) => timeMs));
  const site = storeOf(records).sites.get(1) as Site;
  site.seal(lastMs + 40 * dayMs);
  reduceMonths(site, lastMs + 40 * dayMs);
  const months = [...site.reduced.values()];
  let looks = 0;
  for (const { head, file, read, rewrites } of months) {
    const counted = () => {
      looks++;
      return read();
    };
    site.addMonth(new ReducedMonth(head, file, counted, rewrites));
  }
  const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: false, locale: false };
  const metrics = ["visitors", "visits", "bounce_percentage"];
  // The first and the last month are read by day, the others whole.
  const period = { startMs: months[0]!.minMs + dayMs, endMs: months.at(-1)!.maxMs - dayMs };
  for (const list of ["pages", "channels", "entries"]) {
    looks = 0;
    const question = { ...page, list, by: "visit", metrics, period } as unknown as CoreQuestion;
    answerOf(fitted(question, new QueryContext(site)).question, new QueryContext(site, new QueryCache(0)));
    expect([list, Math.floor(looks / months.length / 30)]).toEqual([list, 0]);
  }
});
