/** The model's answer to every question: filter an array, group an array, sort an array. */
import { emptyOf, listedDimensions, type ListedDimension } from "../../src/core/questions/dimension.ts";
import type {
  AnyRow,
  EntriesRow,
  PropertyRow,
  Summary,
  TimeRow,
  Totals,
} from "../../src/core/questions/answer.ts";
import type {
  ByVisit,
  EntriesQuery,
  ListQuery,
  Page,
  Period,
  PropertiesQuery,
  Selection,
  SummaryQuery,
  TimeQuery,
} from "../../src/core/questions/query.ts";
import { modelIntervals } from "./model-intervals.ts";
import { dimensionsMatch, labelOf, propertyMatches, valueOf, within } from "./model-filter.ts";
import {
  distinct,
  hitsOf,
  namedFigures,
  percentOf,
  sumsOfVisits,
  visitBounces,
  visitorCount,
  visitsOver,
  type Bounces,
  type Hits,
  type Sums,
} from "./model-figures.ts";
import type { Question } from "./questions.ts";
import type { Hit, Model, ModelProperty, ModelValue, PageView } from "./model.ts";

/** Answers a question about a website from the model. */
export function modelAnswer(model: Model, websiteId: number, question: Question, nowMs: number): unknown {
  const answer = answerIn(model, websiteId, question, nowMs);
  const { kind, query } = question;
  if (kind === "summary" || query.compare === undefined) return answer;
  const whole = { ...query, period: query.compare, limit: Infinity, offset: 0 };
  const before = answerIn(model, websiteId, { kind, query: whole } as Question, nowMs);
  return withPrevious(answer as readonly object[], before as readonly object[]);
}

/** Adds to each row the figures of the row with the same names in another period. */
export function withPrevious(rows: readonly object[], others: readonly object[]): object[] {
  const namesOf = (row: object) =>
    JSON.stringify(Object.entries(row).filter(([, value]) => typeof value !== "number"));
  const figuresOf = (row: object) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => typeof value === "number"));
  const byNames = new Map(others.map((row) => [namesOf(row), figuresOf(row)]));
  return rows.map((row) => {
    const previous = byNames.get(namesOf(row));
    return previous === undefined ? row : { ...row, previous };
  });
}

/** Answers a question in its own period. */
function answerIn(model: Model, websiteId: number, { kind, query }: Question, nowMs: number): unknown {
  switch (kind) {
    case "list":
      return modelList(model, websiteId, query, nowMs);
    case "entries":
      return modelEntries(model, websiteId, query, nowMs);
    case "time":
      return modelTime(model, websiteId, query, nowMs);
    case "properties":
      return modelProperties(model, websiteId, query);
    case "summary":
      return modelSummary(model, websiteId, query, nowMs);
  }
}

export function modelList(model: Model, websiteId: number, query: ListQuery, nowMs: number): AnyRow[] {
  const dimension = listedDimensions.find(({ list }) => list === query.list) as ListedDimension;
  const { name, field } = dimension;
  const emptyRow = emptyOf(dimension)?.row ?? true;
  const { views: selected, events } = hitsOf(model, websiteId, query);
  const labelOfHit = ({ values }: Hit) => {
    const value = valueOf(name, values, query.by);
    return value === null ? null : labelOf(name, value, query);
  };
  const eventsOf = Map.groupBy(events, labelOfHit);
  const groups = [...Map.groupBy(selected, labelOfHit)].map(
    ([label, views]) => [label, { views, events: eventsOf.get(label) ?? [] }] as const,
  );
  const inRow = visitorCount(query, name === "path");
  const rows = groups.filter(([label]) => label !== "" || emptyRow);
  const inOrder = rows.sort(
    ([a, as], [b, bs]) =>
      last(a, b) || inRow(bs) - inRow(as) || bs.views.length - as.views.length || byText(a, b),
  );
  const visitors = visitorCount(query)({ views: selected, events });
  const over = visitsOver(model, websiteId, nowMs);
  const all = { ...sumsOf({ views: selected, events }, query, over), visitors };
  return paged(inOrder, query).map(([label, hits]) => {
    const row = { ...sumsOf(hits, query, over), visitors: inRow(hits) };
    const { metrics } = query;
    return {
      [field]: label ?? "(other)",
      ...(metrics === undefined ? fieldsOf(query, row, all) : namedFigures(metrics, row, all)),
      ...(label === null ? { other: true } : {}),
    } as AnyRow;
  });
}

