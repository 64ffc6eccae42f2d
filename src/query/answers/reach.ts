/**
 * Fits a question to months without rows. What they keep answers whole units of time where nothing is filtered: an edge
 * of a period that lies there is taken to be the nearest one of a unit. Everything else is answered for the months that
 * have rows. The reach of an answer says which of this was done.
 */
import { dayMs } from "../../core/hit.ts";
import { visitMetrics } from "../../core/questions/named-metric.ts";
import { isClosed, periodBefore, type Period, type Question } from "../../core/questions/query.ts";
import type { Target } from "../../core/website/goal.ts";
import { Refusal } from "../../core/refusal.ts";
import { quarterMs } from "../../facts/quarters.ts";
import { monthEndMs, monthStartMs } from "../../store/chunks/month.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import {
  importedFromMs,
  importedPlaceMs,
  importedUntilMs,
  reducedFromMs,
  reducedUntilMs,
  type ReducedMonth,
} from "../../store/state/reduced-month.ts";
import type { QueryContext } from "../cache/context.ts";
import { goalSinceMs } from "../visits/month-conversions.ts";

export interface Reach {
  /** The period that was answered, where it is another one than was asked. */
  readonly period?: Period;
  /** The time from which the website has rows, or sums of the goal; given if the answer counts nothing earlier. */
  readonly rowsFromMs?: number;
  /** The first day of the sums that another product gave, and the end of their months, if some are in the answer. */
  readonly importedFromMs?: number;
  readonly importedUntilMs?: number;
}

export interface Fitted<Q extends Question> {
  readonly question: Q;
  readonly reach: Reach;
}

/** Throws Refusal 400 for what those months cannot answer. */
export function fitted<Q extends Question>(question: Q, context: QueryContext): Fitted<Q> {
  const { reduced } = context.site;
  // An export has the rows that there are, also those of months before and between the ones without.
  if (reduced.size === 0 || question.list === "export") return { question, reach: {} };
  const untilMs = reducedUntilMs(reduced.values());
  const firstMs = reducedFromMs(reduced.values());
  const reachMs = question.list === "properties" ? eventsUntilMs(reduced, untilMs) : untilMs;
  const reaches = ({ startMs, endMs }: Period) => startMs < reachMs && endMs >= firstMs;
  const before = comparedWith(question);
  if (!reaches(question.period) && (before === undefined || !reaches(before))) return { question, reach: {} };
  // A goal that is made later is known from then on.
  if (question.list === "goals" && question.goals.length === 0)
    return { question, reach: { rowsFromMs: untilMs } };
  const sinceMs = needsRows(question) ? untilMs : knownSinceMs(question, context);
  if (sinceMs >= untilMs) return withRows(question, untilMs, before !== undefined && reaches(before));
  const known = knownFrom(question, sinceMs, before);
  return withSums(reduced, known.question, known.before, { firstMs, untilMs, reach: known.reach });
}

/** Returns the end of the events of those months: one comes up to a day after its page view, and counts at its own time. */
function eventsUntilMs(reduced: ReadSite["reduced"], untilMs: number): number {
  return reduced.values().reduce((end, { propertyMaxMs }) => Math.max(end, propertyMaxMs + 1), untilMs);
}

/** The months without rows, and how the answer says what it takes from them. */
interface Sums {
  readonly firstMs: number;
  readonly untilMs: number;
  readonly reach: Reach;
}

/** Returns the question about what months without rows can answer. `before`: what it is compared with. */
function withSums<Q extends Question>(
  reduced: ReadSite["reduced"],
  question: Q,
  before: Period | undefined,
  { firstMs, untilMs, reach }: Sums,
): Fitted<Q> {
  const importedMs = importedUntilMs(reduced.values());
  const isImported = (own: Period | undefined) =>
    own !== undefined && own.startMs < importedMs && own.endMs >= firstMs;
  expectNoMinutes(question);
  const units = new Units(unitOf(question), [...reduced.values()]);
  const period = snapped(question.period, untilMs, units);
  const other = before && snapped(before, untilMs, units);
  const compare = other && isAbout(other, before) ? other : undefined;
  const { startMs, endMs } = period;
  const isSame = startMs === question.period.startMs && endMs === question.period.endMs;
  const compared = before && comparing(question, compare);
  const imported = (isImported(period) || isImported(compare)) && {
    importedFromMs: importedFromMs(reduced.values()),
    importedUntilMs: importedMs,
  };
  return {
    question: { ...question, period, ...compared },
    reach: { ...reach, ...(!isSame && { period }), ...imported },
  };
}

/** Whether the edges of two periods lie within a day of each other, as those of a time zone and of UTC do. */
function isAbout(a: Period, b: Period): boolean {
  const isNear = (left: number, right: number) => left === right || Math.abs(left - right) < dayMs;
  return isNear(a.startMs, b.startMs) && isNear(a.endMs, b.endMs);
}

/** Returns the period that a question compares with, if it does. */
function comparedWith(question: Question): Period | undefined {
  if (!("previous" in question) || !question.previous)
    return "compare" in question ? question.compare : undefined;
  // Without both ends the question is refused.
  return isClosed(question.period) ? periodBefore(question.period) : undefined;
}

/** Returns what makes a question compare its period with this one; with none if it is undefined. */
function comparing(question: Question, compare: Period | undefined) {
  return { compare, ...("previous" in question && { previous: false }) };
}

/**
 * Returns the time from which on every month knows the goals of a question; -Infinity if all months do. Goals of a list
 * of goals are answered one by one, so the one that is known longest counts there.
 */
