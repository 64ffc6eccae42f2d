/** The model's answer to every question: filter an array, group an array, sort an array. */
import { dimensions, emptyOf, type Dimension } from "../../src/core/dimension.ts";
import type {
  Filter,
  ListQuery,
  ListRow,
  Page,
  Period,
  PropertiesQuery,
  PropertyRow,
  Selection,
  Summary,
  SummaryQuery,
  TimeQuery,
  TimeRow,
  Totals,
} from "../../src/core/query.ts";
import { modelIntervals } from "./model-intervals.ts";
import { dimensionsMatch, labelOf, pageViewMatches, propertyMatches, within } from "./model-filter.ts";
import type { Question } from "./questions.ts";
import type { Model, ModelProperty, ModelValue, PageView } from "./model.ts";

/** What the model says to a question of a website. */
export function modelAnswer(
  model: Model,
  websiteId: number,
  { kind, query }: Question,
  nowMs: number,
): unknown {
  switch (kind) {
    case "list":
      return modelList(model, websiteId, query);
    case "time":
      return modelTime(model, websiteId, query);
    case "properties":
      return modelProperties(model, websiteId, query);
    case "summary":
      return modelSummary(model, websiteId, query, nowMs);
  }
}

export function modelList(model: Model, websiteId: number, query: ListQuery): ListRow[] {
  const index = dimensions.findIndex(({ list }) => list === query.list);
  const dimension = dimensions[index] as Dimension;
  const { name, field } = dimension;
  const emptyRow = emptyOf(dimension)?.row ?? true;
  const selected = select(model, websiteId, query);
  const isVisitor = visitorTest(query.filters);
  const inRow = name === "path" ? isFirst : isVisitor;
  const groups = Map.groupBy(selected, ({ values }) => {
    const value = values[index] as ModelValue;
    return value === null ? null : labelOf(name, value, query);
  });
  const rows = [...groups].filter(([label]) => label !== "" || emptyRow);
  const inOrder = rows.sort(
    ([a, as], [b, bs]) =>
      last(a, b) || count(bs, inRow) - count(as, inRow) || bs.length - as.length || byText(a, b),
  );
  return paged(inOrder, query).map(([label, views]): ListRow => {
    const visitors = count(views, inRow);
    const head = {
      [field]: label ?? "(other)",
      visitors,
      visitors_percentage: percentOf(visitors, count(selected, isVisitor)),
    };
    const pageviews = {
      pageviews: views.length,
      pageviews_percentage: percentOf(views.length, selected.length),
    };
    const rest = { bounce_percentage: bounceOf(views), duration: sum(views) };
    return {
      ...head,
      ...(query.summary ? {} : name === "path" ? { ...pageviews, ...rest } : rest),
      ...(label === null ? { other: true } : {}),
    };
  });
}

export function modelTime(model: Model, websiteId: number, query: TimeQuery): TimeRow[] {
  const selected = select(model, websiteId, query);
  const groups = Map.groupBy(selected, ({ values }) => values[0] as ModelValue);
  const inOrder = [...groups]
    .filter(([, views]) => known(views).length > 0)
    .sort(
      ([a, as], [b, bs]) =>
        last(a, b) || sum(bs) - sum(as) || quartile(bs, 2) - quartile(as, 2) || byText(a, b),
    );
  return paged(inOrder, query).map(([path, views]): TimeRow => ({
    path: path ?? "(other)",
    duration: quartile(views, 2),
    duration_percentage: percentOf(sum(views), sum(selected)),
    ...(query.summary
      ? {}
      : {
          visitors: count(views, isFirst),
          duration_lower_quartile: quartile(views, 1),
          duration_upper_quartile: quartile(views, 3),
        }),
    ...(path === null ? { other: true } : {}),
  }));
}

