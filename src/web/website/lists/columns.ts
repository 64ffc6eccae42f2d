/** The columns of the lists: the metrics of their rows, by core's table; more of them where visits are told apart. */
import {
  amountMetric,
  goalMetrics,
  metricOf,
  rowKindOf,
  rowMetrics,
  type MetricName,
  type RowMetrics,
} from "../../../core/questions/metric.ts";
import { hasAmounts, listColumns, type Shown } from "../../../core/questions/shown-metric.ts";
import { columnOf, type Figure } from "../../lib/texts/metric.ts";
import type { Parameters } from "../../lib/question/paths.ts";
import type { Tab } from "./panels.ts";

interface Columns {
  /** The columns beside the name in a panel. */
  readonly few: readonly Figure[];
  readonly all: readonly Figure[];
  /** The share, from 0 to 100, that the bar behind the name shows. */
  readonly bar: MetricName;
  /** The parameters that ask for all columns, and those for the few, with which the server need not count the others. */
  readonly asked: { readonly few: Parameters; readonly all: Parameters };
}

type Names = readonly MetricName[];

/** The columns of panels that show others than those that every row has. */
const ownFew: Readonly<Partial<Record<Tab["list"], Names>>> = {
  pages: ["visitors", "pageviews"],
  exits: ["visits", "exit_percentage"],
};

function maybeShown(list: Tab["list"]): Names {
  return hasAmounts(list) ? [...goalMetrics, amountMetric] : goalMetrics;
}

/** `isSearched`: a search selects rows as a filter would, so that the shares would be those of what was found. */
export function columnsOf(list: Tab["list"], shown: Shown, isSearched = false): Columns {
  const { always }: RowMetrics = rowMetrics[rowKindOf(list)];
  const { all, ofGoal } = listColumns(list, shown);
  const usual = ownFew[list] ?? always;
  // Four columns beside the names would leave the names no room: the amount takes the place of the rate.
  const few = ofGoal.length === 0 ? usual : [...usual.slice(0, 1), ofGoal[0]!, ofGoal.at(-1)!];
  const bar = all.find((name) => metricOf(name).format === "percentage") as MetricName;
  // By name, what is not known is left out, where the fields of the interface say 0.
  const asked = (names: Names): Parameters => ({ metrics: [...new Set(names)].join(",") });
  const kept = (names: Names) => names.filter((name) => !(isSearched && metricOf(name).isOfAll));
  return {
    few: kept(few).map(columnOf),
    // A dialog may have no room for all: what a goal adds comes before the others.
    all: kept([...new Set([...all.slice(0, 1), ...ofGoal, ...all])]).map(columnOf),
    bar,
    // Whether the goal has amounts may be known later than the list is asked for.
    asked: {
      few: asked([...few, bar, ...(ofGoal.length > 0 ? maybeShown(list) : [])]),
      all: asked(kept(all)),
    },
  };
}
