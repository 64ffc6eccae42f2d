/** The paths of the API that ask what a question is about: in its period, and in the one that it compares with. */
import { dayMs } from "../../../core/hit.ts";
import { comparedSpans, type ComparedSpans } from "../calendar/comparison.ts";
import type { DriverMetric, IntervalName } from "../../../core/questions/query.ts";
import { spanOf, type Span } from "../calendar/period.ts";
import { ownWeekStart } from "../calendar/week.ts";
import { figuresOf } from "../texts/metric.ts";
import { encodeSearch } from "../routes.ts";
import { filterPairs, intervalOf, type Question } from "./question.ts";

/** Returns the path of a statistics query for a period and the filters of a question. */
function statisticsPath(
  { hostname, filters }: Question,
  list: string,
  { startMs, endMs }: Span,
  more: Parameters,
): string {
  const pairs: [string, string][] = [
    ...(startMs === undefined ? [] : [["start", new Date(startMs).toISOString()] as [string, string]]),
    ["end", new Date(endMs).toISOString()],
    ...filterPairs(filters),
    ...Object.entries(more).map(([name, value]): [string, string] => [name, String(value)]),
  ];
  return `/website/${encodeURIComponent(hostname)}/${list}${encodeSearch(pairs)}`;
}

/** Parameters of a statistics query besides period and filters. */
export type Parameters = Readonly<Record<string, string | number | boolean>>;

/** Asks for visits, where they are told apart. */
function visitPairs({ visits, goal }: Question): Parameters {
  if (!visits) return {};
  return { by: "visit", ...(goal !== undefined && { goal }) };
}

function totalsPairs(question: Question): Parameters {
  // Whether the goal sums up amounts may be known later than the totals are asked for.
  const metrics = figuresOf({ ...question, amount: true }).map(({ name }) => name);
  return { ...visitPairs(question), metrics: metrics.join(",") };
}

/**
 * Returns the path of one of the API's lists for a question; `extra` are further parameters, such as limit and offset.
 */
export function listPath(question: Question, list: string, extra: Parameters, nowMs = Date.now()): string {
  const span = spanOf(question.period, question.zone, nowMs);
  return statisticsPath(question, list, span, { ...visitPairs(question), ...extra });
}

/** Returns the path of a list in the other period, for one that the server does not compare; null if there is none. */
export function earlierListPath(question: Question, list: string, extra: Parameters): string | null {
  const span = comparedWith(question, Date.now())?.sameTime;
  return span ? statisticsPath(question, list, span, { ...visitPairs(question), ...extra }) : null;
}

/** Returns the figure that the drivers of a day are about, by the one that is shown. */
export function driverMetric({ metric }: Question): DriverMetric {
  return metric === "visits" || metric === "pageviews" ? metric : "visitors";
}

/** Returns the path of the drivers of the day that is shown; undefined if the period is none. */
export function driversPath(question: Question, nowMs = Date.now()): string | undefined {
  const { startMs, endMs } = spanOf(question.period, question.zone, nowMs);
  // A day in which the clocks change has up to 25 hours.
  const isDay = startMs !== undefined && endMs - startMs < 26 * 3_600_000;
  if (!isDay) return undefined;
  const more = { metric: driverMetric(question), timezone: question.zone };
  return listPath({ ...question, goal: undefined }, "drivers", more, nowMs);
}

/** Returns the path of the saved funnels. */
export function funnelsPath({ hostname }: Pick<Question, "hostname">): string {
  return `/website/${encodeURIComponent(hostname)}/funnels`;
}

/** Returns the path of the funnel. A goal that is chosen changes nothing in it. */
export function funnelPath(question: Question): string {
  const asked = { ...question, goal: undefined };
  return withSteps(question, listPath(asked, "funnel", comparedPairs(question)));
}

function withSteps({ steps }: Question, path: string): string {
  const pairs = steps.map((step): [string, string] => ["step", step]);
  return `${path}&${encodeSearch(pairs).slice(1)}`;
}

/** Returns the path of all that the page shows, as an archive of CSV files. */
export function exportPath(question: Question): string {
  return withSteps(question, summaryPath(question, Date.now(), "export.zip"));
}

/** Returns the spans of the period that a question compares with; undefined if there is none. */
export function comparedWith(
  { period, compare, zone }: Pick<Question, "period" | "compare" | "zone">,
  nowMs: number,
): ComparedSpans | undefined {
  return comparedSpans({ choice: period, comparison: compare, zone, nowMs });
}

/** Returns the parameters that ask for the figures of the other period. */
export function comparedPairs(question: Question, nowMs = Date.now()): Parameters {
  const span = comparedWith(question, nowMs)?.sameTime;
  const at = (ms: number) => new Date(ms).toISOString();
  return span === undefined ? {} : { compare_start: at(span.startMs), compare_end: at(span.endMs) };
}

/** Returns the path of the totals, compared with the other period, with the chart's intervals. */
export function summaryPath(question: Question, nowMs = Date.now(), list = "summary"): string {
  const span = spanOf(question.period, question.zone, nowMs);
  const more = { interval: intervalOf(question, span), ...comparedPairs(question, nowMs) };
  return chartPath(question, span, more, list);
}

/** Returns the path of the days of all time, which say when there is data. */
export function recordedPath(question: Question): string {
  const span = spanOf({ name: "all" }, question.zone, Date.now());
  const more = { ...visitPairs(question), metrics: "visitors,pageviews", timezone: question.zone };
  return statisticsPath(question, "summary", span, { ...more, interval: "day" });
}

/**
 * Returns the span of the other period that the chart has: as many intervals as it has of its own. Undefined if there is
 * none, and for minutes: beside as many bars as a day has, theirs would be specks.
 */
export function earlierChartSpan(question: Question, nowMs: number): ComparedSpans["whole"] | undefined {
  const whole = comparedWith(question, nowMs)?.whole;
  const own = spanOf(question.period, question.zone, nowMs);
  if (whole === undefined || intervalOf(question, own) === "minute") return undefined;
  const mostMs = own.endMs - (own.startMs ?? own.endMs) + dayMs;
  return { startMs: whole.startMs, endMs: Math.min(whole.endMs, whole.startMs + mostMs) };
}

/** Returns the path of the intervals of the other period; null if the chart has none. */
export function earlierChartPath(question: Question, nowMs = Date.now()): string | null {
  const span = earlierChartSpan(question, nowMs);
  const interval = intervalOf(question, spanOf(question.period, question.zone, nowMs));
  return span === undefined ? null : chartPath(question, span, { interval });
}

/** Returns the path of the figures of a span by intervals, which `more` names. */
export function chartPath(
  question: Question,
  span: Span,
  more: Parameters & { readonly interval: IntervalName },
  list = "summary",
): string {
  return statisticsPath(question, list, span, {
    ...totalsPairs(question),
    ...more,
    timezone: question.zone,
    ...(more.interval === "week" && { week_start: ownWeekStart }),
  });
}

/**
 * Returns the path that removes what a question selects, or with `dryRun` counts it. It ends at `nowMs`: what comes while
 * a person reads the counts stays.
 */
export function purgePath(question: Question, dryRun: boolean, nowMs: number): string {
  const { startMs, endMs } = spanOf(question.period, question.zone, nowMs);
  const more = { ...visitPairs(question), dry_run: dryRun };
  return statisticsPath(question, "purge", { startMs, endMs: Math.min(endMs, nowMs) }, more);
}