export function modelProperties(model: Model, websiteId: number, query: PropertiesQuery): PropertyRow[] {
  const { filters, period } = query;
  const selected = [...model.pageviews, ...model.events]
    .filter((hit) => hit.websiteId === websiteId && dimensionsMatch(filters, hit.values))
    .flatMap(({ properties }) => properties)
    .filter((property) => within(period, property.timeMs) && propertyMatches(filters, property));
  const byValue = filters.some(({ name, operator }) => name === "prop_name" && operator === "eq");
  const groups = Map.groupBy(selected, ({ name, value }) => JSON.stringify(byValue ? [name, value] : [name]));
  const rows = [...groups.values()].map((events): PropertyRow => {
    const { name, value } = events[0] as ModelProperty;
    const counted = { events: events.length, events_percentage: percentOf(events.length, selected.length) };
    const named = { name: name ?? "(other)", ...(byValue && { value: value ?? "(other)" }), ...counted };
    return name === null || (byValue && value === null) ? { ...named, other: true } : named;
  });
  const inOrder = rows.sort(
    (a, b) =>
      Number(a.other ?? false) - Number(b.other ?? false) ||
      b.events - a.events ||
      byText(a.name, b.name) ||
      byText(a.value ?? "", b.value ?? ""),
  );
  return paged(inOrder, query);
}

export function modelSummary(model: Model, websiteId: number, query: SummaryQuery, nowMs: number): Summary {
  const totals = (period: Period): Totals => {
    const views = select(model, websiteId, { ...query, period });
    return {
      visitors: count(views, visitorTest(query.filters)),
      pageviews: views.length,
      bounce_percentage: bounceOf(views),
      duration: quartile(views, 2),
    };
  };
  const { startMs, endMs } = query.period;
  const lengthMs = endMs - startMs + 1;
  const hits = [...model.pageviews, ...model.events].filter((hit) => hit.websiteId === websiteId);
  const firstMs = Math.min(...hits.map(({ timeMs }) => timeMs));
  const closed = {
    startMs: startMs === -Infinity ? firstMs : startMs,
    endMs: endMs === Infinity ? nowMs : endMs,
  };
  return {
    current: totals(query.period),
    ...(query.previous && { previous: totals({ startMs: startMs - lengthMs, endMs: startMs - 1 }) }),
    ...(query.interval && {
      interval: modelIntervals(query.interval, query.timezone, closed).map(({ date, ...interval }) => ({
        date,
        ...totals({
          startMs: Math.max(interval.startMs, closed.startMs),
          endMs: Math.min(interval.endMs, closed.endMs),
        }),
      })),
    }),
  };
}

export function modelVisitors(model: Model, websiteId: number, period: Period): number {
  return count(select(model, websiteId, { period, filters: [] }), isUnique);
}

type Test = (view: PageView) => boolean;
const isUnique: Test = ({ unique }) => unique;
const isFirst: Test = ({ first }) => first;

function visitorTest(filters: readonly Filter[]): Test {
  const positive = filters.filter(({ operator }) => operator !== "neq" && !operator.startsWith("not_"));
  return positive.some(({ name }) => name === "path" || name.startsWith("prop_")) ? isFirst : isUnique;
}

function select(model: Model, websiteId: number, { period, filters }: Selection): PageView[] {
  return model.pageviews.filter(
    (view) => view.websiteId === websiteId && within(period, view.timeMs) && pageViewMatches(filters, view),
  );
}

function count(views: readonly PageView[], test: Test): number {
  return views.filter(test).length;
}

function known(views: readonly PageView[]): number[] {
  return views.flatMap(({ durationMs }) => durationMs ?? []).sort((a, b) => a - b);
}

function sum(views: readonly PageView[]): number {
  return known(views).reduce((total, ms) => total + ms, 0);
}

function bounceOf(views: readonly PageView[]): number {
  const judged = views.filter(({ unique, durationMs }) => unique && durationMs !== null);
  const bounced = judged.filter(({ durationMs, evented }) => (durationMs as number) < 5_000 && !evented);
  return percentOf(bounced.length, judged.length);
}

/** The `quarter`-th quartile, in whole quarters of a millisecond until it is rounded. */
function quartile(views: readonly PageView[], quarter: 1 | 2 | 3): number {
  const sorted = known(views);
  const position = (sorted.length - 1) * quarter;
  const low = sorted[Math.floor(position / 4)] ?? 0;
  const high = sorted[Math.ceil(position / 4)] ?? 0;
  return Math.floor((4 * low + (position % 4) * (high - low) + 2) / 4);
}

/** In integers: halves are never missed. */
function percentOf(part: number, whole: number): number {
  if (whole === 0) return 0;
  const hundredths = (BigInt(part) * 20_000n + BigInt(whole)) / (2n * BigInt(whole));
  return Math.min(100, Number(hundredths) / 100);
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
