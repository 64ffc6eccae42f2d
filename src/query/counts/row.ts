/** The rows of answers, made of what was counted and measured. Which figures they have says the table of metrics. */
import { otherLabel, type Dimension } from "../../core/dimension.ts";
import { addFigures, rowKindOf, type PageViewCounts, type RowMeasures } from "../../core/metric.ts";
import type { ListRow, PropertyRow, TimeRow, Totals } from "../../core/query.ts";

/** `label`: undefined for the values past a limit, which are counted together. `brief`: with `summary=true`. */
export function listRow(
  { list, field }: Dimension,
  label: string | undefined,
  measures: RowMeasures<"list" | "pages">,
  brief: boolean,
): ListRow {
  const named = { [field]: label ?? otherLabel };
  return withOther(addFigures(named, rowKindOf(list), measures, brief) as ListRow, label === undefined);
}

/** As `listRow`. */
export function timeRow(label: string | undefined, measures: RowMeasures<"time">, brief: boolean): TimeRow {
  return withOther(addFigures({ path: label ?? otherLabel }, "time", measures, brief), label === undefined);
}

/** `names`: of the property, and of its value where values have rows of their own. */
export function propertyRow(
  names: Pick<PropertyRow, "name" | "value">,
  isOther: boolean,
  measures: RowMeasures<"properties">,
): PropertyRow {
  return withOther(addFigures({ ...names }, "properties", measures), isOther);
}

/** The totals of a period or an interval. */
export function totalsOf(counts: PageViewCounts, medianMs: number): Totals {
  return addFigures({}, "summary", { ...counts, medianMs });
}

function withOther<R extends object>(row: R, isOther: boolean): R & { readonly other?: true } {
  return isOther ? { ...row, other: true } : row;
}
