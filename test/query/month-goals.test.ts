/**
 * Months without rows know the goals that their website had: figures of goals are those of the rows for whole UTC days,
 * and conversions of lists for whole months, to the last digit. `FOOTFALL_SEED` repeats a run.
 */
import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { MetricName } from "../../src/core/questions/metric.ts";
import type { Period, Question } from "../../src/core/questions/query.ts";
import { Refusal } from "../../src/core/refusal.ts";
import type { Target } from "../../src/core/website/goal.ts";
import { goalTime, type GoalQuarters } from "../../src/facts/months/sections/goal-sections.ts";
import { totalsName } from "../../src/facts/months/goal-totals.ts";
import { ReducedFacts } from "../../src/facts/months/reduced-facts.ts";
import { quarterMs } from "../../src/facts/quarters.ts";
import { scalars } from "../../src/http/parsing/statistics-query.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { fitted } from "../../src/query/answers/reach.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { monthEndMs } from "../../src/store/chunks/month.ts";
import { ReducedMonth } from "../../src/store/state/reduced-month.ts";
import type { Site } from "../../src/store/state/site.ts";
import type { TrafficRecord } from "../support/model.ts";
import { randomFrom } from "../support/random.ts";
import { load, valuesOf } from "../support/records.ts";
import { reduceMonths, written } from "../support/reduced.ts";
import { someOf } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { tidyPage } from "../support/readme.ts";
import { storeOf } from "../support/traffic-store.ts";
import { pools, propertyNames, Traffic } from "../support/traffic.ts";

const hourMs = 3_600_000;

/** Visits that begin around the ends of months, of which many go on in the next one, and some at other midnights. */
function midnights(random: () => number): TrafficRecord[] {
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const views = Array.from({ length: 400 }, (_, at) => {
    const midnightMs = Date.UTC(2025, pick([10, 11, 12, 13]), pick([1, 1, 1, 2, 15]));
    let timeMs = midnightMs + Math.floor((random() - 0.7) * 6 * hourMs);
    return Array.from({ length: 1 + Math.floor(random() * 20) }, (_, view) => {
      timeMs += Math.floor((random() * hourMs) / 2);
      const properties = random() < 0.1 ? [[pick(propertyNames), `${at}`] as const] : [];
      const numbers = properties.map(() => at / 8 - 10);
      return { timeMs, at, values: valuesOf(pick(pools.path)), properties, numbers, beacon: `${at} ${view}` };
    });
  }).flat();
  const visits = new Map<number, number>();
  return views
    .sort((a, b) => a.timeMs - b.timeMs)
    .map(({ at, ...view }) => {
      const isFirst = !visits.has(at);
      if (isFirst) visits.set(at, visits.size + 1);
      return load(view.beacon, { ...view, unique: isFirst, visit: visits.get(at) as number });
    });
}

const siteOf = (records: readonly TrafficRecord[]) => storeOf(records).sites.get(1) as Site;

const event = (propName: string, propValue: string | null = null, amount: string | null = null): Target => ({
  event: { propName, propValue, amount },
});
const page = (operator: "contains" | "eq", operand: string): Target => ({
  page: [{ operator, operands: [operand] }],
});
const targets: readonly Target[] = [
  page("contains", "o"),
  page("eq", pools.path[0] ?? "/"),
  event(propertyNames[0] ?? "", null, propertyNames[1] ?? ""),
  event(propertyNames[1] ?? "", null, propertyNames[1] ?? ""),
];
const goals = targets.map((target, at) => ({ id: at + 1, name: `goal ${at + 1}`, target }));

const metrics = ["visits", "conversions", "conversion_percentage"] as const;
const page100 = { filters: [], limit: 100, offset: 0, summary: false, grouped: false, locale: false };

