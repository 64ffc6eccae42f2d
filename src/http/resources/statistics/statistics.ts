/**
 * The endpoints of a website's statistics: a list for each dimension of the table, `time`, `properties` and `summary`.
 * They find the website, parse the query, and let the engine answer.
 */
import { Type, type TSchema } from "@sinclair/typebox";
import { listedDimensions, type ListedDimension } from "../../../core/dimension.ts";
import { isDerived } from "../../../core/stored-dimension.ts";
import type { MetricName } from "../../../core/metric.ts";
import { summaryMetrics } from "../../../core/named-metric.ts";
import { limitMax } from "../../../core/query.ts";
import { badInput } from "../../../core/refusal.ts";
import { channelRules } from "../../../query/names/channels.ts";
import type { ReaderRoute } from "../../transport/route.ts";
import { parseStatisticsQuery } from "../../transport/statistics-query.ts";
import { entriesRow, listRow, propertyRow, summaryAnswer, timeRow } from "./rows.ts";
import { withGoal } from "./goals.ts";
import { answer, compareParameters, nowOf, statisticsRoute, withCompare } from "./answer.ts";

const page = ["limit", "offset"] as const;
const rowParameters = ["summary", "by", ...page, ...compareParameters] as const;
const propertyParameters = ["by", ...page, ...compareParameters] as const;
const visitParameters = ["by", "metrics", "goal"] as const;
const entriesParameters = [...rowParameters, "goal"] as const;
const listParameters = [...rowParameters, "metrics", "goal", "grouped", "locale"] as const;
const summaryParameters = [
  "previous",
  ...compareParameters,
  "interval",
  "timezone",
  "week_start",
  ...visitParameters,
] as const;
const ofSummary: ReadonlySet<MetricName> = new Set(summaryMetrics);
/** The parameters that only one list takes; other lists ignore them. */
const ownParameters: Readonly<Record<string, (typeof listParameters)[number]>> = {
  referrers: "grouped",
  languages: "locale",
};

function rowsOf(row: TSchema): TSchema {
  return Type.Array(row, { maxItems: limitMax });
}

function listRoute(dimension: ListedDimension): ReaderRoute {
  const { list, description } = dimension;
  const own = ownParameters[list];
  const rules = isDerived(dimension.name) ? channelRules() : [];
  const offered = [
    ...rowParameters,
    "metrics" as const,
    "goal" as const,
    ...(own === undefined ? [] : [own]),
  ];
  return {
    ...statisticsRoute(list, `${description}: visitors, bounces and time spent of each value`, rules),
    statistics: offered,
    answer: rowsOf(listRow(dimension)),
    handle: (call) =>
      answer(call, (raw) => ({
        list,
        nowMs: nowOf(call),
        ...withGoal(call, withCompare(parseStatisticsQuery(raw, listParameters, offered))),
      })),
  };
}

function entriesRoute(list: "entries" | "exits", summary: string): ReaderRoute {
  return {
    ...statisticsRoute(list, summary),
    statistics: entriesParameters,
    answer: rowsOf(entriesRow(list)),
    handle: (call) =>
      answer(call, (raw) => ({
        list,
        nowMs: nowOf(call),
        ...withGoal(call, withCompare(parseStatisticsQuery(raw, entriesParameters))),
      })),
  };
}

export const statisticsRoutes: readonly ReaderRoute[] = [
  ...listedDimensions.map(listRoute),
  entriesRoute("entries", "Pages that visits began with: visits, and how many of them bounced"),
  entriesRoute("exits", "Pages that visits ended with so far"),
  {
    ...statisticsRoute("time", "Time on each page: median, quartiles, share of all time"),
    statistics: entriesParameters,
    answer: rowsOf(timeRow),
    handle: (call) =>
      answer(call, (raw) => ({
        list: "time",
        ...withGoal(call, withCompare(parseStatisticsQuery(raw, entriesParameters))),
      })),
  },
  {
    ...statisticsRoute("properties", "Events of each custom property, or with prop_name[eq] of its values"),
    statistics: propertyParameters,
    answer: rowsOf(propertyRow),
    handle: (call) =>
      answer(call, (raw) => ({
        list: "properties",
        ...withCompare(parseStatisticsQuery(raw, propertyParameters)),
      })),
  },
  {
    ...statisticsRoute("summary", "Totals of the period, of the one before, and of each interval"),
    statistics: summaryParameters,
    answer: summaryAnswer,
    handle: (call) =>
      answer(call, (raw) => {
        const asked = withCompare(parseStatisticsQuery(raw, summaryParameters));
        if (asked.previous && asked.compare !== undefined)
          throw badInput(
            "previous",
            true,
            "either previous=true or a period by compare_start and compare_end",
          );
        const { interval, ...query } = withGoal(call, asked);
        const ofRows = query.metrics?.find((name) => !ofSummary.has(name));
        if (ofRows !== undefined) throw badInput("metrics", ofRows, `names of ${summaryMetrics.join(", ")}`);
        const nowMs = call.services.engine.nowMs();
        return { list: "summary", nowMs, ...query, ...(interval !== undefined && { interval }) };
      }),
  },
];
