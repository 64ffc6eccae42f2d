/**
 * Medama's page views with their properties and events (version 0.6, schema 0007), as CSV that DuckDB's `COPY` makes of
 * its tables. Medama counts visitors as the server here does, and tells no visits apart.
 */
import { noPastProperties, type PastProperties } from "../../../record/record.ts";
import { pageViewOpenMs, propertyNameCharactersMax, propertyValueCharactersMax } from "../../../core/hit.ts";
import { countryCode } from "../../../query/names/country-codes.ts";
import { jsonValue } from "../../../lib/texts/json-object.ts";
import { browserOf, deviceOf, exportedRow, isTrue, osOf } from "./exported.ts";
import type { ReaderContext, Reading } from "./format.ts";
import { languageTag } from "./language-tag.ts";
import { parseTime } from "./logs/log-line.ts";
import { tableFormat, type Columns } from "./table.ts";

export const medama = tableFormat({
  name: "medama",
  description: "Medama's table of page views",
  example: "bid,hostname,pathname,is_unique_user,is_unique_page,referrer_host,…",
  madeBy:
    'duckdb -readonly me_analytics.db "COPY (SELECT v.*, (SELECT json_group_array(json_object(' +
    "'t', epoch_ms(e.date_created), 'n', e.name, 'v', e.value)) FROM events e WHERE e.bid = v.bid) " +
    "AS properties FROM views v ORDER BY v.date_created) TO 'medama.csv' (HEADER)\"",
  hasEvents: false,
  takesJson: false,
  required: ["hostname", "pathname", "is_unique_user", "is_unique_page", "date_created"],
  open: (context) => (columns) => readRow(columns, context),
});

function readRow(columns: Columns, context: ReaderContext): Reading {
  const time = parseTime(columns("date_created"));
  const duration = columns("duration_ms");
  if (time === undefined || !/^\d*$/.test(duration)) return "unreadable";
  const properties = propertiesOf(columns("properties"), time.timeMs);
  if (properties === undefined) return "unreadable";
  const row = exportedRow(
    {
      time,
      hostname: columns("hostname"),
      target: columns("pathname") || "/",
      referrer: columns("referrer_host"),
      dimensions: {
        utm_source: columns("utm_source"),
        utm_medium: columns("utm_medium"),
        utm_campaign: columns("utm_campaign"),
        browser: browserOf(columns("ua_browser")),
        os: osOf(columns("ua_os")),
        device: deviceOf(columns("ua_device_type")),
        country: countryCode(columns("country")) ?? "",
        language: languageTag(columns("language_base"), columns("language_dialect")),
      },
      flags: { unique: isTrue(columns("is_unique_user")), seen: !isTrue(columns("is_unique_page")) },
      visibleMs: duration === "" ? null : Number(duration),
      properties,
    },
    context,
  );
  return row ?? "unreadable";
}

/** A property and its time in milliseconds, as `madeBy` writes it. */
interface Property {
  readonly t?: unknown;
  readonly n?: unknown;
  readonly v?: unknown;
}

/** Parses the list. Those of the page view's own time came with its load; the others are events. */
function propertiesOf(text: string, loadMs: number): readonly PastProperties[] | undefined {
  if (text === "") return noPastProperties;
  const list = jsonValue(text);
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length === 0) return noPastProperties;
  return (list as readonly (Property | null)[]).flatMap((property): PastProperties[] => {
    const { t, n, v } = property ?? {};
    if (typeof t !== "number" || typeof n !== "string" || typeof v !== "string") return [];
    if (n === "" || n.length > propertyNameCharactersMax || v.length > propertyValueCharactersMax) return [];
    const timeMs = Math.floor(t);
    if (Math.abs(timeMs - loadMs) > pageViewOpenMs) return [];
    return [
      { timeMs, isEvent: timeMs !== loadMs, properties: [[n.toWellFormed(), v.toWellFormed()]], numbers: [] },
    ];
  });
}