/** The fields of the interface. */
function fieldsOf({ list, summary }: ListQuery, row: Sums, all: Sums) {
  const visitors = {
    visitors: row.visitors,
    visitors_percentage: percentOf(row.visitors, all.visitors),
  };
  const pageviews = {
    pageviews: row.pageviews,
    pageviews_percentage: percentOf(row.pageviews, all.pageviews),
  };
  const rest = {
    bounce_percentage: percentOf(row.bounces.bounced, row.bounces.judged),
    duration: row.totalMs,
  };
  return { ...visitors, ...(summary ? {} : list === "pages" ? { ...pageviews, ...rest } : rest) };
}

/** Visitors are those of the question. */
function sumsOf(hits: Hits, query: Selection & ByVisit, over: (visit: number) => boolean): Sums {
  const { views, events } = hits;
  return {
    visitors: visitorCount(query)(hits),
    visits: distinct(views, events),
    pageviews: views.length,
    knownTimes: known(views).length,
    totalMs: sum(views),
    medianMs: quartile(views, 2),
    ofVisits: sumsOfVisits(views),
    bounces: query.by === "visit" ? visitBounces(views, over) : bouncesOf(views),
  };
}

function modelEntries(model: Model, websiteId: number, query: EntriesQuery, nowMs: number): EntriesRow[] {
  const { views } = hitsOf(model, websiteId, query);
  const isEnd = ({ entry, exit }: PageView) => (query.list === "entries" ? entry : exit);
  const ends = views.filter(isEnd);
  const groups = [...Map.groupBy(ends, ({ values }) => values[0] as ModelValue)];
  const inOrder = groups.sort(([a, as], [b, bs]) => last(a, b) || bs.length - as.length || byText(a, b));
  const over = visitsOver(model, websiteId, nowMs);
  const all = { ...sumsOf({ views: ends, events: [] }, query, over), visits: ends.length };
  return paged(inOrder, query).map(([path, ofPath]): EntriesRow => {
    const bounces = visitBounces(ofPath, over);
    const figures = {
      visits: ofPath.length,
      visits_percentage: percentOf(ofPath.length, ends.length),
      ...(query.list === "entries" &&
        !query.summary && { bounce_percentage: percentOf(bounces.bounced, bounces.judged) }),
    };
    const pageviews = views.filter(({ values }) => values[0] === path).length;
    const ended = { ...sumsOf({ views: ofPath, events: [] }, query, over), visits: ofPath.length, bounces };
    const row = { ...ended, pageviews };
    return {
      path: path ?? "(other)",
      ...((query.metrics && namedFigures(query.metrics, row, all)) ?? figures),
      ...(path === null ? { other: true } : {}),
    } as EntriesRow;
  });
}

