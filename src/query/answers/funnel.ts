/**
 * Answers a funnel: how many visits did its steps one after the other. A page view counts at the time of its load, an
 * event at its own; a later step counts only after the one before it. What has the same time counts in the order in which
 * it was recorded, page views before events. In memory it takes a byte for each visit, and what `inTimeOrder` does.
 */
import { percent } from "../../core/questions/metric.ts";
import { dayMs } from "../../core/hit.ts";
import type { FunnelFigures, FunnelRow } from "../../core/questions/answer.ts";
import type { FunnelQuery, Selection, Step } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { QueryContext } from "../cache/context.ts";
import { countVisits } from "../visits/span-visits.ts";
import { inTimeOrder, type MomentList, type MomentSource } from "../rows/in-time-order.ts";
import { pageViewsOf } from "../rows/page-views.ts";
import { SelectedProperties } from "../rows/selected-properties.ts";
import {
  compileTargets,
  targetRows,
  visitsThatReached,
  type CompiledTargets,
} from "../rows/filters/targets.ts";
import { VisitNumbers, type VisitSet } from "../rows/visit-numbers.ts";

export function answerFunnel(query: FunnelQuery, context: QueryContext): FunnelRow[] {
  const { compare, steps } = query;
  const own = figuresIn(query, context);
  const before = compare && figuresIn({ ...query, period: compare }, context);
  return steps.map(({ text }, at) => ({
    step: text,
    ...own[at]!,
    ...(before && { previous: before[at]! }),
  }));
}

/** Returns the figures of the steps in the period of the query. */
function figuresIn(query: FunnelQuery, context: QueryContext): readonly FunnelFigures[] {
  const { steps } = query;
  const compiled = compileTargets(
    steps.map(({ target }) => target),
    context,
  );
  const reached = steps.map(() => 0);
  const { filters, visits: chosen } = targetRows(query, context);
  const all = chosen?.size ?? countVisits(query, context);
  // If most visits never do the first step, what these do is left out; filters may narrow the others further.
  const [{ target: first }] = steps as readonly [Step];
  const reachedFirst = visitsThatReached(first, query.period, context);
  const counted = { period: query.period, filters };
  const begun = 2 * reachedFirst.size < all ? reachedFirst : undefined;
  const visits = begun === undefined ? chosen : (chosen?.intersection(begun) ?? begun);
  // By visit: how many steps it has done. The value of a moment has a bit for each step that it is.
  const done = new VisitNumbers();
  const stepsOfPath = Uint32Array.from(compiled.ofPath, bitsOf);
  const sources = [
    ...(compiled.paths === undefined ? [] : pageViewsOf(counted, visits, stepsOfPath, context)),
    ...eventsOf(counted, visits, compiled, context),
  ];
  inTimeOrder(sources, ({ visits, values }, from, to) => {
    for (let at = from; at < to; at++) {
      const step = done.get(visits[at]!);
      if ((values[at]! & (1 << step)) === 0) continue;
      done.set(visits[at]!, step + 1);
      reached[step]!++;
    }
  });
  return figuresOf(reached, all);
}

function figuresOf(reached: readonly number[], all: number): readonly FunnelFigures[] {
  return reached.map((visits, at) => {
    const before = at === 0 ? all : reached[at - 1]!;
    return {
      visits,
      ...(before > 0 && { step_percentage: percent(visits, before) }),
      ...(all > 0 && { total_percentage: percent(visits, all) }),
    };
  });
}

function eventsOf(
  counted: Selection,
  visits: VisitSet | undefined,
  { events, names }: CompiledTargets,
  context: QueryContext,
): MomentSource[] {
  if (events.length === 0) return [];
  const properties = new SelectedProperties(counted, context);
  const read = (chunk: Chunk, list: MomentList) => {
    const { propertyName, propertyValue, propertyRow, propertyTime, visit } = chunk;
    const indexes = properties.of(chunk, names, visits);
    for (let at = 0; at < indexes.length; at++) {
      const index = indexes[at]!;
      const own = visit[propertyRow[index]!]!;
      let steps = 0;
      for (const event of events)
        steps |= (event.names[propertyName[index]!]! & event.values[propertyValue[index]!]!) << event.index;
      if (steps !== 0) list.add(propertyTime[index]!, own, steps);
    }
  };
  return properties.chunks.map((chunk) => ({
    startMs: chunk.propertyMinMs,
    baseMs: chunk.monthMs - dayMs,
    read: (list: MomentList) => read(chunk, list),
  }));
}

function bitsOf(steps: readonly number[]): number {
  return steps.reduce((bits, step) => bits | (1 << step), 0);
}
