/** Builds the figures and the rows of answers from counts and measures. The tables of metrics decide which a row has. */
import { goalMetrics, rowFigures, type RowFigures, type RowKind } from "../../core/questions/metric.ts";
import { namedFigures, type NamedMeasures } from "../../core/questions/named-metric.ts";
import type { ByVisit, Period } from "../../core/questions/query.ts";

interface Asked extends Pick<ByVisit, "metrics" | "goal"> {
  readonly summary?: boolean;
}

/**
 * Returns the figures of a row: those that are asked for by name, which have another type, else the fields of the
 * interface, and those of the goal if there is one.
 */
export function figuresOf<K extends RowKind>(
  kind: K,
  { metrics, goal, summary }: Asked,
  measures: NamedMeasures<K>,
): RowFigures<K> {
  if (metrics !== undefined) return namedFigures(metrics, measures) as RowFigures<K>;
  const figures = rowFigures(kind, measures, summary);
  return goal === undefined ? figures : { ...figures, ...namedFigures(goalMetrics, measures) };
}

/** The figures of groups in one period, in the order of their rows. */
export type FiguresOf<F> = ReadonlyMap<number, F>;

/**
 * Counts the groups of a list in a period. `only`: the groups whose figures are asked for; those without a row are left
 * out. Without it, the groups are those that the query's offset and limit select.
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
