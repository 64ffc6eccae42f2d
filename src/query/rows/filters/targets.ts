/** Compiles goals and steps of funnels for ids: of paths, and of names and values of properties. */
import type { Target } from "../../../core/website/goal.ts";
import type { Filter, GoalsQuery, Period } from "../../../core/questions/query.ts";
import type { CompiledGoals } from "../../../facts/months/converted.ts";
import type { CompiledEvent } from "../../../facts/months/read-events.ts";
import { pathDictionary } from "../../../store/values/dictionaries.ts";
import { QueryContext } from "../../cache/context.ts";
import type { ReadSite } from "../../../store/mirror/read-site.ts";
import { pathMask, type Mask } from "./mask.ts";
import { propertyMasks } from "./property-mask.ts";
import { distinctVisits } from "../selected-visits.ts";
import type { VisitSet } from "../visit-numbers.ts";

export interface CompiledTargets extends CompiledGoals {
  /** The names that any event has, or any amount. */
  readonly names: Mask;
}

/** Compiles the goals of a month that is reduced. */
export function compileGoals(site: ReadSite, goals: readonly Target[]): CompiledGoals {
  return compileTargets(goals, new QueryContext(site));
}

export function compileTargets(targets: readonly Target[], context: QueryContext): CompiledTargets {
  const { site } = context;
  const paths = new Uint8Array(pathDictionary(site).size);
  const ofPath = Array.from(paths, (): number[] => []);
  const events: CompiledEvent[] = [];
  const names = new Uint8Array(site.propertyNames.size);
  const add = (mask: Mask) => mask.forEach((isNamed, id) => (names[id]! |= isNamed));
  targets.forEach((target, index) => {
    if ("page" in target)
      pathMask(filtersOf(target), context).forEach((isReached, id) => {
        if (isReached) ofPath[id]!.push(index);
        paths[id]! |= isReached;
      });
    else {
      const masks = propertyMasks(filtersOf(target), context);
      const { amount } = target.event;
      const amounts = amount === null ? undefined : namesMask(amount, context);
      events.push({ index, ...masks, amounts });
      add(masks.names);
      if (amounts !== undefined) add(amounts);
    }
  });
  const hasPages = targets.some((target) => "page" in target);
  return { paths: hasPages ? paths : undefined, ofPath, events, names };
}

/** Returns the filters that select the page views of a target, or the page views and events with its property. */
export function filtersOf(target: Target): readonly Filter[] {
  if ("page" in target) return target.page.map((condition) => ({ name: "path", ...condition }));
  const { propName, propValue } = target.event;
  const named: Filter = { name: "prop_name", operator: "eq", operands: [propName] };
  return propValue === null
    ? [named]
    : [named, { name: "prop_value", operator: "eq", operands: [propValue] }];
}

function namesMask(name: string, context: QueryContext): Mask {
  return propertyMasks([{ name: "prop_name", operator: "eq", operands: [name] }], context).names;
}

/** Returns the visits that reached a target in the period, whatever else is filtered. Throws Cancelled. */
export function visitsThatReached(target: Target, period: Period, context: QueryContext): VisitSet {
  const own = filtersOf(target);
  return "page" in target
    ? distinctVisits({ period, filters: [] }, context, own)
    : distinctVisits({ period, filters: own }, context);
}

/** The rows in which the targets of a question count. */
export interface TargetRows {
  /** The rows have to pass these. */
  readonly filters: readonly Filter[];
  /** The rows have to be of these visits; undefined: of any, or of none. */
  readonly visits: VisitSet | undefined;
}

/**
 * Returns where the targets of a question count: in its selected rows, and with `by` in all that the visits with a
 * selected row did in the period. Throws Cancelled.
 */
export function targetRows(
  query: Pick<GoalsQuery, "period" | "filters" | "by" | "heldTo">,
  context: QueryContext,
): TargetRows {
  const { by, filters, heldTo = [] } = query;
  if (by === undefined || filters.length === 0) return { filters, visits: undefined };
  return { filters: heldTo, visits: distinctVisits(query, context) };
}