describe.each([...someOf([1, 2, 3]), 4])("traffic %d", (number) => {
  const random = randomFrom(seed() + number);
  const records = number === 4 ? midnights(random) : [...new Traffic(random).thatStay(5_000)];
  const lastMs = Math.max(...records.map(({ timeMs }) => timeMs));
  const [rows, months] = [siteOf(records), siteOf(records)];
  for (const own of [rows, months]) own.seal(lastMs + 40 * dayMs);
  const starts = [...new Set([...rows.chunks.values()].map(({ monthMs }) => monthMs))].sort((a, b) => a - b);
  const [firstMs, untilMs] = [starts[0]!, starts.at(-1)!];
  reduceMonths(months, untilMs, targets);
  if (number === 2) for (const month of months.reduced.values()) months.addMonth(written(month));
  const cache = new QueryCache(2 ** 20);

  function compare(question: Question): QueryContext {
    const context = new QueryContext(months, cache);
    const got = new QuestionPage([question], context).answer(question);
    const expected = new QuestionPage([question], new QueryContext(rows, new QueryCache(0))).answer(question);
    if (question.list === "summary" && context.isApproximate) return context;
    expect(strip(got)).toEqual(strip(expected));
    return context;
  }

  const dayOf = (days: number) => firstMs + Math.floor(random() * days) * dayMs;
  const days = Math.ceil((lastMs - firstMs) / dayMs);
  function wholeDays(): Period {
    const [a, b] = [dayOf(days), dayOf(days)];
    return { startMs: Math.min(a, b), endMs: Math.max(a, b) + dayMs - 1 };
  }
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  function wholeMonths(): Period {
    const [a, b] = [pick(starts), pick(starts)];
    return { startMs: Math.min(a, b), endMs: monthEndMs(Math.max(a, b)) - 1 };
  }

  test("the figures of goals", () => {
    for (let asked = 0; asked < 60; asked++)
      compare({
        list: "goals",
        goals,
        period: wholeDays(),
        compare: pick([undefined, wholeDays()]),
        filters: [],
      });
    for (let asked = 0; asked < 20; asked++)
      compare({ list: "goals", goals, period: wholeMonths(), filters: [] });
    compare({ list: "goals", goals, period: { startMs: -Infinity, endMs: Infinity }, filters: [] });
  });

  test("the totals of a month are what its quarters of an hour add up to", () => {
    const lastOf = ({ visitsBefore, events, wholes, parts }: GoalQuarters) =>
      [...Object.values(goalTime).map(visitsBefore), events, wholes, parts].map((sums) => sums.at(-1));
    const factsOf = (month: ReducedMonth) => new ReducedFacts(month, (_, __, make) => make().value);
    for (const month of months.reduced.values()) {
      const sections = new Map(month.read() as ReadonlyMap<string, Uint8Array>);
      expect(sections.delete(totalsName)).toBeTrue();
      const { head, file, rewrites } = month;
      const [own, before] = [month, new ReducedMonth(head, file, () => sections, rewrites)].map(factsOf);
      for (const goal of targets.keys()) {
        const total = own!.goalTotal(goal);
        expect([...total.numbers]).toEqual([month.monthMs / quarterMs]);
        expect(lastOf(total)).toEqual(lastOf(before!.goalTotal(goal)));
        expect(own!.goalCrossings(goal)).toEqual(before!.goalCrossings(goal));
      }
    }
  });

  test.each([true, false])("conversions of totals and their intervals, of whole days: %p", (isOfDays) => {
    const quarters = () => Math.floor(random() * 96) * quarterMs;
    const ask = () => {
      const { startMs, endMs } = wholeDays();
      const period = isOfDays
        ? { startMs, endMs }
        : { startMs: pick([-Infinity, startMs - quarters()]), endMs: endMs + quarters() };
      const interval = pick(["day", "week", "month"] as const);
      const asked = { list: "summary", filters: [], previous: false, timezone: "UTC" } as const;
      const own = pick<readonly MetricName[]>([metrics, ["conversions"]]);
      return compare({ ...asked, metrics: own, period, interval, nowMs: lastMs, goal: pick(targets) });
    };
    const exact = Array.from({ length: 60 }, ask).filter(({ isApproximate }) => !isApproximate).length;
    expect(exact).toBeWithin(isOfDays ? 60 : 5, 61);
  });

  test("conversions of lists", () => {
    const lists = ["pages", "browsers", "countries", "referrers", "campaigns", "entries", "exits", "time"];
    let exact = 0;
    for (const list of lists)
      for (const by of ["visit", undefined])
        for (let asked = 0; asked < 5; asked++) {
          const question = { ...page100, list, period: wholeMonths(), goal: pick(targets), metrics, by };
          const context = compare(question as Question);
          if (!context.isApproximate && context.factsAdded > 0) exact++;
        }
    expect(exact).toBeGreaterThan(20);
  });
});

