/** The columns of the lists: the metrics of their rows, by core's table. */
import { rowKindOf, rowMetrics, type MetricName, type RowMetrics } from "../../../core/metric.ts";
import { columnOf, type Figure } from "../../lib/metric.ts";
import type { Tab } from "./panels.ts";

interface Columns {
  /** The columns beside the name in a panel. */
  readonly few: readonly Figure[];
  readonly all: readonly Figure[];
  /** The share, from 0 to 100, that the bar behind the name shows. */
  readonly bar: Figure["field"];
  /** The parameters with which only the few columns are asked for, so that the server need not count the others. */
  readonly fewOnly: Readonly<Record<string, boolean>>;
}

/** The columns of panels that show others than those that every row has. */
const ownFew: Readonly<Partial<Record<Tab["list"], readonly MetricName[]>>> = {
  pages: ["visitors", "pageviews"],
};

export function columnsOf(list: Tab["list"]): Columns {
  const { all, always }: RowMetrics = rowMetrics[rowKindOf(list)];
  const columns = all.map(columnOf);
  const share = columns.find(({ format }) => format === "percentage") as Figure;
  const few = ownFew[list] ?? always;
  // The list of properties has no such parameter.
  const brief = list !== "properties" && few.every((name) => always.includes(name));
  const fewOnly: Columns["fewOnly"] = brief ? { summary: true } : {};
  return { few: few.map(columnOf), all: columns, bar: share.field, fewOnly };
}
