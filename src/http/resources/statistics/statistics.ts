/**
 * The endpoints of a website's statistics: a list for each dimension of the table, `time`, `properties` and `summary`.
 * They find the website, parse the query, and let the engine answer.
 */
import { Type, type TSchema } from "@sinclair/typebox";
import { dimensions, type Dimension } from "../../../core/dimension.ts";
import { limitMax, type Question } from "../../../core/query.ts";
import { rawQuery } from "../../transport/query-string.ts";
import { JsonText, type SessionCall, type SessionRoute } from "../../transport/route.ts";
import { parseStatisticsQuery } from "../../transport/statistics-query.ts";
import { listRow, propertyRow, summaryAnswer, timeRow } from "./rows.ts";
import { websiteOf } from "../websites.ts";

const page = ["limit", "offset"] as const;
const rowParameters = ["summary", ...page] as const;
const listParameters = [...rowParameters, "grouped", "locale"] as const;
const summaryParameters = ["previous", "interval", "timezone"] as const;
/** The parameters that only one list takes; other lists ignore them. */
const ownParameters: Readonly<Record<string, (typeof listParameters)[number]>> = {
  referrers: "grouped",
  languages: "locale",
};

function rowsOf(row: TSchema): TSchema {
  return Type.Array(row, { maxItems: limitMax });
}

function listRoute(dimension: Dimension): SessionRoute {
  const { list, description } = dimension;
  const own = ownParameters[list];
  const offered = own === undefined ? rowParameters : [...rowParameters, own];
  return {
    ...statisticsRoute(list, `${description}: visitors, bounces and time spent of each value`),
    statistics: offered,
    answer: rowsOf(listRow(dimension)),
    handle: (call) =>
      answer(call, (raw) => ({ list, ...parseStatisticsQuery(raw, listParameters, offered) })),
  };
}

export const statisticsRoutes: readonly SessionRoute[] = [
  ...dimensions.map(listRoute),
  {
    ...statisticsRoute("time", "Time on each page: median, quartiles, share of all time"),
    statistics: rowParameters,
    answer: rowsOf(timeRow),
    handle: (call) => answer(call, (raw) => ({ list: "time", ...parseStatisticsQuery(raw, rowParameters) })),
  },
  {
    ...statisticsRoute("properties", "Events of each custom property, or with prop_name[eq] of its values"),
    statistics: page,
    answer: rowsOf(propertyRow),
    handle: (call) => answer(call, (raw) => ({ list: "properties", ...parseStatisticsQuery(raw, page) })),
  },
  {
    ...statisticsRoute("summary", "Totals of the period, of the one before, and of each interval"),
    statistics: summaryParameters,
    answer: summaryAnswer,
    handle: (call) =>
      answer(call, (raw) => {
        const { interval, ...query } = parseStatisticsQuery(raw, summaryParameters);
        const nowMs = call.services.engine.nowMs();
        return { list: "summary", nowMs, ...query, ...(interval !== undefined && { interval }) };
      }),
  },
];

function statisticsRoute(name: string, summary: string): Omit<SessionRoute, "handle"> {
  return {
    method: "GET",
    path: `/website/:hostname/${name}`,
    access: "session",
    summary,
    description:
      "Referrer and campaign describe the page view that carried them; visitors of several days are the sum " +
      "of the days.",
    status: 200,
    // As in the API's own list of errors, also for lists that it does not describe.
    errors: name === "pages" || name === "time" ? [400, 404] : [400, 403, 404],
  };
}

/** Answers the question in the raw query. The header Server-Timing describes the work it took. */
async function answer(call: SessionCall, read: (raw: string) => Question): Promise<JsonText> {
  const { services, request, headers } = call;
  const { websiteId } = websiteOf(call);
  const question = Object.freeze(read(rawQuery(request.url)));
  const { json, timing } = await services.engine.ask(websiteId, question, request.signal);
  headers["server-timing"] = timing;
  return new JsonText(json);
}
