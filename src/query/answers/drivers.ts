/**
 * Answers what made a period unlike its base: the values of any list whose figures changed more than the whole did. A
 * base is another period, or the mean of several. Figures are those of the lists, added up as whole numbers: a
 * difference is "scaled" while it is still multiplied by the number of the base's periods.
 */
import { emptyOf, listedDimensions, type ListedDimension } from "../../core/questions/dimension.ts";
import type { Driver, Drivers } from "../../core/questions/answer.ts";
import {
  driversMax,
  type DriverMetric,
  type DriversQuery,
  type ListQuery,
  type Period,
} from "../../core/questions/query.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { reducedFromMs, reducedUntilMs } from "../../store/state/reduced-month.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import type { QueryContext } from "../cache/context.ts";
import { weeksBefore } from "../calendar/weeks-before.ts";
import { groupCounts as counts } from "../counts/count.ts";
import { JointDifferences, jointMax, type JointUnit, type JointValue } from "../counts/joint-differences.ts";
import { pageOfCounts } from "../counts/page-counts.ts";
import { visitorFlag } from "../counts/visitor.ts";
import { compareText } from "../names/text-order.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import { countList, type CountedList } from "./list.ts";
import { answerSummary } from "./summary.ts";

const familyNames: readonly (readonly ListedDimension["name"][])[] = [
  ["utm_campaign", "utm_content", "utm_term", "utm_source", "referrer", "utm_medium", "channel"],
  ["path"],
  ["country", "language"],
  ["browser", "os", "device"],
];
/**
 * Dimensions whose values come together, the narrower first: a campaign has a source, a referrer has a channel. Of two
 * values of one family that made the same difference, the narrower one is named. A dimension that no family names comes
 * first in that of its column. Exported for tests.
 */
export const families = familyNames.map((names): readonly ListedDimension[] => {
  const named = names.map((name) => listedDimensions.find((own) => own.name === name) as ListedDimension);
  const others = listedDimensions.filter((own) => own.column === named[0]?.column && !named.includes(own));
  return [...others, ...named];
});

/** The least change that counts is a tenth of the whole. Comparisons multiply by 10, so that all numbers stay whole. */
const parts = 10;
/** A count is hardly ever further from its mean than this many square roots of the mean. */
const chanceRoots = 3;

interface Candidate extends JointValue {
  readonly dimension: ListedDimension;
  readonly value: string;
  readonly current: number;
  /** The sum over the periods of the base. */
  readonly base: number;
  readonly scaled: number;
}

export function answerDrivers(query: DriversQuery, context: QueryContext): Drivers {
  const { period, bases } = comparedPeriods(context.site, query);
  const totalOf = (of: Period) => total({ ...query, period: of }, context);
  const current = totalOf(period);
  const base_periods = bases.map(({ startMs, endMs }) => ({ start: instant(startMs), end: instant(endMs) }));
  if (bases.length === 0) return { current, stands_out: false, base_periods, drivers: [] };
  const totals = bases.map(totalOf);
  const base = totals.reduce((sum, one) => sum + one, 0);
  const whole: Whole = { scaled: current * bases.length - base, base, periods: bases.length };
  const stands_out = standsOut(whole, totals);
  const drivers = stands_out ? driversOf({ ...query, period }, bases, whole, context) : [];
  const mean = rounded(base, bases.length);
  const difference = rounded(whole.scaled, bases.length);
  return { current, base: mean, difference, stands_out, base_periods, drivers };
}

/** The whole difference, scaled; the sum over the periods of the base, and their number. */
interface Whole {
  readonly scaled: number;
  readonly base: number;
  readonly periods: number;
}

/**
 * Returns the periods to compare. A chosen base is left out if it ended before the first hit. Without a choice the
 * period ends now at the latest, and its base is the weeks before it that do not begin before the first hit, nor reach
 * into months of sums.
 */