export function modelTime(model: Model, websiteId: number, query: TimeQuery, nowMs: number): TimeRow[] {
  const { views: selected, events } = hitsOf(model, websiteId, query);
  const pathOf = ({ values }: Hit) => values[0] as ModelValue;
  const groups = Map.groupBy(selected, pathOf);
  const eventsOf = Map.groupBy(events, pathOf);
  const visitors = visitorCount(query, true);
  const inOrder = [...groups]
    .filter(([, views]) => known(views).length > 0)
    .sort(
      ([a, as], [b, bs]) =>
        last(a, b) || sum(bs) - sum(as) || quartile(bs, 2) - quartile(as, 2) || byText(a, b),
    );
  const over = visitsOver(model, websiteId, nowMs);
  const hits = { views: selected, events };
  const all = { ...sumsOf(hits, query, over), visitors: visitorCount(query)(hits) };
  return paged(inOrder, query).map(([path, views]): TimeRow => {
    const own = { views, events: eventsOf.get(path) ?? [] };
    const row = { ...sumsOf(own, query, over), visitors: visitors(own) };
    const quartiles = {
      duration_lower_quartile: quartile(views, 1),
      duration_upper_quartile: quartile(views, 3),
    };
    const always = { duration: row.medianMs, duration_percentage: percentOf(row.totalMs, all.totalMs) };
    const fields = { ...always, ...(query.summary ? {} : { visitors: row.visitors, ...quartiles }) };
    return {
      path: path ?? "(other)",
      ...((query.metrics && namedFigures(query.metrics, row, all, quartiles)) ?? fields),
      ...(path === null ? { other: true } : {}),
    } as TimeRow;
  });
}

/** A property with the visit of its hit. */
export type OfVisit = ModelProperty & { readonly hit: Hit } & Pick<Hit, "visit">;

/** `more`: the figures of a row besides, by the visits of its events, and these. */
export function modelProperties(
  model: Model,
  websiteId: number,
  query: PropertiesQuery,
  more: (visits: ReadonlySet<number>, events: readonly OfVisit[]) => object = () => ({}),
): PropertyRow[] {
  const { filters, period, by, metrics } = query;
  const selected = [...model.pageviews, ...model.events]
    .filter((hit) => hit.websiteId === websiteId && dimensionsMatch(filters, hit.values, by))
    .flatMap((hit) => hit.properties.map((property): OfVisit => ({ ...property, hit, visit: hit.visit })))
    .filter((property) => within(period, property.timeMs) && propertyMatches(filters, property));
  const byValue = filters.some(({ name, operator }) => name === "prop_name" && operator === "eq");
  const groups = Map.groupBy(selected, ({ name, value }) => JSON.stringify(byValue ? [name, value] : [name]));
  const visitsOf = (events: readonly OfVisit[]) =>
    new Set(events.map(({ visit }) => visit).filter((visit) => visit !== 0));
  const byProperty = filters.some(({ name }) => name === "prop_name" || name === "prop_value");
  const { views, events } = hitsOf(model, websiteId, query);
  const withSelected = selected.map(({ hit }) => hit);
  const allVisits = byProperty ? visitsOf(selected).size : distinct(views, events, withSelected);
  const isOther = ({ name, value }: OfVisit) => name === null || (byValue && value === null);
  const inOrder = [...groups.values()].sort(
    (as, bs) =>
      Number(isOther(as[0]!)) - Number(isOther(bs[0]!)) ||
      bs.length - as.length ||
      byText(as[0]!.name ?? "(other)", bs[0]!.name ?? "(other)") ||
      byText(byValue ? (as[0]!.value ?? "(other)") : "", byValue ? (bs[0]!.value ?? "(other)") : ""),
  );
  return paged(inOrder, query).map((events): PropertyRow => {
    const [{ name, value }] = events as [OfVisit];
    const visits = visitsOf(events);
    const fields = {
      events: events.length,
      events_percentage: percentOf(events.length, selected.length),
    };
    const figures = {
      ...fields,
      visits: visits.size,
      ...(allVisits > 0 && { visits_percentage: percentOf(visits.size, allVisits) }),
    };
    return {
      name: name ?? "(other)",
      ...(byValue && { value: value ?? "(other)" }),
      ...(metrics === undefined ? fields : picked(metrics, figures)),
      ...more(visits, events),
      ...(isOther(events[0]!) && { other: true as const }),
    } as PropertyRow;
  });
}