function knownSinceMs(question: Question, context: QueryContext): number {
  if (question.list === "goals")
    return question.goals.reduce(
      (since, { target }) => Math.min(since, goalSinceMs(target, context)),
      Infinity,
    );
  const goal = goalOf(question);
  return goal === undefined ? -Infinity : goalSinceMs(goal, context);
}

/** Returns the goal whose conversions rows have, if there is one. */
function goalOf(question: Question): Target | undefined {
  return "goal" in question ? question.goal : undefined;
}

/** Returns the question without the time before `sinceMs`. */
function knownFrom<Q extends Question>(
  question: Q,
  sinceMs: number,
  before: Period | undefined,
): { readonly question: Q; readonly before: Period | undefined; readonly reach: Reach } {
  const { startMs, endMs } = question.period;
  if (startMs >= sinceMs && (before === undefined || before.startMs >= sinceMs))
    return { question, before, reach: {} };
  if (endMs < sinceMs) throw tooEarly(sinceMs);
  const period = { startMs: Math.max(startMs, sinceMs), endMs };
  const isKnown = before !== undefined && before.startMs >= sinceMs;
  const alone = before !== undefined && !isKnown && comparing(question, undefined);
  return {
    question: { ...question, period, ...alone },
    before: isKnown ? before : undefined,
    reach: { rowsFromMs: sinceMs },
  };
}

function tooEarly(untilMs: number): Refusal {
  return new Refusal(
    400,
    `the months before ${new Date(untilMs).toISOString()} have sums only: expected a period that ends later, or no ` +
      "filters, goals, steps or medians of values",
  );
}

/** Whether only rows answer a question. */
function needsRows(question: Question): boolean {
  const { list, filters } = question;
  if (filters.length > 0) return true;
  if (list === "funnel" || list === "journeys" || list === "drivers") return true;
  if (list === "properties" && question.goal !== undefined) return true;
  if (list === "properties") return question.metrics?.some((name) => visitMetrics.has(name)) ?? false;
  if (list === "summary" || list === "time" || list === "goals" || list === "export") return false;
  return question.metrics?.includes("time_median") ?? false;
}

/** Returns the question about the months that have rows, and about another period only if that has them too. */
function withRows<Q extends Question>(question: Q, untilMs: number, dropsCompare: boolean): Fitted<Q> {
  const { startMs, endMs } = question.period;
  const from = new Date(untilMs).toISOString();
  if (endMs < untilMs) throw tooEarly(untilMs);
  if (question.list === "drivers" && dropsCompare)
    throw new Refusal(400, `compare_start: expected a time from ${from} on: earlier months have sums only`);
  const period = { startMs: Math.max(startMs, untilMs), endMs };
  // Before the rest of a period are months of sums, and not the period before it.
  const isRest = startMs < untilMs && "previous" in question && question.previous;
  const alone = (dropsCompare || isRest) && comparing(question, undefined);
  return { question: { ...question, period, ...alone }, reach: { rowsFromMs: untilMs } };
}

function expectNoMinutes(question: Question): void {
  if ("interval" in question && question.interval === "minute")
    throw new Refusal(
      400,
      "interval: got minute, expected hour, day, week or month: months that gave up their rows are known by quarters of an hour",
    );
}

type Unit = "quarter" | "day" | "month";

function unitOf(question: Question): Unit {
  const { list } = question;
  if (list === "summary" || list === "goals") return "quarter";
  return list === "time" || goalOf(question) !== undefined ? "month" : "day";
}

/** Returns the period with the nearest edges of units, where an edge lies in those months or on the day after them. */
function snapped({ startMs, endMs }: Period, untilMs: number, units: Units): Period {
  const isThere = (ms: number) => ms < untilMs + dayMs && Number.isFinite(ms);
  // On the day after such a month, only daily sums of the visits that continue are known.
  const after = units.unit === "quarter" ? units : days;
  const nearest = (ms: number) => (isThere(ms) ? (ms < untilMs ? units : after).nearest(ms) : ms);
  const [from, to] = [nearest(startMs), nearest(endMs + 1)];
  if (from < to) return { startMs: from, endMs: to - 1 };
  // A period that is shorter than half a unit is taken to be the one in which it begins.
  const own = units.start(startMs);
  return { startMs: own, endMs: units.next(own) - 1 };
}

/** Divides time into units: a month with imported days that rows follow is two of them. */
class Units {
  /** The ends of the imported days of such months. */
  private readonly edgesMs: readonly number[];

  /** `months`: those without rows. */
  constructor(
    readonly unit: Unit,
    private readonly months: readonly ReducedMonth[],
  ) {
    this.edgesMs = months.flatMap(({ head }) => head.untilMs ?? []);
  }

  /** Returns the edge of a unit that is nearest to a time; of a day that was imported, the one on whose side its sums stand. */
  nearest(ms: number): number {
    const start = this.start(ms);
    const next = this.next(start);
    const placeMs = this.unit === "day" ? importedPlaceMs(this.months, start) : undefined;
    return ms < start + (placeMs ?? (next - start) / 2) ? start : next;
  }

  /** Returns the start of the unit that a time is in. */
  start(ms: number): number {
    if (this.unit === "quarter") return Math.floor(ms / quarterMs) * quarterMs;
    if (this.unit === "day") return Math.floor(ms / dayMs) * dayMs;
    return Math.max(monthStartMs(ms), ...this.edgesMs.filter((edge) => edge <= ms));
  }

  /** Returns the end of the unit that starts at a time. */
  next(startMs: number): number {
    if (this.unit === "month")
      return Math.min(monthEndMs(startMs), ...this.edgesMs.filter((edge) => edge > startMs));
    return startMs + (this.unit === "day" ? dayMs : quarterMs);
  }
}

const days = new Units("day", []);
