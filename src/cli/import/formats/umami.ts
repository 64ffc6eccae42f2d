/**
 * Umami's page views and events (version 3.1, also 2): the table `website_event` with the columns of `session`, as CSV or
 * as an object a line. That is the file of Umami Cloud's data export, and what a query makes of an own database. A session
 * is a visitor, and Umami's visits stay as they are, but for those that it takes apart while they go on.
 */
import { isUnderWayBefore } from "../../../collect/visits/visit-rules.ts";
import { bareHost } from "../../../core/addresses/referrer.ts";
import { visitPauseMs } from "../../../core/hit.ts";
import { utmNames } from "../../../core/questions/dimension.ts";
import { dimensionIndex } from "../../../core/questions/stored-dimension.ts";
import { noPastProperties } from "../../../record/record.ts";
import { eventOf, propertyName } from "./event-values.ts";
import { browserOf, countryOfCode, deviceOf, exportedRow, languageOfTag, osOf } from "./exported.ts";
import type { Format, ReaderContext, Reading, Row } from "./format.ts";
import { parseTime } from "./logs/log-line.ts";
import { RecentVisits } from "./recent-visits.ts";
import { tableFormat, type Columns } from "./table.ts";
import { valuesOf, type EventData } from "./umami-data.ts";
import { hashOf } from "../visitors.ts";

/** Umami's numbers of what a row is; the others are links, pixels and measured loading times. */
const kinds: ReadonlyMap<string, "view" | "event"> = new Map([
  ["1", "view"],
  ["2", "event"],
]);

/** The most visits and visitors that are known at once. In a longer file, some visits stay apart. */
const knownMax = 400_000;

export const umami = umamiFormat();

/** `data`: the values of events, where they are in a file of their own. */
export function umamiFormat(data?: EventData): Format {
  return tableFormat({
    name: "umami",
    description: "Umami's table of page views and events",
    example: "event_id,website_id,session_id,visit_id,created_at,url_path,…",
    madeBy:
      'psql "$DATABASE_URL" -c "COPY (SELECT e.*, s.browser, s.os, s.device, s.language, s.country, ' +
      "(SELECT json_object_agg(data_key, coalesce(to_json(number_value), to_json(string_value))) " +
      "FROM event_data WHERE website_event_id = e.event_id) event_data " +
      "FROM website_event e JOIN session s USING (session_id) WHERE e.website_id = 'ID' " +
      'ORDER BY e.created_at) TO STDOUT WITH (FORMAT csv, HEADER)" > umami.csv',
    hasEvents: true,
    hasEventValues: true,
    takesJson: true,
    required: ["session_id", "created_at", "url_path", "event_type"],
    open: (context) => {
      let websiteId: string | undefined;
      const visits = new RecentVisits(visitPauseMs, knownMax);
      return (columns) => {
        // A file may have the rows of several websites, and older versions kept no hostname.
        websiteId ??= columns("website_id");
        if (columns("hostname") === "" && columns("website_id") !== websiteId) return "host";
        const row = readRow(columns, context, data);
        return typeof row === "string" ? row : { ...row, visit: visitOf(row, context, visits) };
      };
    },
  });
}

/**
 * Returns a text that tells the visit of a row from others; "" where an older version kept none. Umami begins another visit
 * while one goes on: at every full hour where each page is loaded, and half an hour after the first page where an application
 * changes it.
 */
function visitOf(row: Row, { hostname, aliases = [] }: ReaderContext, visits: RecentVisits): string {
  const { kind, visitor, visit, timeMs, values, utm } = row;
  if (visit === "") return "";
  const [before = ""] = values[dimensionIndex.referrer]!.split("/", 1);
  const isOwn = before === "" || before === bareHost(hostname) || aliases.includes(before);
  // A row that arrives from elsewhere, or by a campaign, goes on with no other visit.
  const arrives = kind === "view" && (utm !== "" || !isOwn);
  const [own, ofVisitor] = [hashOf(`visit ${visit}`), hashOf(visitor)];
  const joined =
    visits.goingOn(own, timeMs) ?? (arrives ? undefined : visits.goingOn(ofVisitor, timeMs)) ?? own;
  visits.note([own, ofVisitor], joined, timeMs);
  return `${joined}`;
}

function readRow(columns: Columns, context: ReaderContext, data: EventData | undefined): Reading {
  const time = parseTime(columns("created_at"));
  const session = columns("session_id");
  if (time === undefined || session === "") return "unreadable";
  const kind = kinds.get(columns("event_type"));
  if (kind === undefined) return "other";
  const query = columns("url_query");
  const name = propertyName(columns("event_name"));
  const row = exportedRow(
    {
      time,
      kind,
      hostname: columns("hostname"),
      // Umami's path has the fragment too, which would take the query with it.
      target: (columns("url_path") || "/").replace(/#|$/, (end) => (query === "" ? end : `?${query}${end}`)),
      referrer: referrerIn(columns, context),
      dimensions: {
        ...Object.fromEntries(utmNames.map((utm) => [utm, columns(utm)])),
        browser: browserOf(columns("browser")),
        os: osOf(columns("os")),
        device: deviceOf(columns("device")),
        country: countryOfCode(columns("country")),
        language: languageOfTag(columns("language")),
      },
      visitor: session,
      visit: columns("visit_id"),
      properties:
        kind === "event" && name !== ""
          ? [eventOf(name, time.timeMs, valuesOf(columns, data))]
          : noPastProperties,
    },
    context,
  );
  // A visit that begins with a page of the website itself began before the file, or before a pause.
  return row === undefined ? "unreadable" : { ...row, isUnderWay: isUnderWayBefore(row) };
}

/** Returns the page before, as far as it is kept. Umami leaves out the domain of a page of the website itself. */
function referrerIn(columns: Columns, { hostname }: ReaderContext): string {
  const [domain, path] = [columns("referrer_domain"), columns("referrer_path")];
  if (domain === "") return path === "" ? "" : columns("hostname") || hostname;
  return path === "/" ? domain : domain + path;
}
