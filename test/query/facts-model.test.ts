/**
 * Facts = rows: every question about random traffic has the same answer whether all rows are read, or facts and cached
 * matches stand for some of them, and whether it is asked alone or together with others. `FOOTFALL_SEED` repeats a run,
 * and `FOOTFALL_ROUNDS` asks more.
 */
import { expect, test } from "bun:test";
import { dimensions } from "../../src/core/questions/dimension.ts";
import type { Target } from "../../src/core/website/goal.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Period } from "../../src/core/questions/query.ts";
import type { Question as CoreQuestion } from "../../src/core/questions/query.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { dayEnds } from "../../src/facts/rollup.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { prepareRemoval } from "../../src/engine/row-removal.ts";
import { keptFromMs } from "../../src/engine/upkeep/retention.ts";
import type { Site } from "../../src/store/state/site.ts";
import { Store } from "../../src/store/state/store.ts";
import type { TrafficRecord } from "../support/model.ts";
import { coreOf, Questions, urlOf, type Question } from "../support/questions.ts";
import { longTest } from "../support/long-test.ts";
import { randomFrom } from "../support/random.ts";
import { restart } from "../support/restart.ts";
import { rounds, someOf } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { SomeFacts } from "../support/some-facts.ts";
import { storeOf } from "../support/traffic-store.ts";
import { Traffic, trafficStartMs } from "../support/traffic.ts";

// Beside whatever else the machine does.

/** The answers to questions of one page, or what was refused of them. */
function answers(asked: readonly CoreQuestion[], context: QueryContext): unknown[] {
  const page = new QuestionPage(asked, context);
  return asked.map((question) => {
    try {
      return page.answer(question);
    } catch (error) {
      if (error instanceof Refusal) return String(error);
      throw error;
    }
  });
}

/** Other lists of the same periods and filters. */
function neighbours(random: () => number, first: CoreQuestion): CoreQuestion[] {
  const page = { limit: 1 + Math.floor(random() * 20), offset: 0 };
  const { period, filters } = first;
  const compare = "compare" in first ? first.compare : undefined;
  const lists = [...dimensions.map(({ list }) => list), "time", "properties"] as const;
  const some = lists.filter(() => random() < 0.15);
  const own = some.map((list) => {
    const labelling = { summary: random() < 0.5, grouped: true, locale: false };
    return { list, period, compare, filters, ...page, ...labelling } as CoreQuestion;
  });
  const target: Target = { page: [{ operator: "contains", operands: ["blog"] }] };
  const goals: CoreQuestion = {
    list: "goals",
    period,
    compare,
    filters,
    goals: [{ id: 1, name: "blog", target }],
  };
  return random() < 0.2 ? [...own, goals] : own;
}

interface World {
  /** How many times denser the traffic is than it comes. */
  readonly density: number;
  /** Whether rows come in the order of their time. */
  readonly ordered: boolean;
  /** Bytes of the cache. */
  readonly budget: number;
  /** Whether questions filter, often as an earlier one did. */
  readonly filtered: boolean;
  /** Whether they are about nothing but totals and charts. */
  readonly charts?: boolean;
  /** Whether some chunks are sealed now and then; some of these get facts. */
  readonly seals?: boolean;
  /** Whether rows are removed now and then. */
  readonly removes?: boolean;
}

/** Denser in time; in an ordered world nothing comes from the past. */
function* records(
  random: () => number,
  { density, ordered }: World,
  count: number,
): Generator<TrafficRecord> {
  const traffic = new Traffic(random);
  const dense = (timeMs: number) => Math.floor(trafficStartMs + (timeMs - trafficStartMs) / density);
  let lastMs = 0;
  for (let at = 0; at < count; at++) {
    const record = traffic.next();
    if (ordered && record.kind === "import") continue;
    const timeMs = ordered ? Math.max(lastMs, dense(record.timeMs)) : dense(record.timeMs);
    lastMs = timeMs;
    if (record.kind === "import") {
      const loads = record.loads.map((load) => ({ ...load, timeMs: dense(load.timeMs) }));
      yield { ...record, timeMs, loads };
    } else if (record.kind === "monthsDropped") yield { ...record, timeMs, beforeMs: keptFromMs(timeMs, 1) };
    else yield { ...record, timeMs };
  }
}

/** Without filters, or often with those of an earlier question; about any period, whole days, or what begins or ends at the edge of a day's rows. */
function question(
  random: () => number,
  site: Site,
  span: Period,
  asked: readonly Question[] | undefined,
  charts: boolean,
): Question {
  const questions = new Questions(random, span);
  let next = questions.next();
  while (charts && next.kind !== "summary") next = questions.next();
  const { kind, query } = next;
  // There are at most 10,000 of these: their periods are short enough as they come.
  const short = kind === "summary" && (query.interval === "minute" || query.interval === "hour");
  const { startMs, endMs } = query.period;
  const chance = random();
  const startOfDay = (ms: number) => Math.floor(ms / dayMs) * dayMs;
  const [oneMs, otherMs] = [edgeMs(random, site), edgeMs(random, site)];
  const edges = { startMs: Math.min(oneMs, otherMs), endMs: Math.max(oneMs, otherMs) };
  const days = { startMs: startOfDay(startMs), endMs: startOfDay(endMs) + dayMs - 1 };
  const period = short || chance < 0.3 ? query.period : chance < 0.6 ? days : edges;
  const again = random() < 0.5 ? asked?.[Math.floor(random() * Math.min(8, asked.length))] : undefined;
  const filters = asked === undefined ? [] : (again?.query ?? query).filters;
  return { kind, query: { ...query, period, filters } } as Question;
}