test("lists have no amounts where their period touches a month without rows, as the documents say", async () => {
  const records = [...new Traffic(randomFrom(seed())).thatStay(5_000)];
  const lastMs = Math.max(...records.map(({ timeMs }) => timeMs));
  const months = siteOf(records);
  months.seal(lastMs + 40 * dayMs);
  const starts = [...new Set([...months.chunks.values()].map(({ monthMs }) => monthMs))].sort(
    (a, b) => a - b,
  );
  // The last month may have begun just before the last record: the whole one before it has amounts, too.
  const untilMs = starts.at(-2)!;
  reduceMonths(months, untilMs, targets);
  type Amounts = readonly { readonly conversions?: number; readonly amount?: number }[];
  const ask = (question: unknown) =>
    new QuestionPage([question as Question], new QueryContext(months, new QueryCache(0))).answer(
      question as Question,
    );
  const [all, touching, kept] = [
    { startMs: -Infinity, endMs: Infinity },
    { startMs: starts.at(-3)!, endMs: Infinity },
    { startMs: untilMs, endMs: Infinity },
  ];
  const goal = targets[2]!;
  const named = { metrics: ["conversions", "amount"], goal, nowMs: lastMs };
  for (const list of ["browsers", "pages", "entries"]) {
    const rows = (period: Period) => ask({ ...page100, list, ...named, period }) as Amounts;
    for (const period of [all, touching])
      expect([list, rows(period).filter(({ amount }) => amount !== undefined)]).toEqual([list, []]);
    expect([list, rows(kept).some(({ amount }) => amount !== undefined)]).toEqual([list, true]);
    expect([list, rows(all).some(({ conversions }) => conversions! > 0)]).toEqual([list, true]);
  }
  const summary = { list: "summary", filters: [], previous: false, timezone: "UTC", interval: "month" };
  for (const period of [all, touching]) {
    const figures = ask({ ...summary, ...named, period }) as { current: Amounts[0]; interval: Amounts };
    const [own] = ask({ list: "goals", goals: [goals[2]], filters: [], period }) as Amounts;
    expect(own!.amount).toBeNumber();
    expect(figures.current.amount).toBe(own!.amount!);
    const sum = figures.interval.reduce((all, { amount = 0 }) => all + amount, 0);
    expect(sum).toBeCloseTo(own!.amount!, 3);
  }
  const says = async (page: string, text: string) =>
    (await tidyPage(page)).replaceAll(/\s+/g, " ").includes(text);
  const operating = "in lists no amounts, as soon as their period touches such a month";
  expect(await says("docs/operating.md", operating)).toBeTrue();
  const api = "A list has no amounts where its period touches a month that gave up its rows";
  expect(await says("docs/api.md", api)).toBeTrue();
  expect(scalars.goal.description).toContain(api.replace("A list", "a list"));
});

/** Months without rows do not tell amounts that add up to 0 from none. */
function strip(answer: unknown): unknown {
  const isLeftOut = (name: string, value: unknown) =>
    name === "approximate" || (name === "amount" && value === 0);
  return JSON.parse(JSON.stringify(answer, (name, value) => (isLeftOut(name, value) ? undefined : value)));
}

interface Compared {
  readonly compare?: Period;
}

