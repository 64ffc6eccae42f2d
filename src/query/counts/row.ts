/** Builds the rows of answers from counts and measures. The table of metrics decides which figures a row has. */
import { otherLabel, type ListedDimension } from "../../core/dimension.ts";
import {
  addFigures,
  goalMetrics,
  namedFigures,
  rowKindOf,
  type Measures,
  type MetricName,
  type RowMeasures,
} from "../../core/metric.ts";
import type { ByVisit, EntriesRow, ListRow, NamedRow, PropertyRow, TimeRow } from "../../core/query.ts";

/** `label`: undefined for the row that sums up the values past a limit. `brief`: as asked by `summary=true`. */
export function listRow(
  { list, field }: ListedDimension,
  label: string | undefined,
  measures: RowMeasures<"list" | "pages">,
  brief: boolean,
): ListRow {
  const named = { [field]: label ?? otherLabel };
  return withOther(addFigures(named, rowKindOf(list), measures, brief) as ListRow, label === undefined);
}

/** The measures that the rows of lists are made of; those that no list asks for are missing. */
export type ListMeasures = Omit<Measures, "lowerQuartileMs" | "upperQuartileMs" | "events" | "allEvents">;

/** Returns a row with the metrics that were asked for by name. */
export function namedRow(
  { field }: ListedDimension,
  label: string | undefined,
  names: readonly MetricName[],
  measures: ListMeasures,
): NamedRow {
  const figures = namedFigures(names, measures as Measures);
  return withOther({ [field]: label ?? otherLabel, ...figures } as NamedRow, label === undefined);
}

/** Adds to a row the metrics of the goal that is asked for, if there is one. */
export function withGoal<R extends object>(
  { goal }: Pick<ByVisit, "goal">,
  row: R,
  measures: Pick<Measures, "conversions" | "visits">,
): R {
  return goal === undefined ? row : { ...row, ...namedFigures(goalMetrics, measures as Measures) };
}

/** Returns a row of the pages that visits began or ended with. */
export function entriesRow(
  list: "entries" | "exits",
  label: string | undefined,
  measures: RowMeasures<"entries">,
  brief: boolean,
): EntriesRow {
  const row = { path: label ?? otherLabel };
  const figures: object = addFigures<"entries" | "exits", typeof row>(row, list, measures, brief);
  return withOther(figures as EntriesRow, label === undefined);
}

/** Does the same as `listRow` for the list of pages by time. */
export function timeRow(label: string | undefined, measures: RowMeasures<"time">, brief: boolean): TimeRow {
  return withOther(addFigures({ path: label ?? otherLabel }, "time", measures, brief), label === undefined);
}

/** `names`: the name of the property, and its value if values have rows of their own. */
export function propertyRow(
  names: Pick<PropertyRow, "name" | "value">,
  isOther: boolean,
  measures: RowMeasures<"properties">,
): PropertyRow {
  return withOther(addFigures({ ...names }, "properties", measures), isOther);
}

function withOther<R extends object>(row: R, isOther: boolean): R & { readonly other?: true } {
  return isOther ? { ...row, other: true } : row;
}
