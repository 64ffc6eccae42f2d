/**
 * Medama's way to the same figures: its schema, and its questions as one writes them for these columns in DuckDB.
 * Learnt from github.com/medama-io/medama at 105b931 (core/migrations, core/db/filter.go, core/db/duckdb), the closest
 * product. Its lists give medians of time where Footfall gives totals, count bounces from 100 ms on, and list the empty
 * value of a campaign's fields too; so only figures that mean the same in both are compared.
 */
import type { DimensionName } from "../src/core/questions/dimension.ts";
import { endMs, startMs } from "./data.ts";
import type { Peer } from "./duckdb.ts";

/** Medama's columns by dimension, without the dimensions that it has no column for. */
const columns: Readonly<Partial<Record<DimensionName, string>>> = {
  path: "pathname",
  referrer: "referrer_host",
  utm_source: "utm_source",
  utm_medium: "utm_medium",
  utm_campaign: "utm_campaign",
  browser: "ua_browser",
  os: "ua_os",
  device: "ua_device_type",
  country: "country",
  language: "language_dialect",
};

const timestamp = (ms: number) => `CAST('${new Date(ms).toISOString()}' AS TIMESTAMPTZ)`;

/** A beacon of 16 characters for the page view of that time; no two have the same. */
const beacon = "substr(md5(time::VARCHAR), 1, 16)";

/** Fills its tables from those of the peer. */
export async function addMedama(peer: Peer): Promise<void> {
  await peer.ask("CREATE SCHEMA medama");
  await peer.ask(`
    CREATE TABLE medama.views (
      bid TEXT, hostname TEXT NOT NULL, pathname TEXT NOT NULL, is_unique_user BOOLEAN NOT NULL,
      is_unique_page BOOLEAN NOT NULL, referrer_host TEXT, referrer_group TEXT, country TEXT, language_base TEXT,
      language_dialect TEXT, ua_browser TEXT NOT NULL, ua_os TEXT NOT NULL, ua_device_type TEXT NOT NULL,
      utm_source TEXT, utm_medium TEXT, utm_campaign TEXT, duration_ms UINTEGER, date_created TIMESTAMPTZ NOT NULL)`);
  await peer.ask(`
    INSERT INTO medama.views
    SELECT ${beacon}, 'bench.example', path, is_unique, is_first, split_part(referrer, '/', 1), '', country,
      split_part(language, '-', 1), language, browser, os, device, utm_source, utm_medium, utm_campaign, duration,
      make_timestamptz(time * 1000)
    FROM main.views`);
  await peer.ask(`
    CREATE TABLE medama.events (
      batch_id TEXT NOT NULL, group_name TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
      date_created TIMESTAMPTZ NOT NULL, bid TEXT)`);
  await peer.ask(`
    INSERT INTO medama.events
    SELECT md5(time::VARCHAR), 'bench.example', name, value, make_timestamptz(time * 1000), ${beacon}
    FROM main.events`);
  await peer.ask("CHECKPOINT");
}

/**
 * The whole period, of the time of page views or, as Medama's properties have it, of events; `equal` are the columns that
 * have to have a value, whatever its case.
 */
export function medamaWhere(
  equal: Partial<Record<DimensionName, string>>,
  timeOf: "views" | "events" = "views",
): string {
  const filters = Object.entries(equal).map(
    ([name, value]) => `${columns[name as DimensionName]} ILIKE '${value.toLowerCase()}'`,
  );
  return [
    "hostname = 'bench.example'",
    ...filters,
    `${timeOf}.date_created >= ${timestamp(startMs)}`,
    `${timeOf}.date_created <= ${timestamp(endMs)}`,
  ].join(" AND ");
}

const visitors = "count(*) FILTER (is_unique_user) AS visitors";
const firstViews = "count(*) FILTER (is_unique_page) AS visitors";
const known = "count(*) FILTER (is_unique_user AND duration_ms IS NOT NULL)";
const bounces = "count(*) FILTER (is_unique_user AND duration_ms BETWEEN 100 AND 5000)";
const bounceRate = `CASE WHEN ${known} > 5 THEN round(${bounces} / ${known}, 4) ELSE 0 END AS bounce_rate`;
const duration = "CAST(ifnull(median(duration_ms), 0) AS INTEGER) AS duration";

