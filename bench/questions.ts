/**
 * The questions of the benchmark, each asked in three ways: of Footfall, of DuckDB for exactly the fields that Footfall
 * returns, and as Medama asks DuckDB.
 */
import { dimensions, type Dimension } from "../src/core/questions/dimension.ts";
import type { ListRow } from "../src/core/questions/answer.ts";
import type { Filter, Period } from "../src/core/questions/query.ts";
import { answerList, answerProperties, answerSummary, answerTime } from "../test/support/answers.ts";
import type { SiteWithFacts } from "../src/facts/facts.ts";
import type { QueryContext } from "../src/query/cache/context.ts";
import { endMs, startMs } from "./data.ts";
import { daysSql, listSql, propertiesSql, summarySql, timeSql, type Peer } from "./duckdb.ts";
import {
  medamaDays,
  medamaList,
  medamaProperties,
  medamaSummary,
  medamaTime,
  medamaWhere,
} from "./medama.ts";

export type Row = readonly (number | string)[];
export type Figures = readonly [name: string | number, ...figures: number[]];

export interface Question {
  readonly name: string;
  /** How many times faster than DuckDB it has to be answered at a million rows. */
  readonly reach: number;
  ours(context: QueryContext): Row[];
  /** The same rows. */
  theirs(): Promise<Row[]>;
  readonly medama?: {
    ask(): Promise<Row[]>;
    /** The figures of a row of its answer that mean the same in ours, after a name that both have for the row. */
    figures(row: Row, at: number): Figures;
    ourFigures(row: Row, at: number): Figures;
  };
}

export const limit = 100;
const period: Period = { startMs, endMs };

/** The page views that a question is asked of: all, or those that some filters let through. */
interface Selection {
  /** Follows the names of its questions. */
  readonly which: string;
  readonly filters: readonly Filter[];
  readonly where: string;
  readonly medamaWhere: string;
  /** The same with the period on the time of events. */
  readonly medamaEventsWhere: string;
  readonly reach: number;
}

const everything = `time BETWEEN ${startMs} AND ${endMs}`;
const twoValues = { browser: "Chrome", country: "DE" } as const;
const selections: readonly Selection[] = [
  {
    which: "",
    filters: [],
    where: everything,
    medamaWhere: medamaWhere({}),
    medamaEventsWhere: medamaWhere({}, "events"),
    reach: 5,
  },
  {
    which: ", two filters",
    filters: [
      { name: "browser", operator: "eq", operands: ["Chrome"] },
      // Stored as its code, and asked for by its name.
      { name: "country", operator: "eq", operands: ["Germany"] },
    ],
    where: `${everything} AND browser = 'Chrome' AND country = 'DE'`,
    medamaWhere: medamaWhere(twoValues),
    medamaEventsWhere: medamaWhere(twoValues, "events"),
    reach: 3,
  },
];

export function* questions(site: SiteWithFacts, peer: Peer): Generator<Question> {
  const ask = async (sql: string) => (await peer.ask(sql)).map((row) => row.map(plain));
  for (const selection of selections) {
    for (const dimension of dimensions) yield listQuestion(site, ask, dimension, selection);
    yield timeQuestion(site, ask, selection);
    yield propertiesQuestion(site, ask, selection);
    yield summaryQuestion(site, ask, selection);
    for (const zone of zones) yield daysQuestion(site, ask, zone, selection);
  }
}

type Ask = (sql: string) => Promise<Row[]>;

function listQuestion(
  site: SiteWithFacts,
  ask: Ask,
  { name, list, field }: Dimension,
  selection: Selection,
): Question {
  const { which, filters, where, medamaWhere, reach } = selection;
  const page = { limit, offset: 0, summary: false, grouped: false, locale: true } as const;
  // DuckDB has codes where Footfall answers with names.
  const named = name === "country" || name === "language";
  const ours = (row: ListRow) =>
    [named ? "" : row[field], row["visitors"], row["bounce_percentage"], row["duration"]] as Row;
  const theirs = ([value, visitors, , , , bounced, duration]: Row) =>
    [named ? "" : value, visitors, bounced, duration] as Row;
  const campaign = name.startsWith("utm");
  const medamaSql = medamaList(name, medamaWhere, limit);
  return {
    name: `${list}${which}`,
    reach,
    ours: (context) => answerList(site, { list, period, filters, ...page }, context).map(ours),
    theirs: async () => (await ask(listSql(name, where, limit))).map(theirs),
    ...(medamaSql !== undefined && {
      medama: {
        // Values that are equal in visitors stand in another order: ranks have the same visitors, values not the same ranks.
        ask: async () => (await ask(medamaSql)).filter(([value]) => !campaign || value !== ""),
        figures: ([, visitors], at) => [at, visitors as number],
        ourFigures: ([, visitors], at) => [at, visitors as number],
      },
    }),
  };
}

