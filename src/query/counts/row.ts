/** Builds the rows of answers from counts and measures. The table of metrics decides which figures a row has. */
import { otherLabel, type Dimension } from "../../core/dimension.ts";
import { addFigures, rowKindOf, type PageViewCounts, type RowMeasures } from "../../core/metric.ts";
import type { ListRow, PropertyRow, TimeRow, Totals } from "../../core/query.ts";

/** `label`: undefined for the row that sums up the values past a limit. `brief`: as asked by `summary=true`. */
export function listRow(
  { list, field }: Dimension,
  label: string | undefined,
  measures: RowMeasures<"list" | "pages">,
  brief: boolean,
): ListRow {
  const named = { [field]: label ?? otherLabel };
  return withOther(addFigures(named, rowKindOf(list), measures, brief) as ListRow, label === undefined);
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

/** Returns the totals of a period or an interval. */
export function totalsOf(counts: PageViewCounts, medianMs: number): Totals {
  return addFigures({}, "summary", { ...counts, medianMs });
}

function withOther<R extends object>(row: R, isOther: boolean): R & { readonly other?: true } {
  return isOther ? { ...row, other: true } : row;
}
