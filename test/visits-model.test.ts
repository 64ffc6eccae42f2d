/**
 * Goals, funnels, journeys and live visits against the naive model: random traffic goes into the store and into arrays of
 * hits, then both answer random questions. `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import { listedDimensions, type ListedDimension } from "../src/core/questions/dimension.ts";
import { visitDimension } from "../src/core/questions/stored-dimension.ts";
import type { NamedSummary } from "../src/core/questions/answer.ts";
import type { Goal, Target } from "../src/core/website/goal.ts";
import { operators } from "../src/core/questions/operator.ts";
import type {
  Filter,
  ListQuery,
  Period,
  PropertiesQuery,
  Selection,
  Step,
  SummaryQuery,
  TimeQuery,
} from "../src/core/questions/query.ts";
import { amountMetric, goalMetrics, type Measures, type MetricName } from "../src/core/questions/metric.ts";
import { namedFigures } from "../src/core/questions/named-metric.ts";
import { visitsSince } from "../src/query/rows/visits-since.ts";
import type { Site } from "../src/store/state/site.ts";
import {
  answerFunnel,
  answerGoals,
  answerJourneys,
  answerList,
  answerProperties,
  answerSummary,
  answerTime,
} from "./support/answers.ts";
import { checkpoint } from "./support/ask-both.ts";
import {
  modelList,
  modelProperties,
  modelSummary,
  modelTime,
  withPrevious,
  type OfVisit,
} from "./support/model-answers.ts";
import { labelOf, valueOf } from "./support/model-filter.ts";
import {
  amountOfHits,
  amountOfProperties,
  amountsByVisit,
  modelFunnel,
  modelGoals,
  modelJourneys,
  modelVisitsSince,
  reachedIn,
  selectedHits,
  visitsOf,
  type OfTargets,
} from "./support/model-goals.ts";
import { foldSome } from "./support/folded.ts";
import { Model, type Hit, type TrafficRecord } from "./support/model.ts";
import { Questions } from "./support/questions.ts";
import { randomFrom } from "./support/random.ts";
import { isWhole, rounds } from "./support/rounds.ts";
import { seed } from "./support/seed.ts";
import { storeOf } from "./support/traffic-store.ts";
import {
  pools,
  propertyNames,
  propertyValues,
  Traffic,
  trafficStartMs,
  websiteIds,
} from "./support/traffic.ts";

const pastMs = 92 * 86_400_000;
const liveMs = 300_000;
/** Hits that come within so long have the same time: what counts first then? */
const tickMs = 20_000;

/** The record at a time that several others have. */
function coarse(record: TrafficRecord): TrafficRecord {
  const at = (timeMs: number) => Math.floor(timeMs / tickMs) * tickMs;
  if (record.kind === "import")
    return { ...record, loads: record.loads.map((load) => ({ ...load, timeMs: at(load.timeMs) })) };
  return record.kind === "load" || record.kind === "event"
    ? { ...record, timeMs: at(record.timeMs) }
    : record;
}

class World {
  readonly model = new Model(websiteIds);
  readonly store = storeOf();
  private readonly traffic: Traffic;

  constructor(readonly random: () => number) {
    this.traffic = new Traffic(random, true);
  }

  get nowMs(): number {
    return this.traffic.timeMs;
  }

  next(): void {
    const record = coarse(this.traffic.next());
    expect(this.store.apply(record)).toBe(this.model.apply(record));
    if (this.random() < 0.02) checkpoint(this.store, this.nowMs);
    if (this.random() < 0.01) foldSome(this.store, this.model, this.random, this.nowMs);
  }

  /** A period and filters, on sources of visits as often as not. */
  selection(): Selection {
    const span = { startMs: trafficStartMs - pastMs, endMs: this.nowMs };
    const { period, filters } = new Questions(this.random, span).next().query;
    const kept = this.random() < 0.4 ? [] : filters;
    return { period, filters: this.flag() ? kept : kept.map(ofVisit) };
  }

