/** The columns of the lists: the metrics of their rows, by core's table; more of them where visits are told apart. */
import {
  goalMetrics,
  metricOf,
  rowKindOf,
  rowMetrics,
  type MetricName,
  type RowMetrics,
} from "../../../core/metric.ts";
import { columnOf, type Figure, type Shown } from "../../lib/metric.ts";
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
};

/** The columns of lists where visits are told apart, by the kind of their rows. */
const ofVisits: Readonly<Partial<Record<string, Names>>> = {
  list: [
    "visitors",
    "visitors_percentage",
    "visits",
    "views_per_visit",
    "bounce_percentage",
    "time_per_visit",
  ],
  pages: [
    "visitors",
    "visitors_percentage",
    "visits",
    "pageviews",
    "pageviews_percentage",
    "bounce_percentage",
    "time_total",
  ],
};

export function columnsOf(list: Tab["list"], { visits, goal }: Shown): Columns {
  const kind = rowKindOf(list);
  const { all: own, always }: RowMetrics = rowMetrics[kind];
  const ofGoal = goal === undefined ? [] : goalMetrics;
  const all = [...((visits ? ofVisits[kind] : undefined) ?? own), ...ofGoal];
  const usual = ownFew[list] ?? always;
  // Four columns beside the names would leave the names no room.
  const few = ofGoal.length === 0 ? usual : [...usual.slice(0, 1), ...ofGoal];
  const bar = all.find((name) => metricOf(name).format === "percentage") as MetricName;
  // By name, what is not known is left out, where the fields of the interface say 0.
  const asked = (names: Names): Parameters => ({ metrics: [...new Set(names)].join(",") });
  return {
    few: few.map(columnOf),
    all: all.map(columnOf),
    bar,
    asked: { few: asked([...few, bar]), all: asked(all) },
  };
}