function timeQuestion(site: SiteWithFacts, ask: Ask, selection: Selection): Question {
  const { which, filters, where, medamaWhere } = selection;
  const page = { list: "time", limit, offset: 0, summary: false } as const;
  return {
    name: `time${which}`,
    reach: 1.5,
    ours: (context) =>
      answerTime(site, { period, filters, ...page }, context).map((row) => [
        row.path,
        row.visitors ?? 0,
        row.duration_percentage,
        row.duration_lower_quartile ?? 0,
        row.duration,
        row.duration_upper_quartile ?? 0,
      ]),
    theirs: () => ask(timeSql(where, limit)),
    medama: {
      ask: () => ask(medamaTime(medamaWhere, limit)),
      figures: ([path, median, upper, lower]) => [path as string, ...([lower, median, upper] as number[])],
      ourFigures: ([path, , , lower, median, upper]) => [
        path as string,
        ...([lower, median, upper] as number[]),
      ],
    },
  };
}

function propertiesQuestion(site: SiteWithFacts, ask: Ask, selection: Selection): Question {
  const { which, filters, where, medamaEventsWhere, reach } = selection;
  const page = { list: "properties", limit, offset: 0 } as const;
  const figures = ([name, events]: Row) => [name as string, events as number] as const;
  return {
    name: `properties${which}`,
    reach,
    ours: (context) =>
      answerProperties(site, { period, filters, ...page }, context).map(({ name, events }) => [name, events]),
    theirs: async () =>
      (await ask(propertiesSql(where, limit))).map(([name, events]) => [name, events] as Row),
    medama: { ask: () => ask(medamaProperties(medamaEventsWhere, limit)), figures, ourFigures: figures },
  };
}

function summaryQuestion(site: SiteWithFacts, ask: Ask, selection: Selection): Question {
  const { which, filters, where, medamaWhere, reach } = selection;
  const query = { period, filters, previous: false, timezone: "UTC" };
  return {
    name: `summary${which}`,
    reach,
    ours: (context) => [totals(answerSummary(site, query, endMs, context).current)],
    theirs: async () => (await ask(summarySql(where))).map(theirTotals),
    medama: {
      ask: () => ask(medamaSummary(medamaWhere)),
      figures: ([visitors, pageviews, , median]) => [0, ...([visitors, pageviews, median] as number[])],
      ourFigures: ourTotals,
    },
  };
}

/** Summer time in the year that the page views are from. */
const berlinSummer = { startMs: Date.UTC(2026, 2, 29, 1), endMs: Date.UTC(2026, 9, 25, 1) };
const zones = [
  { timezone: "UTC", day: "time // 86400000" },
  {
    timezone: "Europe/Berlin",
    day: `(time + CASE WHEN time >= ${berlinSummer.startMs} AND time < ${berlinSummer.endMs}
      THEN 7200000 ELSE 3600000 END) // 86400000`,
  },
] as const;

function daysQuestion(
  site: SiteWithFacts,
  ask: Ask,
  { timezone, day }: (typeof zones)[number],
  selection: Selection,
): Question {
  const { which, filters, where, medamaWhere, reach } = selection;
  const query = { period, filters, previous: false, timezone, interval: "day" } as const;
  return {
    name: `days, ${timezone}${which}`,
    reach,
    // Days without page views are no rows of DuckDB's.
    ours: (context) =>
      (answerSummary(site, query, endMs, context).interval ?? [])
        .filter(({ pageviews }) => pageviews > 0)
        .map(totals),
    theirs: async () => (await ask(daysSql(where, day))).map(theirTotals),
    ...(timezone === "UTC" && {
      medama: {
        ask: async () => (await ask(medamaDays(medamaWhere))).filter(([, , pageviews]) => pageviews !== 0),
        figures: ([, visitors, pageviews, , median]: Row, at: number) =>
          [at, ...([visitors, pageviews, median] as number[])] as const,
        ourFigures: ourTotals,
      },
    }),
  };
}

function ourTotals([visitors, pageviews, , median]: Row, at: number) {
  return [at, ...([visitors, pageviews, median] as number[])] as const;
}

interface Totals {
  readonly visitors: number;
  readonly pageviews: number;
  readonly bounce_percentage: number;
  readonly duration: number;
}

function totals({ visitors, pageviews, bounce_percentage, duration }: Totals): Row {
  return [visitors, pageviews, bounce_percentage, duration];
}

function theirTotals([visitors, pageviews, known, bounces, median]: Row): Row {
  const bounced = known === 0 ? 0 : Math.round((1e4 * Number(bounces)) / Number(known)) / 100;
  return [visitors, pageviews, bounced, median] as Row;
}

function plain(value: unknown): number | string {
  return typeof value === "string" ? value : Number(value ?? 0);
}