  /** A selection for goals and funnels: some choose visits, and some of these with the first filters of a link. */
  ofTargets(): OfTargets {
    const selection = this.selection();
    if (this.flag()) return selection;
    const held = Math.floor(this.random() * (selection.filters.length + 1));
    return { ...selection, by: "visit", ...(this.flag() && { heldTo: selection.filters.slice(0, held) }) };
  }

  goal(id: number): Goal {
    return { id, name: `goal ${id}`, target: this.target() };
  }

  step(at: number): Step {
    return { text: `step ${at}`, target: this.target() };
  }

  target(): Target {
    if (this.flag()) {
      const name = () => this.pick(propertyNames.slice(0, 4));
      const propValue = this.flag() ? null : this.pick(propertyValues);
      return { event: { propName: name(), propValue, amount: this.flag() ? name() : null } };
    }
    const conditions = Array.from({ length: this.random() < 0.8 ? 1 : 2 }, () => {
      const { name: operator, takesList } = this.pick(operators);
      const count = takesList ? 1 + Math.floor(this.random() * 3) : 1;
      return { operator, operands: Array.from({ length: count }, () => this.path()) };
    });
    return { page: conditions };
  }

  path(): string {
    return this.pick([...pools.path.slice(0, 6), "/blog", "/BLOG/HELLO"]);
  }

  flag(): boolean {
    return this.random() < 0.5;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(choices.length * this.random() ** 2)] as T;
  }
}

function ofVisit(filter: Filter): Filter {
  if (filter.name === "prop_name" || filter.name === "prop_value") return filter;
  return { ...filter, name: visitDimension(filter.name) };
}

const figuresOf = (conversions: number, visits: number) =>
  namedFigures(["conversions", "conversion_percentage"], { conversions, visits } as unknown as Measures);

/** The metrics of a goal in some hits. */
function conversionsIn(hits: readonly Hit[], reached: ReadonlySet<number>) {
  const visits = visitsOf(hits);
  return figuresOf(visits.intersection(reached).size, visits.size);
}

/** The sum of the amounts of the visits of some hits; nothing if the goal has none, or was reached without a number. */
function amountIn(hits: readonly Hit[], goal: Target, reached: ReadonlySet<number>, amounts: Amounts) {
  if ("page" in goal || goal.event.amount === null) return {};
  const visits = visitsOf(hits);
  const own = [...visits].flatMap((visit) => amounts.get(visit) ?? []);
  const isKnown = own.length > 0 || visits.isDisjointFrom(reached);
  return isKnown && { amount: own.reduce((sum, amount) => sum + amount, 0) / 1e6 };
}

type Amounts = ReadonlyMap<number, number>;

function expectList(world: World, site: Site): void {
  const { model, random } = world;
  const span = { startMs: trafficStartMs - pastMs, endMs: world.nowMs };
  const questions = new Questions(random, span);
  let asked = questions.next();
  while (asked.kind !== "list") asked = questions.next();
  const goal = world.target();
  const metrics: readonly MetricName[] = ["visits", "pageviews"];
  const spoken: ListQuery = { ...asked.query, summary: false, metrics, nowMs: world.nowMs };
  // The parser of queries does this for by=visit.
  const query = spoken.by === undefined ? spoken : { ...spoken, filters: spoken.filters.map(ofVisit) };
  const { name, field } = listedDimensions.find(({ list }) => list === query.list) as ListedDimension;
  const rowsIn = (asked: ListQuery) => {
    const reached = reachedIn(model, site.websiteId, goal, asked.period);
    const amounts = amountsByVisit(model, site.websiteId, goal, asked.period);
    const selected = selectedHits(model, site.websiteId, { ...asked, filters: query.filters });
    const groups = Map.groupBy(selected, ({ values }) => {
      const value = valueOf(name, values, query.by);
      return value === null ? null : labelOf(name, value, query);
    });
    return modelList(model, site.websiteId, asked, world.nowMs).map((row) => {
      const label = row.other === true ? null : ((row as Record<string, unknown>)[field] as string);
      const hits = groups.get(label) ?? [];
      return { ...row, ...conversionsIn(hits, reached), ...amountIn(hits, goal, reached, amounts) };
    });
  };
  const { compare } = query;
  const before = compare && rowsIn({ ...spoken, period: compare, limit: Infinity, offset: 0 });
  const expected = withPrevious(rowsIn(spoken), before ?? []);
  const withGoal = [...metrics, ...goalMetrics, amountMetric];
  expect(answerList(site, { ...query, goal, metrics: withGoal }) as unknown).toStrictEqual(expected);
}

