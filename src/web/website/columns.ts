/** The columns that the lists have: which field, under what name, in what form. */
import { count, duration, percent } from "../lib/format.ts";

/** A row of any list, as the API gives it. */
export type Row = Readonly<Record<string, string | number | boolean>>;

export interface Column {
  readonly field: string;
  readonly label: string;
  readonly format: (value: number) => string;
}

const visitors: Column = { field: "visitors", label: "Visitors", format: count };
const visitorsShare: Column = { field: "visitors_percentage", label: "% of visitors", format: percent };
const pageviews: Column = { field: "pageviews", label: "Page views", format: count };
const pageviewsShare: Column = { field: "pageviews_percentage", label: "% of views", format: percent };
const bounce: Column = { field: "bounce_percentage", label: "Bounce rate", format: percent };
const total: Column = { field: "duration", label: "Total time", format: duration };
const median: Column = { field: "duration", label: "Median time", format: duration };
const timeShare: Column = { field: "duration_percentage", label: "% of time", format: percent };
const lower: Column = { field: "duration_lower_quartile", label: "Lower quartile", format: duration };
const upper: Column = { field: "duration_upper_quartile", label: "Upper quartile", format: duration };
const events: Column = { field: "events", label: "Events", format: count };
const eventsShare: Column = { field: "events_percentage", label: "% of events", format: percent };

interface Columns {
  /** Beside the name in a panel; the field of `bar` is drawn behind the name. */
  readonly few: readonly Column[];
  readonly all: readonly Column[];
  /** Of 0 to 100. */
  readonly bar: string;
}

const dimensionColumns: Columns = {
  few: [visitors, visitorsShare],
  all: [visitors, visitorsShare, bounce, total],
  bar: visitorsShare.field,
};

const ownColumns: Readonly<Record<string, Columns>> = {
  pages: {
    few: [visitors, pageviews],
    all: [visitors, visitorsShare, pageviews, pageviewsShare, bounce, total],
    bar: visitorsShare.field,
  },
  time: { few: [median, timeShare], all: [median, timeShare, visitors, lower, upper], bar: timeShare.field },
  properties: { few: [events, eventsShare], all: [events, eventsShare], bar: eventsShare.field },
};

export function columnsOf(list: string): Columns {
  return ownColumns[list] ?? dimensionColumns;
}