/** Rows of value, visitors, …; undefined if Medama has no such list. */
export function medamaList(name: DimensionName, where: string, limit: number): string | undefined {
  const column = columns[name];
  if (column === undefined) return undefined;
  const share = "ifnull(round(visitors / (SELECT total_visitors FROM total), 4), 0)";
  if (name !== "path")
    return `
      WITH total AS MATERIALIZED (
        SELECT count(*) FILTER (is_unique_user) AS total_visitors FROM medama.views WHERE ${where})
      SELECT ${column}, ${visitors}, ${share}, ${bounceRate}, ${duration}
      FROM medama.views WHERE ${where} GROUP BY ${column} ORDER BY visitors DESC, ${column} LIMIT ${limit}`;
  return `
    WITH total AS MATERIALIZED (
      SELECT count(*) FILTER (is_unique_page) AS total_visitors, count(*) AS total_pageviews
      FROM medama.views WHERE ${where})
    SELECT pathname, ${firstViews}, ${share}, count(*) AS pageviews,
      ifnull(round(pageviews / (SELECT total_pageviews FROM total), 4), 0), ${bounceRate}, ${duration}
    FROM medama.views WHERE ${where} GROUP BY pathname HAVING visitors > 0
    ORDER BY visitors DESC, pageviews DESC, pathname LIMIT ${limit}`;
}

/** Rows of path, median, upper and lower quartile, share, visitors. */
export function medamaTime(where: string, limit: number): string {
  const quantile = (p: number) => `CAST(ifnull(quantile_cont(duration_ms, ${p}), 0) AS INTEGER)`;
  return `
    WITH durations AS MATERIALIZED (
      SELECT pathname, ${quantile(0.5)} AS duration, ${quantile(0.75)} AS upper, ${quantile(0.25)} AS lower,
        ${firstViews}, sum(duration_ms) AS total
      FROM medama.views WHERE ${where} GROUP BY pathname HAVING duration > 0 AND lower > 0 AND visitors >= 3)
    SELECT pathname, duration, upper, lower, ifnull(round(total / (SELECT sum(total) FROM durations), 4), 0), visitors
    FROM durations ORDER BY visitors DESC, duration DESC, pathname LIMIT ${limit}`;
}

/** Rows of name, events, share; `where` is about the time of events (core/services/properties.go). */
export function medamaProperties(where: string, limit: number): string {
  return `
    WITH total AS MATERIALIZED (
      SELECT count(*) FILTER (name IS NOT NULL) AS total_events
      FROM medama.views LEFT JOIN medama.events USING (bid) WHERE ${where})
    SELECT name, count(*) AS events, ifnull(round(count(*) / (SELECT total_events FROM total), 4), 0)
    FROM medama.views LEFT JOIN medama.events USING (bid) WHERE ${where}
    GROUP BY name ORDER BY events DESC, name LIMIT ${limit}`;
}

/** One row of visitors, page views, bounce rate, median. */
export function medamaSummary(where: string): string {
  return `SELECT ${visitors}, count(*), ${bounceRate}, ${duration} FROM medama.views WHERE ${where}`;
}

/** A row for every day of the period: its start, visitors, page views, bounce rate, median. */
export function medamaDays(where: string): string {
  const day = "INTERVAL '1 DAY'";
  return `
    WITH intervals AS MATERIALIZED (
      SELECT generate_series AS interval
      FROM generate_series(${timestamp(startMs)}, ${timestamp(endMs)}, ${day})),
    stats AS MATERIALIZED (
      SELECT time_bucket(${day}, views.date_created, ${timestamp(startMs)}) AS interval,
        ${visitors}, count(*) AS pageviews, ${bounceRate}, ${duration}
      FROM medama.views WHERE ${where} GROUP BY interval)
    SELECT CAST(intervals.interval AS VARCHAR) AS day, coalesce(stats.visitors, 0), coalesce(stats.pageviews, 0),
      coalesce(stats.bounce_rate, 0.0), coalesce(stats.duration, 0)
    FROM intervals LEFT JOIN stats USING (interval) ORDER BY day`;
}
