/** The model's figures of visits, and metrics by name: written from the rules and nothing else. */
import type { MetricName } from "../../src/core/questions/metric.ts";
import type { ByVisit, Filter, Selection } from "../../src/core/questions/query.ts";
import type { Hit, Model, ModelProperty, PageView } from "./model.ts";
import { pageViewMatches, within } from "./model-filter.ts";

const pauseMs = 30 * 60_000;

/** Page views, and events that have none. */
export interface Hits {
  readonly views: readonly PageView[];
  readonly events: readonly Hit[];
}

export function hitsOf(model: Model, websiteId: number, asked: Selection & ByVisit): Hits {
  const fits = (hit: Hit) =>
    hit.websiteId === websiteId &&
    within(asked.period, hit.timeMs) &&
    pageViewMatches(asked.filters, hit, asked.by);
  return { views: model.pageviews.filter(fits), events: model.events.filter(fits) };
}

/** The number of distinct visits of hits. */
export function distinct(...hits: (readonly Hit[])[]): number {
  const visits = new Set(hits.flatMap((some) => some.map(({ visit }) => visit)));
  visits.delete(0);
  return visits.size;
}

const isFirst = ({ first }: PageView) => first;
const isUnique = ({ unique }: PageView) => unique;

/** Counts visitors as the question defines them; `ofPages`: in the rows of pages, where nothing else is asked for. */
export function visitorCount({ filters, by }: Selection & ByVisit, ofPages = false): (hits: Hits) => number {
  const isOfProperty = ({ name }: Filter) => name === "prop_name" || name === "prop_value";
  const isOfPage = (filter: Filter) => filter.name === "path" || isOfProperty(filter);
  if (by === "visit" && filters.some(isOfProperty)) return ({ views, events }) => distinct(views, events);
  if (by === "visit" && filters.some(isOfPage)) return ({ views }) => distinct(views.filter(isFirst));
  const isPositive = ({ operator }: Filter) => operator !== "neq" && !operator.startsWith("not_");
  const ofPage = ofPages || filters.some((filter) => isOfPage(filter) && isPositive(filter));
  return ({ views }) => views.filter(ofPage ? isFirst : isUnique).length;
}

/** Visits that began and are over, and those of them that bounced. */
export interface Bounces {
  readonly judged: number;
  readonly bounced: number;
}

/** Judges the visits that begin with one of the page views. */
export function visitBounces(views: readonly PageView[], overVisits: (visit: number) => boolean): Bounces {
  const begun = views.filter(({ entry, visit }) => entry && overVisits(visit));
  const bounced = begun.filter(
    ({ wentOn, evented, durationMs }) => !wentOn && !evented && (durationMs ?? 0) < 10_000,
  );
  return { judged: begun.length, bounced: bounced.length };
}

/** Says which visits of a website have had no sign of life for half an hour. */
export function visitsOver(model: Model, websiteId: number, nowMs: number): (visit: number) => boolean {
  const latest = (properties: readonly ModelProperty[]) =>
    properties.reduce((ms, { timeMs }) => Math.max(ms, timeMs), -Infinity);
  const going = new Set<number>();
  const note = ({ visit, properties }: Hit, ms: number) => {
    if (Math.max(ms, latest(properties)) > nowMs - pauseMs) going.add(visit);
  };
  for (const view of model.pageviews)
    if (view.websiteId === websiteId) note(view, view.timeMs + (view.durationMs ?? 0));
  for (const event of model.events) if (event.websiteId === websiteId) note(event, event.timeMs);
  return (visit) => !going.has(visit);
}

/** The sums that the figures of a row are made of. */
export interface Sums {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly knownTimes: number;
  readonly totalMs: number;
  readonly medianMs: number;
  readonly bounces: Bounces;
  readonly ofVisits: SumsOfVisits;
}

/** Sums over the page views that belong to a visit. */
export interface SumsOfVisits {
  readonly pageviews: number;
  readonly totalMs: number;
  /** The visits that have a page view with a known time among them. */
  readonly timed: number;
}

export function sumsOfVisits(views: readonly PageView[]): SumsOfVisits {
  const own = views.filter(({ visit }) => visit !== 0);
  const timed = own.filter(({ durationMs }) => durationMs !== null);
  const totalMs = timed.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  return { pageviews: own.length, totalMs, timed: distinct(timed) };
}

type SumsOfAll = Pick<Sums, "visitors" | "visits" | "pageviews" | "totalMs">;

/** The metrics that were asked for by name, `more` among them; what has no base is missing. */
export function namedFigures(
  names: readonly MetricName[],
  row: Sums,
  all?: SumsOfAll,
  more: Partial<Record<MetricName, number>> = {},
) {
  const { visitors, visits, pageviews, knownTimes, totalMs, medianMs, bounces, ofVisits } = row;
  const share = (part: number, whole = 0) => (whole > 0 ? percentOf(part, whole) : undefined);
  const figures: Partial<Record<MetricName, number | undefined>> = {
    visitors,
    visits,
    pageviews,
    views_per_visit: visits > 0 ? rounded(100 * ofVisits.pageviews, visits) / 100 : undefined,
    bounce_percentage: share(bounces.bounced, bounces.judged),
    time_total: knownTimes > 0 ? totalMs : undefined,
    time_median: knownTimes > 0 ? medianMs : undefined,
    time_per_visit: ofVisits.timed > 0 ? rounded(ofVisits.totalMs, ofVisits.timed) : undefined,
    visitors_percentage: share(visitors, all?.visitors),
    visits_percentage: share(visits, all?.visits),
    pageviews_percentage: share(pageviews, all?.pageviews),
    duration_percentage: share(totalMs, all?.totalMs),
    // Only the list of exits has it, whose visits are those that ended on the page.
    exit_percentage: share(visits, pageviews),
    ...more,
  };
  const asked = names.map((name) => [name, figures[name]] as const);
  return Object.fromEntries(asked.filter(([, figure]) => figure !== undefined));
}

/** In integers: halves are never missed. */
function rounded(part: number, whole: number): number {
  return Number((2n * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)));
}

export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, rounded(10_000 * part, whole) / 100);
}
