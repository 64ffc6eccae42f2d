/**
 * Adds the distinct visits of months without rows. Their days count a visit once each; what is known of the visits that go
 * on, on another day or in the next month, is taken off again.
 */
import { dayMs, visitMsMax, visitPauseMs } from "../../core/hit.ts";
import type { Period } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { placeOf, quarterMs, quarterVisit, quarterVisits } from "../../facts/quarters.ts";
import { monthEndMs } from "../../store/columns/month.ts";
import type { QueryContext } from "../cache/context.ts";
import { factsAndRows, spanOf, type MonthPart } from "../rows/facts-and-rows.ts";
import type { DistinctVisits } from "./distinct-visits.ts";
import { monthRollup, partsOf } from "./page-counts.ts";
import type { ValueGroups } from "./value-groups.ts";

/** Adds the visits of whole UTC days by value. Returns how many months there were. */
export function addValueVisits(
  site: SiteWithFacts,
  period: Period,
  { of, groupOf }: ValueGroups,
  distinct: DistinctVisits,
  context: QueryContext,
): number {
  const { months } = factsAndRows(site, { period, filters: [] }, dayMs);
  const lastDay = Math.floor(period.endMs / dayMs);
  for (const part of months) {
    const { ends, ids, distinctVisits, visitsOfPart } = monthRollup(site, part, of, context);
    const [first, end] = partsOf(part);
    const [from, to] = [first, end].map((at) => (at === 0 ? 0 : ends[at - 1]!)) as [number, number];
    for (let entry = from; entry < to; entry++)
      distinct.addFacts(groupOf[ids[entry]!]!, distinctVisits[entry]!);
    for (let at = first; at < end; at++) distinct.all += visitsOfPart[at]!;
    context.factsAdded += to - from;
    takeOffRepeats(part, of, groupOf, lastDay, distinct, context);
  }
  return months.length;
}

function takeOffRepeats(
  part: MonthPart,
  of: ValueGroups["of"],
  groupOf: Uint32Array,
  lastDay: number,
  distinct: DistinctVisits,
  context: QueryContext,
): void {
  const facts = context.factsOf(part.month);
  // A whole month counts its own visits once already.
  const fromDay = part.whole ? Math.floor(monthEndMs(part.month.monthMs) / dayMs) : part.from;
  const counts = (day: number, nextDay: number) =>
    (part.whole || day >= part.from) && nextDay >= fromDay && nextDay <= lastDay;
  const { ids, days, nextDays, visits } = facts.repeats(of);
  for (let at = 0; at < ids.length; at++)
    if (counts(days[at]!, nextDays[at]!)) distinct.addFacts(groupOf[ids[at]!]!, -visits[at]!);
  const all = facts.repeats();
  for (let at = 0; at < all.ids.length; at++)
    if (counts(all.days[at]!, all.nextDays[at]!)) distinct.all -= all.visits[at]!;
}

/** No two rows of a visit are further apart. */
export const apartMsMax = visitMsMax + visitPauseMs;

/** Adds the visits of spans of time; `edgesMs` as `spanTotals` takes them. */
export function addSpanVisits(
  site: SiteWithFacts,
  edgesMs: readonly number[],
  distinct: Pick<DistinctVisits, "addFacts" | "all">,
  context: QueryContext,
): void {
  const spans = edgesMs.length - 1;
  const [startMs, endMs] = [edgesMs[0]!, edgesMs[spans]!];
  const period = { startMs, endMs: endMs - 1 };
  const { months } = factsAndRows(site, { period, filters: [] }, quarterMs, { edgesMs });
  if (months.length === 0) return;
  // A visit is in a span that it begins before and ends after, also where no row of it lies there.
  if (edgesMs.some((ms, at) => at > 0 && ms - edgesMs[at - 1]! < apartMsMax)) context.isApproximate = true;
  const quarterOf = (ms: number) => Math.round(ms / quarterMs);
  for (const month of new Set(months.map((part) => part.month))) {
    const facts = context.factsOf(month);
    const quarters = facts.quarters();
    const crossings = facts.crossings();
    const before = (part: number, ms: number) => quarters.visits[placeAt(ms) * quarterVisits + part]!;
    const placeAt = (ms: number) =>
      ms <= month.minMs ? 0 : ms > month.maxMs ? quarters.numbers.length : placeOf(quarters, quarterOf(ms));
    const visitsIn = (fromMs: number, toMs: number) => {
      let visits = before(quarterVisit.first, toMs) - before(quarterVisit.last, fromMs);
      // Those that go on in the next month are counted there too.
      for (let at = 0; at < crossings.lasts.length; at++)
        if (
          (fromMs <= month.minMs || crossings.lasts[at]! >= quarterOf(fromMs)) &&
          crossings.firsts[at]! < quarterOf(toMs)
        )
          visits -= crossings.visits[at]!;
      return visits;
    };
    const firstSpan = spanOf(edgesMs, month.minMs);
    for (let span = firstSpan; span < spans && edgesMs[span]! <= month.maxMs; span++) {
      distinct.addFacts(span, visitsIn(edgesMs[span]!, edgesMs[span + 1]!));
      context.factsAdded++;
    }
    distinct.all += visitsIn(startMs, endMs);
  }
}
