/**
 * The events of Google Analytics 4 as BigQuery has them, in the tables `events_YYYYMMDD`
 * (https://support.google.com/analytics/answer/7029846): as CSV in which nested columns are JSON, or as an object a line.
 * Google's ids of browsers and sessions tell visitors and visits apart while the file is read, and are not kept.
 */
import type { LogTime } from "../logs/log-line.ts";
import { isUnderWayBefore } from "../../../../collect/visits/visit-rules.ts";
import { utmNames } from "../../../../core/questions/dimension.ts";
import { parseUrl } from "../../../../core/addresses/url.ts";
import { normalizeReferrer } from "../../../../core/addresses/referrer.ts";
import { urlCharactersMax, visibleMsMax } from "../../../../core/hit.ts";
import { isJsonObject, type JsonObject } from "../../../../lib/texts/json-object.ts";
import { noPastProperties, type PastProperties } from "../../../../record/record.ts";
import { browserOf, deviceOf, exportedRow, languageOfTag, osOf } from "../exported.ts";
import { eventOf, ofPageView, propertyName, type Pair } from "../event-values.ts";
import type { ReaderContext, Reading, Row } from "../format.ts";
import { countryOfGoogle } from "./country.ts";
import { fieldOf, nestedFields, paramsOf, textOf, valuesOf, type Params } from "./params.ts";
import { tableFormat, type Columns } from "../table.ts";

export const ga4 = tableFormat({
  name: "ga4",
  description: "the events of Google Analytics 4 in BigQuery",
  example: "event_timestamp,event_name,user_pseudo_id,event_params,device,geo,…",
  // Events of one batch have one time, and a place in the batch. Of two exports the rows are the same, in the same order.
  madeBy:
    "bq --quiet query --nouse_legacy_sql --format=csv --max_rows=1000000000 'SELECT event_timestamp, event_name, " +
    "user_pseudo_id, TO_JSON_STRING(event_params) event_params, TO_JSON_STRING(STRUCT(device.category, " +
    "device.operating_system, device.language, device.browser, STRUCT(device.web_info.browser) AS web_info)) device, " +
    "TO_JSON_STRING(STRUCT(geo.country)) geo, TO_JSON_STRING(collected_traffic_source) collected_traffic_source " +
    'FROM `PROJECT.analytics_ID.events_*` WHERE _TABLE_SUFFIX BETWEEN "20000101" AND "29991231" ' +
    "ORDER BY event_timestamp, user_pseudo_id, batch_page_id, batch_ordering_id, batch_event_index, " +
    'event_name != "page_view", event_name, 4\' > ga4.csv',
  hasEvents: true,
  hasEventValues: true,
  takesJson: true,
  // BigQuery leaves columns without a value out of an object, as user_pseudo_id is where nobody consented.
  required: ["event_timestamp", "event_name", "event_params"],
  open: (context) => (columns) => readRow(columns, context),
});

/** Events that say nothing of what a visitor did; their other parameters are those of the page view that they came with. */
const silentEvents: ReadonlySet<string> = new Set(["session_start", "first_visit"]);
/** They say how long a page was in view. That somebody scrolled comes by itself, and would make a visit of one page no bounce. */
const timeEvents: ReadonlySet<string> = new Set(["user_engagement", "scroll"]);
/** A page view says how long the page before it was in view, where that was not left; where it was, some milliseconds of its own. */
const beforeMsMin = 100;

function readRow(columns: Columns, context: ReaderContext): Reading {
  const time = timeOf(columns("event_timestamp"));
  const name = columns("event_name");
  if (time === undefined || name === "") return "unreadable";
  if (silentEvents.has(name)) return "other";
  const params = paramsOf(columns("event_params"));
  const device = nestedFields(columns("device"));
  const geo = nestedFields(columns("geo"));
  const source = nestedFields(columns("collected_traffic_source"));
  if (params === undefined || device === undefined || geo === undefined || source === undefined)
    return "unreadable";
  const location = textOf(params.get("page_location"));
  // Events of apps have none, nor have those that servers sent without it.
  if (location === "") return "other";
  if (location.length > urlCharactersMax) return "unreadable";
  const url = parseUrl(location);
  if (url === null) return "unreadable";
  if (!/^https?:$/.test(url.protocol)) return "host";
  return readEvent({ time, name, params, url, visitor: columns("user_pseudo_id") }, context, {
    ...utmOf(url, source),
    ...dimensionsOf(device, geo),
  });
}