function expectProperties(world: World, site: Site): void {
  const { model } = world;
  const goal = world.target();
  const metrics = world.flag() ? undefined : (["visits", "events", ...goalMetrics, amountMetric] as const);
  const query: PropertiesQuery = { list: "properties", ...world.selection(), metrics, limit: 9, offset: 0 };
  const reached = reachedIn(model, site.websiteId, goal, query.period);
  const conversions = (visits: ReadonlySet<number>, events: readonly OfVisit[]) => ({
    ...figuresOf(visits.intersection(reached).size, visits.size),
    ...(metrics !== undefined && amountOfProperties(events, goal)),
  });
  const rows = modelProperties(model, site.websiteId, query, conversions);
  expect(answerProperties(site, { ...query, goal }) as unknown).toStrictEqual(rows);
}

function expectTime(world: World, site: Site): void {
  const { model } = world;
  const goal = world.target();
  const query: TimeQuery = { list: "time", ...world.selection(), summary: world.flag(), limit: 5, offset: 0 };
  const reached = reachedIn(model, site.websiteId, goal, query.period);
  const ofPath = Map.groupBy(
    selectedHits(model, site.websiteId, query),
    ({ values }) => values[0] ?? "(other)",
  );
  const rows = modelTime(model, site.websiteId, query, world.nowMs).map((row) => ({
    ...row,
    ...conversionsIn(ofPath.get(row.path) ?? [], reached),
  }));
  expect(answerTime(site, { ...query, goal }) as unknown).toStrictEqual(rows);
}

function expectSummary(world: World, site: Site): void {
  const { model, nowMs } = world;
  const { period: asked, filters } = world.selection();
  const startMs = Math.max(asked.startMs, trafficStartMs - pastMs);
  const period: Period = { startMs, endMs: Math.max(startMs, Math.min(asked.endMs, nowMs)) };
  const query: SummaryQuery = { period, filters, previous: true, interval: "week", timezone: "UTC" };
  const goal = world.target();
  const metrics = ["visitors", "pageviews", ...goalMetrics, amountMetric] as const;
  const withGoal = (own: Period, of = own) => {
    const hits = selectedHits(model, site.websiteId, { period: own, filters });
    return conversionsIn(hits, reachedIn(model, site.websiteId, goal, of));
  };
  const by = world.flag() ? undefined : ("visit" as const);
  // An amount is where its hit was: one that is selected, or one by a visit that is.
  const amountsIn = (own: Period, of = own) => {
    if (by === undefined || filters.length === 0) {
      // Selected visits may have reached it with hits that are not selected.
      const isElsewhere = filters.length > 0 && (withGoal(own, of).conversions ?? 0) > 0;
      return amountOfHits(selectedHits(model, site.websiteId, { period: own, filters }), goal, isElsewhere);
    }
    const visits = visitsOf(selectedHits(model, site.websiteId, { period: of, filters }));
    const hits = selectedHits(model, site.websiteId, { period: own, filters: [] });
    return amountOfHits(
      hits.filter(({ visit }) => visits.has(visit)),
      goal,
    );
  };
  const before = { startMs: startMs - 1 - (period.endMs - startMs), endMs: startMs - 1 };
  const plain = modelSummary(model, site.websiteId, query, nowMs);
  const starts = (plain.interval ?? []).map(({ date }) => Date.parse(date));
  const expected = {
    current: { ...plain.current, ...withGoal(period) },
    previous: { ...plain.previous, ...withGoal(before) },
    interval: plain.interval?.map((interval, at) => {
      const own = {
        startMs: Math.max(starts[at] as number, period.startMs),
        endMs: Math.min((starts[at + 1] ?? Infinity) - 1, period.endMs),
      };
      return { ...interval, ...withGoal(own, period) };
    }),
  };
  expect(answerSummary(site, { ...query, goal }, nowMs) as unknown).toEqual(expected);
  const { current, interval } = answerSummary(site, { ...query, by, goal, metrics }, nowMs) as NamedSummary;
  expect(current.amount).toBe(amountsIn(period).amount);
  const ends = starts.map((_, at) => Math.min((starts[at + 1] ?? Infinity) - 1, period.endMs));
  const amounts = starts.map((start, at) => {
    const own = { startMs: Math.max(start, period.startMs), endMs: ends[at] as number };
    return amountsIn(own, period).amount;
  });
  expect(interval?.map(({ amount }) => amount)).toEqual(starts.length === 0 ? undefined : amounts);
}