/** The time of the first or last row of some day of some chunk, or a millisecond beside it. */
function edgeMs(random: () => number, site: Site): number {
  const pick = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)];
  const chunk = pick([...site.chunks.values()]);
  if (chunk === undefined) return trafficStartMs;
  const row = (pick([...dayEnds(chunk)]) as number) - Number(random() < 0.5);
  return (
    (chunk.time[Math.max(0, Math.min(row, chunk.rows - 1))] as number) +
    chunk.monthMs +
    Math.floor(random() * 3) -
    1
  );
}

/** Removes what the filters of a random question select in a few days. */
function remove(store: Store, nowMs: number, random: () => number): void {
  const endMs = trafficStartMs + random() * (nowMs - trafficStartMs);
  const period = { startMs: Math.floor(endMs - 5 * random() * dayMs), endMs: Math.floor(endMs) };
  const { filters } = new Questions(random, period).next().query;
  const stored = filters.filter(({ name }) => name !== "channel").slice(0, 1);
  const steps = prepareRemoval(store.sites.get(1) as Site, { period, filters: stored });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { removal, having } = step.value;
  const record = { kind: "rowsRemoved", timeMs: nowMs, websiteId: 1, ...period, having } as const;
  store.removals.prepared(record, removal);
  store.apply(record);
}

/** `FOOTFALL_ROUNDS` times `questions` are asked. Returns how many entries of facts were added, or how many rows were known to match, instead of read. */
function compare(world: World, number: number, count: number, questions: number): number {
  const random = randomFrom(seed() + number);
  const store = storeOf();
  const [cache, nothing] = [new QueryCache(world.budget), new QueryCache(0)];
  const made = new SomeFacts(random);
  const before: Question[] = [];
  let spared = 0;
  let nowMs = trafficStartMs;
  for (const record of records(random, world, count)) {
    store.apply(record);
    nowMs = Math.max(nowMs, record.timeMs);
    if (random() < 0.002) restart(store);
    if (world.seals && random() < 0.02) for (const site of store.sites.values()) made.make(site, nowMs);
    if (world.removes === true && random() < 0.003) remove(store, nowMs, random);
    if (random() * count > rounds(questions, questions)) continue;
    const site = store.sites.get(random() < 0.8 ? 1 : 2) as Site;
    const span = { startMs: trafficStartMs - dayMs, endMs: nowMs };
    const again = random() < 0.3 ? before.at(-1 - Math.floor(random() * 20)) : undefined;
    const asked =
      again ?? question(random, site, span, world.filtered ? before : undefined, world.charts ?? false);
    before.push(asked);
    const context = new QueryContext(made.seenBy(site), cache, undefined, random() < 0.3 ? 0 : Infinity);
    const first = coreOf(asked, nowMs);
    const page = [first, ...neighbours(random, first)];
    const got = answers(page, context);
    const read = page.map((one) => answers([one], new QueryContext(site, nothing))[0]);
    if (!Bun.deepEquals(got, read, true)) console.log(`different: ${urlOf("website", asked)}`);
    expect(got).toStrictEqual(read);
    spared += world.filtered ? context.rowsMatched : context.factsAdded;
  }
  store.check();
  return spared;
}

const mebibyte = 1024 * 1024;
const worlds: Readonly<Record<string, World>> = {
  "in order": { density: 4, ordered: true, budget: mebibyte, filtered: false },
  "in order, dense": { density: 12, ordered: true, budget: mebibyte, filtered: false },
  "with imports of the past": { density: 2, ordered: false, budget: 0, filtered: false },
  "with imports, and sparse": { density: 1, ordered: false, budget: mebibyte, filtered: false },
  "in order, in charts": { density: 6, ordered: true, budget: 0, filtered: false, charts: true },
  "with imports, in charts": { density: 2, ordered: false, budget: mebibyte, filtered: false, charts: true },
};

for (const [number, [name, world]] of someOf([...Object.entries(worlds).entries()]))
  test(`traffic ${name}: the same answers from facts and from rows`, () => {
    // Twice as dense, twice as long: months must be over for facts to be made.
    const spared = compare({ ...world, seals: true }, 70 + number, world.density > 6 ? 15_000 : 5_000, 80);
    // Imports may drop all months that were sealed, or keep them from being it.
    if (world.ordered) expect(spared).toBeGreaterThan(100);
  });

for (const [number, ordered] of someOf([...[true, false].entries()]))
  test(`traffic ${ordered ? "in order" : "with imports"} and filters: the same answers from cached matches`, () => {
    const world = { density: 3, ordered, budget: mebibyte, filtered: true, seals: true };
    const spared = compare(world, 90 + number, 5_000, 250);
    if (ordered) expect(spared).toBeGreaterThan(1_000);
  });

longTest("traffic of which some is removed: the same answers from facts and from rows", () => {
  const world = { density: 4, ordered: true, budget: mebibyte, seals: true, removes: true };
  expect(compare({ ...world, filtered: false }, 110, 5_000, 80)).toBeGreaterThan(0);
  expect(compare({ ...world, filtered: true }, 111, 5_000, 80)).toBeGreaterThan(0);
});

test("filters within a small budget: the same answers", () => {
  compare({ density: 3, ordered: true, budget: 16_384, filtered: true, seals: true }, 99, 4_000, 65);
});

test("charts of a changing past, filtered: the same answers", () => {
  const world = {
    density: 1,
    ordered: false,
    budget: 64 * mebibyte,
    filtered: true,
    charts: true,
    seals: true,
  };
  compare(world, 97, 2_000, 80);
});