function picked(names: readonly string[], figures: object): object {
  return Object.fromEntries(Object.entries(figures).filter(([name]) => names.includes(name)));
}

export function modelSummary(model: Model, websiteId: number, query: SummaryQuery, nowMs: number): Summary {
  const over = visitsOver(model, websiteId, nowMs);
  const totals = (period: Period): Totals => {
    const hits = hitsOf(model, websiteId, { ...query, period });
    const sums = sumsOf(hits, query, over);
    if (query.metrics !== undefined) return namedFigures(query.metrics, sums) as unknown as Totals;
    return {
      visitors: sums.visitors,
      pageviews: sums.pageviews,
      bounce_percentage: percentOf(sums.bounces.bounced, sums.bounces.judged),
      duration: sums.medianMs,
    };
  };
  const { startMs, endMs } = query.period;
  const lengthMs = endMs - startMs + 1;
  const before = query.previous ? { startMs: startMs - lengthMs, endMs: startMs - 1 } : query.compare;
  const hits = [...model.pageviews, ...model.events].filter((hit) => hit.websiteId === websiteId);
  const firstMs = Math.min(...hits.map(({ timeMs }) => timeMs));
  const closed = {
    startMs: startMs === -Infinity ? firstMs : startMs,
    endMs: endMs === Infinity ? nowMs : endMs,
  };
  const periods = [query.period, ...(query.compare ? [query.compare] : [])];
  const tellsFirst = query.compare !== undefined || query.metrics !== undefined;
  const isLate = periods.some((period) => period.startMs > -Infinity && period.startMs < firstMs);
  const hasCome = firstMs < Infinity && periods.some((period) => firstMs <= period.endMs);
  return {
    current: totals(query.period),
    ...(before && { previous: totals(before) }),
    ...(tellsFirst && isLate && hasCome && { recorded_from: new Date(firstMs).toISOString() }),
    ...(query.interval && {
      interval: modelIntervals(query.interval, query.timezone, closed, query.week_start).map(
        ({ date, ...interval }) => ({
          date,
          ...totals({
            startMs: Math.max(interval.startMs, closed.startMs),
            endMs: Math.min(interval.endMs, closed.endMs),
          }),
        }),
      ),
    }),
  };
}

export function modelVisitors(model: Model, websiteId: number, period: Period): number {
  return visitorCount({ filters: [], period })(hitsOf(model, websiteId, { period, filters: [] }));
}

function known(views: readonly PageView[]): number[] {
  return views.flatMap(({ durationMs }) => durationMs ?? []).sort((a, b) => a - b);
}

function sum(views: readonly PageView[]): number {
  return known(views).reduce((total, ms) => total + ms, 0);
}

/** Judges visitors' first page views. */
function bouncesOf(views: readonly PageView[]): Bounces {
  const judged = views.filter(({ unique, durationMs }) => unique && durationMs !== null);
  const bounced = judged.filter(({ durationMs, evented }) => (durationMs as number) < 5_000 && !evented);
  return { judged: judged.length, bounced: bounced.length };
}

/** The `quarter`-th quartile, in whole quarters of a millisecond until it is rounded. */
function quartile(views: readonly PageView[], quarter: 1 | 2 | 3): number {
  const sorted = known(views);
  const position = (sorted.length - 1) * quarter;
  const low = sorted[Math.floor(position / 4)] ?? 0;
  const high = sorted[Math.ceil(position / 4)] ?? 0;
  return Math.floor((4 * low + (position % 4) * (high - low) + 2) / 4);
}

function last(a: unknown, b: unknown): number {
  return Number(a === null) - Number(b === null);
}

function byText(a: string | null, b: string | null): number {
  return (a ?? "") < (b ?? "") ? -1 : Number(a !== b);
}

function paged<T>(rows: readonly T[], { limit, offset }: Page): T[] {
  return rows.slice(offset, offset + limit);
}