function comparedPeriods(
  { chunks, reduced }: ReadSite,
  { period: { startMs, endMs }, compare, timezone, nowMs }: DriversQuery,
): { readonly period: Period; readonly bases: readonly Period[] } {
  const firstMs = chunks.values().reduce((first, { minMs }) => Math.min(first, minMs), Infinity);
  if (compare !== undefined)
    return { period: { startMs, endMs }, bases: compare.endMs < firstMs ? [] : [compare] };
  const period = { startMs, endMs: Math.min(endMs, nowMs) };
  if (period.endMs < startMs) return { period: { startMs, endMs }, bases: [] };
  const [sumsMs, rowsMs] = [reducedFromMs(reduced.values()), reducedUntilMs(reduced.values())];
  const hasRows = (base: Period) =>
    base.startMs >= firstMs && (base.startMs >= rowsMs || base.endMs < sumsMs);
  return { period, bases: weeksBefore(period, timezone).filter(hasRows) };
}

function total(query: DriversQuery, context: QueryContext): number {
  const { current } = answerSummary({ ...query, previous: false }, context);
  return (current as Record<string, number>)[query.metrics[0]] ?? 0;
}

/**
 * Whether the whole changed by a tenth, by more than chance does, and by more than a period of the base from their
 * mean.
 */
function standsOut({ scaled, base, periods }: Whole, totals: readonly number[]): boolean {
  const size = Math.abs(scaled);
  return (
    size * parts >= base &&
    isBeyondChance(scaled, base, periods) &&
    totals.every((one) => size > Math.abs(one * periods - base))
  );
}

function isBeyondChance(scaled: number, base: number, periods: number): boolean {
  // |difference| >= roots * sqrt(mean), squared and scaled.
  return scaled ** 2 >= chanceRoots ** 2 * Math.max(base, periods) * periods;
}

function driversOf(
  query: DriversQuery,
  bases: readonly Period[],
  whole: Whole,
  context: QueryContext,
): Driver[] {
  const candidates = candidatesOf(query, bases, whole, context);
  const strongest = candidates.sort(orderOf(whole)).slice(0, jointMax);
  const joint = new JointDifferences(strongest);
  if (strongest.length > 1) {
    joint.add(query.period, query.filters, bases.length, context);
    for (const base of bases) joint.add(base, query.filters, -1, context);
  }
  const unitOf = unitsOf(query);
  const explained = explainedBy(strongest, joint, unitOf);
  const named = strongest.filter((candidate) => !explained.has(candidate)).slice(0, driversMax);
  const bitOf = (candidate: Candidate) => 1 << strongest.indexOf(candidate);
  const ofFirst = (first: Candidate, candidate: Candidate) => {
    const both = joint.of(unitOf([first, candidate]), bitOf(first) | bitOf(candidate));
    return shareOf(both, joint.of(unitOf([first]), bitOf(first)));
  };
  return named.map((candidate, at) => ({
    dimension: candidate.dimension.name,
    value: candidate.value,
    current: candidate.current,
    base: rounded(candidate.base, whole.periods),
    difference: rounded(candidate.scaled, whole.periods),
    difference_percentage: rounded(candidate.scaled * 100, whole.scaled),
    ...(at > 0 && { of_first_percentage: ofFirst(named[0]!, candidate) }),
  }));
}

/** Returns the values that changed in the direction of the whole, by more than their share of the base and than chance. */
function candidatesOf(
  query: DriversQuery,
  bases: readonly Period[],
  whole: Whole,
  context: QueryContext,
): Candidate[] {
  const lists = countPeriods(query, [query.period, ...bases], context);
  const sign = Math.sign(whole.scaled);
  const allBase = Math.max(1, whole.base);
  const enough = Math.abs(whole.scaled) * allBase;
  return [...lists].flatMap(([dimension, { counted, figures }]) => {
    const { labels, values } = counted;
    const { column, ofColumn } = values;
    const [current, ...others] = figures as [Float64Array, ...Float64Array[]];
    const emptyRow = emptyOf(dimension)?.row ?? true;
    const found: Candidate[] = [];
    for (let group = 0; group < labels.size; group++) {
      if (group === overflowId) continue;
      const base = others.reduce((sum, figure) => sum + figure[group]!, 0);
      const scaled = current[group]! * bases.length - base;
      // A page may have visitors in a base without any: they came there before.
      const usual = whole.base === 0 ? 0 : whole.scaled * base;
      const excess = (scaled * allBase - usual) * sign;
      if (excess * parts < enough || !isBeyondChance(scaled, base, bases.length)) continue;
      const value = labels.of(group);
      if (value === "" && !emptyRow) continue;
      found.push({ dimension, column, ofColumn, group, value, current: current[group]!, base, scaled });
    }
    return found;
  });
}