interface Event {
  readonly time: LogTime;
  readonly name: string;
  readonly params: Params;
  /** The URL of the page. */
  readonly url: URL;
  /** "" where the visitor did not consent to be known again. */
  readonly visitor: string;
}

function readEvent(
  { time, name, params, url, visitor }: Event,
  context: ReaderContext,
  dimensions: Readonly<Record<string, string>>,
): Reading {
  const kind = name === "page_view" ? "view" : timeEvents.has(name) ? "time" : "event";
  const spentMs = visitor === "" ? 0 : spentMsOf(params);
  if (kind === "time" && spentMs === 0) return "other";
  const session = textOf(params.get("ga_session_id"));
  const referrer = textOf(params.get("page_referrer"));
  const row = exportedRow(
    {
      time,
      kind,
      hostname: url.hostname,
      target: url.pathname + url.search + url.hash,
      // Without a scheme of the web it is no source, and may have a path of somebody's own.
      referrer: normalizeReferrer(referrer) === undefined ? "" : referrer,
      dimensions,
      visitor,
      visit: visitor === "" || session === "" ? "" : `${visitor} ${session}`,
      // Nobody knows whether page views without a visitor are of one or of many: they count as page views only.
      ...(visitor === "" && { flags: { unique: false, seen: true } }),
      visibleMs: kind === "view" || spentMs === 0 ? null : spentMs,
      ...(kind === "view" && spentMs >= beforeMsMin && { beforeMs: spentMs }),
      properties: propertiesOf(kind, name, time.timeMs, valuesOf(params)),
    },
    context,
  );
  // A visit that begins with a page of the website itself began before the file, or before the visitor consented.
  return row === undefined ? "unreadable" : { ...row, isUnderWay: isUnderWayBefore(row) };
}

function propertiesOf(
  kind: Row["kind"],
  name: string,
  timeMs: number,
  values: readonly Pair[],
): readonly PastProperties[] {
  if (kind === "event") return [eventOf(propertyName(name), timeMs, values)];
  return kind === "time" || values.length === 0 ? noPastProperties : [ofPageView(timeMs, values)];
}

/** Parses microseconds since 1970. */
function timeOf(text: string): LogTime | undefined {
  return /^\d{1,18}$/.test(text) && Number(text) / 1_000 < timeMsMax
    ? { timeMs: Math.floor(Number(text) / 1_000), offsetMs: 0 }
    : undefined;
}

/** The greatest time that a date can have. */
const timeMsMax = 8.64e15;

/** Returns the time since the event before that says one; 0 for none. */
function spentMsOf(params: Params): number {
  const ms = Math.floor(Number(textOf(params.get("engagement_time_msec"))));
  return ms > 0 ? Math.min(ms, visibleMsMax) : 0;
}

/** Google's names of the values that came with an event. `traffic_source` would be those of the first visit of all. */
const collectedNames: Readonly<Record<string, string>> = {
  utm_source: "manual_source",
  utm_medium: "manual_medium",
  utm_campaign: "manual_campaign_name",
  utm_content: "manual_content",
  utm_term: "manual_term",
};

/** Media that Google finds by the referrer, which is kept itself. */
const foundMedia: ReadonlySet<string> = new Set(["organic", "referral"]);

/** Returns the utm values that the URL lacks, as far as they were collected and not found out. */
function utmOf({ searchParams }: URL, source: JsonObject): Readonly<Record<string, string>> {
  if (foundMedia.has(fieldOf(source, "manual_medium"))) return {};
  const lacking = utmNames.filter((utm) => !searchParams.get(utm));
  return Object.fromEntries(
    // A value in brackets is Google's word for none.
    lacking.map((utm) => [utm, fieldOf(source, collectedNames[utm]!).replace(/^\([^]*\)$/, "")]),
  );
}

function dimensionsOf(device: JsonObject, geo: JsonObject): Readonly<Record<string, string>> {
  const { web_info: webInfo } = device;
  const browser = isJsonObject(webInfo) ? fieldOf(webInfo, "browser") : "";
  return {
    // Older rows have it beside.
    browser: browserOf(browser || fieldOf(device, "browser")),
    os: osOf(fieldOf(device, "operating_system")),
    device: deviceOf(fieldOf(device, "category")),
    country: countryOfGoogle(fieldOf(geo, "country")),
    language: languageOfTag(fieldOf(device, "language")),
  };
}
