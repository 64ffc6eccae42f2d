/** Builds the figures and the rows of answers from counts and measures. The table of metrics decides which a row has. */
import { goalMetrics, type Measures } from "../../core/metric.ts";
import { namedFigures } from "../../core/named-metric.ts";
import type { ByVisit, Period } from "../../core/query.ts";

/** The measures that the rows of lists are made of; those that no list asks for are missing. */
export type ListMeasures = Omit<Measures, "lowerQuartileMs" | "upperQuartileMs" | "events" | "allEvents">;

/** Adds to figures those of the goal that is asked for, if there is one. */
export function withGoal<F extends object>(
  { goal }: Pick<ByVisit, "goal">,
  figures: F,
  measures: Pick<Measures, "conversions" | "visits">,
): F {
  return goal === undefined ? figures : { ...figures, ...namedFigures(goalMetrics, measures as Measures) };
}

/** The figures of groups in one period, in the order of their rows. */
export type FiguresOf<F> = ReadonlyMap<number, F>;

/**
 * Counts the groups of a list in a period. `only`: the groups whose figures are asked for; those without a row are left
 * out. Without it, the groups are those of the page that is asked for.
 */
export type CountGroups<F> = (period: Period, only?: Iterable<number>) => FiguresOf<F>;

export interface ListedGroups<N, F> {
  readonly count: CountGroups<F>;
  readonly namesOf: (group: number) => N;
  /** Whether the group stands for values past a limit. */
  readonly isOther: (group: number) => boolean;
}

/**
 * Returns the rows of a list. If the question compares periods, the other one is counted after its own, for the groups
 * that have a row: the counts of a thread hold one period at a time.
 */
export function rowsOf<N extends object, F extends object>(
  { period, compare }: { readonly period: Period; readonly compare?: Period | undefined },
  { count, namesOf, isOther }: ListedGroups<N, F>,
): (N & F & { readonly other?: true; readonly previous?: F })[] {
  const own = count(period);
  const before = compare && count(compare, own.keys());
  return Array.from(own, ([group, figures]) => {
    const previous = before?.get(group);
    return {
      ...namesOf(group),
      ...figures,
      ...(isOther(group) && { other: true as const }),
      ...(previous && { previous }),
    };
  });
}