interface CountedPeriods {
  readonly counted: CountedList;
  /** By period, then by group. */
  readonly figures: Float64Array[];
}

/** Counts all lists in each of the periods. */
function countPeriods(
  { filters, by, metrics, nowMs }: DriversQuery,
  periods: readonly Period[],
  context: QueryContext,
): ReadonlyMap<ListedDimension, CountedPeriods> {
  const rest = {
    filters,
    by,
    metrics,
    nowMs,
    limit: 1,
    offset: 0,
    summary: false,
    grouped: true,
    locale: false,
  };
  const lists = new Map<ListedDimension, CountedPeriods>();
  // Rows are counted for all lists of a period at once, and these counts stay until another period is counted.
  for (const period of periods) {
    const questions = families.flat().map(({ list }): ListQuery => ({ ...rest, period, list }));
    const { own } = pageOfCounts(questions as [ListQuery, ...ListQuery[]], context);
    for (const question of questions) {
      const counted = countList(question, context, own);
      const known = lists.getOrInsertComputed(counted.dimension, () => ({ counted, figures: [] }));
      known.figures.push(figuresOf(metrics[0], counted));
    }
  }
  return lists;
}

function figuresOf(metric: DriverMetric, { visits, labels }: CountedList): Float64Array {
  return Float64Array.from({ length: labels.size }, (_, group) => {
    if (metric === "pageviews") return counts.pageviews(group);
    if (metric === "visits") return visits?.of(group).visits ?? 0;
    return visits?.visitorsOf(group) ?? counts.visitors(group);
  });
}

/**
 * Orders candidates: those that made half of the whole difference or more come first, sources before pages, places and
 * clients, since that is how people explain it. Then the larger difference comes first. Both differences are scaled.
 */
function orderOf({ scaled: whole }: Whole): (a: Candidate, b: Candidate) => number {
  const familyOf = ({ dimension, scaled }: Candidate) =>
    Math.abs(scaled) * 2 < Math.abs(whole)
      ? families.length
      : families.findIndex((family) => family.includes(dimension));
  const place = ({ dimension }: Candidate) => families.flat().indexOf(dimension);
  return (a, b) =>
    familyOf(a) - familyOf(b) ||
    Math.abs(b.scaled) - Math.abs(a.scaled) ||
    place(a) - place(b) ||
    compareText(a.value, b.value);
}

/** Returns the values most of whose difference was made by narrower ones of their family. */
function explainedBy(
  candidates: readonly Candidate[],
  joint: JointDifferences,
  unitOf: UnitOf,
): ReadonlySet<Candidate> {
  const explained = new Set<Candidate>();
  for (const family of families) {
    let named = 0;
    for (const dimension of family)
      candidates.forEach((candidate, at) => {
        if (candidate.dimension !== dimension) return;
        const unit = unitOf([candidate]);
        const left = joint.of(unit, 1 << at, named);
        if (Math.abs(left) * 2 < Math.abs(joint.of(unit, 1 << at))) explained.add(candidate);
        else named |= 1 << at;
      });
  }
  return explained;
}

type UnitOf = (some: readonly Candidate[]) => JointUnit;

/** Returns which rows count for the metric. As in the lists, the visitors of a page are its first views. */
function unitsOf({ metrics: [metric], filters }: DriversQuery): UnitOf {
  if (metric === "pageviews") return () => "views";
  const unit = visitorFlag(filters) === rowFlag.first ? "first" : "unique";
  return (some) => (some.some(({ dimension }) => dimension.name === "path") ? "first" : unit);
}

/** Returns the percentage, from 0 to 100. */
function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.max(0, Math.min(100, rounded(part * 100, whole)));
}

/** Returns a quotient with two decimals, halves away from zero. */
function rounded(part: number, whole: number): number {
  return (Math.sign(part) * Math.sign(whole) * Math.round(Math.abs((part * 100) / whole))) / 100 || 0;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
