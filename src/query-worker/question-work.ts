/**
 * Says how much work a question is before it is answered: a small one is answered on the thread that takes hits, which
 * must not wait. In the Worker it would wait for what is under way there about a large website. Strangers choose how many
 * values and properties a website has, and how long they are.
 */
import { dayMs } from "../core/hit.ts";
import { amountMetric } from "../core/questions/metric.ts";
import { targetsOf, type IntervalName, type Question } from "../core/questions/query.ts";
import { isPropertyFilter } from "../query/rows/filters/property-mask.ts";
import { filtersOf } from "../query/rows/filters/targets.ts";
import type { Site } from "../store/state/site.ts";
import { allDictionaries } from "../store/values/dictionaries.ts";

/** The length of an interval, or about so. */
const leastMsOf: Readonly<Record<IntervalName, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
  month: 28 * dayMs,
};
/** A filter takes up to a microsecond for each value that it looks at, a thousand times what a row takes. */
const smallValuesMax = 30_000;
/** A value of so many bytes more takes as long as two. */
const bytesOfValue = 256;
/** A value whose signs are all quotes takes so many times as long in CSV as in JSON. */
const csvWork = 4;

/** A chart takes 5 microseconds for each of its intervals, however few rows there are. */
const smallIntervalsMax = 3_000;
/** A walk is that of a plain list: 20 nanoseconds a row. */
const smallWalksMax = 5;

/**
 * Returns whether an answer takes some milliseconds, and by visit with filters or a goal up to fifty. `rowsMax`: the most
 * rows, and properties, of a website whose plain lists do; many walks are made over fewer.
 */
export function isSmall(site: Site, question: Question, rowsMax: number): boolean {
  const rows = site.rows + rowsOfMonths(site) || 1;
  return (
    rows <= rowsMax &&
    rows * walksOf(question) <= rowsMax * smallWalksMax &&
    intervalsOf(site, question) <= smallIntervalsMax &&
    propertiesOf(site, question) <= rowsMax &&
    valuesOf(site, question) <= smallValuesMax
  );
}

/**
 * How many values answering looks at: those of the list, and all that a filter, or a condition of a goal or step, may be
 * about. Long ones count as several.
 */
function valuesOf(site: Site, question: Question): number {
  const values = allDictionaries(site).reduce((sum, { size, bytes }) => sum + size + bytes / bytesOfValue, 0);
  const conditions = targetsOf(question).reduce((sum, target) => sum + filtersOf(target).length, 0);
  return values * ((question.asCsv ? csvWork : 1) + question.filters.length + conditions);
}

/** How many properties answering walks: a row may have thousands, and each goal or step that is an event walks all. */
function propertiesOf({ chunks }: Site, question: Question): number {
  const events = targetsOf(question).reduce((sum, target) => sum + Number("event" in target), 0);
  const walks = events + Number(question.list === "properties" || question.filters.some(isPropertyFilter));
  return walks === 0 ? 0 : walks * chunks.values().reduce((sum, { properties }) => sum + properties, 0);
}

/** How many rows there were of which sums are read. */
function rowsOfMonths({ reduced }: Site): number {
  return reduced.values().reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * Returns how many times as long as a plain list a question takes for the rows: measured with 100,000 and 250,000 page views
 * of three a visit. Drivers count more than ten lists, in several periods; an export makes texts of all rows.
 */
function walksOf(question: Question): number {
  const { list, filters } = question;
  if (list === "export") return Infinity;
  if (list === "drivers") return 10 * smallWalksMax;
  const isByVisit = "by" in question && question.by === "visit";
  const hasGoal = "goal" in question && question.goal !== undefined;
  const isTwice =
    ("compare" in question && question.compare !== undefined) ||
    ("previous" in question && question.previous);
  const hasAmounts = hasGoal && "metrics" in question && (question.metrics?.includes(amountMetric) ?? false);
  const ofVisits =
    4 * Number(hasAmounts) +
    Number(isByVisit) +
    4 * Number(isByVisit && filters.length > 0) +
    4 * Number(hasGoal);
  return (1 + ofVisits + (filters.length + targetsOf(question).length) / 10) * (isTwice ? 2 : 1);
}

/** How many intervals a chart may have. Those with a goal, and those of filtered visits, take as long again each. */
function intervalsOf({ chunks, reduced }: Site, question: Question): number {
  if (question.list !== "summary" || question.interval === undefined) return 0;
  const { by, filters, goal, interval, nowMs, period } = question;
  const begunMs = Math.min(nowMs, ...[...chunks.values(), ...reduced.values()].map(({ minMs }) => minMs));
  const startMs = Number.isFinite(period.startMs) ? period.startMs : begunMs;
  const endMs = Number.isFinite(period.endMs) ? period.endMs : nowMs;
  const times = 1 + Number(goal !== undefined) + Number(by === "visit" && filters.length > 0);
  return (Math.max(0, endMs - startMs) / leastMsOf[interval]) * times;
}