describe("a goal that a website got later", () => {
  const records = [...new Traffic(randomFrom(seed())).thatStay(5_000)];
  const lastMs = Math.max(...records.map(({ timeMs }) => timeMs));
  const [rows, months] = [siteOf(records), siteOf(records)];
  for (const own of [rows, months]) own.seal(lastMs + 40 * dayMs);
  const starts = [...new Set([...rows.chunks.values()].map(({ monthMs }) => monthMs))].sort((a, b) => a - b);
  const [laterMs, untilMs] = [starts[1]!, starts.at(-1)!];
  const [first, later, never] = goals as unknown as readonly [
    (typeof goals)[0],
    (typeof goals)[0],
    (typeof goals)[0],
  ];
  reduceMonths(months, laterMs, [first.target]);
  reduceMonths(months, untilMs, [first.target, later.target]);
  const everything = { startMs: -Infinity, endMs: Infinity };

  function ask(site: Site, question: Question) {
    const page = new QuestionPage([question], new QueryContext(site, new QueryCache(0)));
    return { answer: page.answer(question), reach: page.reach };
  }

  test("says in the figures of goals since when it is known", () => {
    const question = { list: "goals", goals: [later, never, first], filters: [] } as const;
    const got = ask(months, { ...question, period: everything });
    expect(got.reach).toEqual({});
    const expected = [laterMs, untilMs, -Infinity].map((startMs, at) => {
      const asked = ask(rows, {
        ...question,
        goals: [question.goals[at]!],
        period: { ...everything, startMs },
      });
      const since = Number.isFinite(startMs) && { since: new Date(startMs).toISOString() };
      return { ...(asked.answer as object[])[0], ...since };
    });
    expect(got.answer).toEqual(expected);
  });

  test("has conversions in lists from then on, and compares with nothing before", () => {
    const list = { ...page100, list: "browsers", metrics: [...metrics] } as const;
    const period = { startMs: laterMs, endMs: Infinity };
    const compare = { startMs: starts[0]!, endMs: laterMs - 1 };
    const question = { ...list, goal: later.target, period: everything, compare } as unknown as Question;
    const got = ask(months, question);
    expect(got.reach).toEqual({ rowsFromMs: laterMs });
    const alone = { ...list, goal: later.target, period } as unknown as Question;
    expect(strip(got.answer)).toEqual(strip(ask(rows, alone).answer));
    const unknown = { ...list, goal: never.target, period: everything } as unknown as Question;
    expect(ask(months, unknown).reach).toEqual({ rowsFromMs: untilMs });
  });

  test("a list by months compares rows with whole months, and with no other period than was asked", () => {
    const period = { startMs: untilMs, endMs: untilMs + 15 * dayMs - 1 };
    const endMs = monthEndMs(laterMs) - 1;
    const [half, month, zoned] = [
      { startMs: laterMs, endMs: laterMs + 15 * dayMs - 1 },
      { startMs: laterMs, endMs },
      { startMs: laterMs - hourMs, endMs: endMs - hourMs },
    ];
    const conversions = { list: "browsers", goal: first.target, metrics: [...metrics] };
    for (const list of [{ list: "time", metrics: ["pageviews", "time_median"] }, conversions]) {
      const question = { ...page100, ...list, period } as unknown as Question;
      const alone = ask(months, question);
      expect(ask(months, { ...question, compare: half } as Question)).toEqual(alone);
      const compared = [half, month, zoned].map((compare) => {
        const asked = { ...question, compare } as Question;
        return (
          fitted(asked, new QueryContext(months, new QueryCache(0))).question as typeof asked & Compared
        ).compare;
      });
      expect(compared).toEqual([undefined, month, month]);
    }
  });

  test("is known since the first of several goals is, and without goals nothing is counted", () => {
    const question = { list: "goals", period: everything, filters: [] } as const;
    for (const several of [
      [never, later],
      [later, never],
      [never, later, never],
    ])
      expect(ask(months, { ...question, goals: several }).reach).toEqual({ rowsFromMs: laterMs });
    expect(ask(months, { ...question, goals: [never, never] }).reach).toEqual({ rowsFromMs: untilMs });
    for (const period of [everything, { startMs: starts[0]!, endMs: laterMs - 1 }])
      expect(ask(months, { ...question, period, goals: [] })).toEqual({
        answer: [],
        reach: { rowsFromMs: untilMs },
      });
  });

  test("is refused in periods that end before", () => {
    const period = { startMs: starts[0]!, endMs: laterMs - 1 };
    const question = { ...page100, list: "pages", goal: later.target, period } as unknown as Question;
    expect(() => ask(months, question)).toThrow(Refusal);
    for (const several of [[later], [later, never]])
      expect(() => ask(months, { list: "goals", goals: several, period, filters: [] })).toThrow(
        "have sums only",
      );
  });
});
