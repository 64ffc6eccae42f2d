/**
 * The endpoints of a website's statistics: a list for each dimension of the table, `time`, `properties` and `summary`.
 * They find the website, parse the query, and let the engine answer.
 */
import { Type, type TSchema } from "@sinclair/typebox";
import { listedDimensions, type ListedDimension } from "../../../core/questions/dimension.ts";
import { isDerived } from "../../../core/questions/stored-dimension.ts";
import { rowKindOf, type MetricName, type RowKind } from "../../../core/questions/metric.ts";
import { namedMetrics } from "../../../core/questions/named-metric.ts";
import { limitMax } from "../../../core/questions/query.ts";
import { badInput } from "../../../core/refusal.ts";
import { channelRules } from "../../../query/names/channels.ts";
import type { QueryParameter, ReaderCall, ReaderRoute } from "../../transport/route.ts";
import { metricsDescription, parseStatisticsQuery, scalars } from "../../parsing/statistics-query.ts";
import { listRow, pageRows, propertyRow, summaryAnswer } from "./rows.ts";
import { withGoal } from "./goals.ts";
import { answer, compareParameters, nowOf, statisticsRoute, withCompare } from "./answer.ts";

const page = ["limit", "offset"] as const;
const visitParameters = ["by", "metrics", "goal"] as const;
const propertyParameters = [...visitParameters, ...page, ...compareParameters] as const;
const rowParameters = ["summary", ...propertyParameters] as const;
const listParameters = [...rowParameters, "grouped", "locale"] as const;
const summaryParameters = [
  "previous",
  ...compareParameters,
  "interval",
  "timezone",
  "week_start",
  ...visitParameters,
] as const;
/** The parameters that only one list takes; other lists ignore them. */
const ownParameters: Readonly<Record<string, (typeof listParameters)[number]>> = {
  referrers: "grouped",
  languages: "locale",
};

interface Asked {
  readonly metrics: readonly string[] | undefined;
  readonly goal: number | undefined;
  readonly compare_start: number;
  readonly compare_end: number;
}

/** Returns a query with metrics that its rows have, its goal and the period to compare with. Throws Refusal 400. */
function asked<Q extends Asked>(call: ReaderCall, kind: RowKind, { metrics, ...query }: Q) {
  const names: readonly string[] = namedMetrics[kind];
  const refused = metrics?.find((name, at) => !names.includes(name) || metrics.indexOf(name) !== at);
  if (refused !== undefined) throw badInput("metrics", refused, `names of ${names.join(", ")}, each once`);
  return { ...withGoal(call, withCompare(query)), metrics: metrics as readonly MetricName[] | undefined };
}

/** Documents the metrics that rows of a kind have, which differ from those of lists. */
function metricsParameter(kind: RowKind): QueryParameter {
  return { name: "metrics", description: metricsDescription(kind), schema: scalars.metrics.schema };
}

function rowsOf(row: TSchema): TSchema {
  return Type.Array(row, { maxItems: limitMax });
}

function listRoute(dimension: ListedDimension): ReaderRoute {
  const { list, description } = dimension;
  const own = ownParameters[list];
  const rules = isDerived(dimension.name) ? channelRules() : [];
  const offered = [...rowParameters, ...(own === undefined ? [] : [own])];
  return {
    ...statisticsRoute(list, `${description}: visitors, bounces and time spent of each value`, rules),
    statistics: offered,
    answer: rowsOf(listRow(dimension)),
    handle: (call) =>
      answer(call, (raw) => ({
        list,
        nowMs: nowOf(call),
        ...asked(call, rowKindOf(list), parseStatisticsQuery(raw, listParameters, offered)),
      })),
  };
}

function pagesRoute(list: keyof typeof pageRows, summary: string): ReaderRoute {
  return {
    ...statisticsRoute(list, summary),
    query: [metricsParameter(list)],
    statistics: rowParameters,
    answer: rowsOf(pageRows[list]),
    handle: (call) =>
      answer(call, (raw) => ({
        list,
        nowMs: nowOf(call),
        ...asked(call, list, parseStatisticsQuery(raw, rowParameters)),
      })),
  };
}

export const statisticsRoutes: readonly ReaderRoute[] = [
  ...listedDimensions.map(listRoute),
  pagesRoute("entries", "Pages that visits began with: visits, and how many of them bounced"),
  pagesRoute("exits", "Pages that visits ended with so far"),
  pagesRoute("time", "Time on each page: median, quartiles, share of all time"),
  {
    ...statisticsRoute("properties", "Events of each custom property, or with prop_name[eq] of its values"),
    query: [metricsParameter("properties")],
    statistics: propertyParameters,
    answer: rowsOf(propertyRow),
    handle: (call) =>
      answer(call, (raw) => ({
        list: "properties",
        ...asked(call, "properties", parseStatisticsQuery(raw, propertyParameters)),
      })),
  },
  {
    ...statisticsRoute("summary", "Totals of the period, of the one before, and of each interval"),
    query: [metricsParameter("summary")],
    statistics: summaryParameters,
    answer: summaryAnswer,
    handle: (call) =>
      answer(call, (raw) => {
        const { interval, ...query } = asked(call, "summary", parseStatisticsQuery(raw, summaryParameters));
        if (query.previous && query.compare !== undefined)
          throw badInput(
            "previous",
            true,
            "either previous=true or a period by compare_start and compare_end",
          );
        const nowMs = call.services.engine.nowMs();
        return { list: "summary", nowMs, ...query, ...(interval !== undefined && { interval }) };
      }),
  },
];