/** Asks one question of each kind. */
function askEach(world: World): void {
  const { model, store, random, nowMs } = world;
  const websiteId = random() < 0.8 ? 1 : 2;
  const site = store.sites.get(websiteId) as Site;
  const goals = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, at) => world.goal(at + 1));
  const ofGoals = world.ofTargets();
  const { period: compare } = world.selection();
  const before = modelGoals(model, websiteId, { ...ofGoals, period: compare }, goals);
  const rows = modelGoals(model, websiteId, ofGoals, goals).map((row, at) => {
    const { id, name, page, event, ...previous } = before[at] as Partial<typeof row>;
    return { ...row, previous };
  });
  expect(answerGoals(site, { list: "goals", ...ofGoals, compare, goals }) as unknown).toStrictEqual(rows);
  const steps = Array.from({ length: 2 + Math.floor(7 * random() ** 2) }, (_, at) => world.step(at));
  const ofFunnel = world.ofTargets();
  const earlier = modelFunnel(model, websiteId, { ...ofFunnel, period: compare }, steps);
  const expected = modelFunnel(model, websiteId, ofFunnel, steps).map((row, at) => {
    const { step, ...previous } = earlier[at] as typeof row;
    return { ...row, previous };
  });
  expect(answerFunnel(site, { list: "funnel", ...ofFunnel, compare, steps }) as unknown).toStrictEqual(
    expected,
  );
  const journeys = {
    ...world.selection(),
    path: world.path(),
    direction: world.flag() ? ("next" as const) : ("previous" as const),
    limit: 1 + Math.floor(random() * 6),
  };
  expect(answerJourneys(site, { list: "journeys", ...journeys }) as unknown).toStrictEqual(
    modelJourneys(model, websiteId, journeys),
  );
  expectList(world, site);
  expectTime(world, site);
  expectProperties(world, site);
  expectSummary(world, site);
  const sinceMs = nowMs - liveMs;
  const found = visitsSince(site, sinceMs);
  const live = modelVisitsSince(model, websiteId, sinceMs) as Set<number>;
  expect([...live].filter((visit) => !found.has(visit))).toEqual([]);
  expect(found.size).toBe(live.size);
}

interface TrafficSize {
  readonly records: number;
  /** Questions follow each so many records. */
  readonly every: number;
}

/** The kinds of questions that `askEach` asks. */
const kinds = 8;
const large: TrafficSize = { records: 600, every: 10 };
/** A question about fewer hits costs less: so a short run asks 2,000, too. It has no large traffic. */
const small: TrafficSize = { records: 128, every: 2 };
const sizes = [
  ...Array.from({ length: isWhole ? rounds(8) : 0 }, () => large),
  ...Array.from({ length: 4 }, () => small),
];

test.each(
  sizes.map((size, at) => [(size.records / size.every) * kinds, at + 1, size.records, size] as const),
)(
  "%i questions about goals, funnels, journeys and live visits of traffic %i, %i hits, have the answers of the model",
  (_questions, number, _records, { records, every }) => {
    const world = new World(randomFrom(seed() + number));
    for (let at = 1; at <= records; at++) {
      world.next();
      if (at % every === 0) askEach(world);
    }
    world.store.check();
  },
);
