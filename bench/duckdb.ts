/** The same page views in DuckDB, on file, with two threads, and our questions written as its SQL. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { dimensions } from "../src/core/questions/dimension.ts";
import type { PageViewRow } from "./data.ts";

export interface Peer {
  /** Rows as arrays of numbers and strings. */
  ask(sql: string): Promise<unknown[][]>;
  close(): void;
}

const columns = dimensions.map(({ name }) => name);

export async function openPeer(folder: string, rows: Iterable<PageViewRow>): Promise<Peer> {
  const views = `${folder}/views.csv`;
  const events = `${folder}/events.csv`;
  writeCsv(views, events, rows);
  const peer = await reopenPeer(folder);
  const text = columns.map((name) => `${name} VARCHAR`).join(", ");
  await peer.ask(
    `CREATE TABLE views (time BIGINT, ${text}, is_unique BOOLEAN, is_first BOOLEAN, duration INTEGER, evented BOOLEAN)`,
  );
  await peer.ask(`CREATE TABLE events (time BIGINT, ${text}, name VARCHAR, value VARCHAR)`);
  for (const [table, file] of [
    ["views", views],
    ["events", events],
  ] as const) {
    await peer.ask(`COPY ${table} FROM '${file}' (FORMAT csv, DELIMITER '|', NULLSTR 'null')`);
    rmSync(file);
  }
  await peer.ask("CHECKPOINT");
  return peer;
}

/** Opens again what `openPeer` left in the folder. */
export function reopenPeer(folder: string): Promise<Peer> {
  return openDatabase(`${folder}/peer.duckdb`);
}

/** Opens a database in a file, or makes one. */
export async function openDatabase(path: string): Promise<Peer> {
  const instance = await DuckDBInstance.create(path, { threads: "2" });
  const connection = await instance.connect();
  return {
    ask: (sql) => ask(connection, sql),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function ask(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowsJS();
}

function writeCsv(views: string, events: string, rows: Iterable<PageViewRow>): void {
  const viewFile = openSync(views, "w");
  const eventFile = openSync(events, "w");
  let viewLines: string[] = [];
  const flush = () => {
    writeSync(viewFile, viewLines.join(""));
    viewLines = [];
  };
  for (const { timeMs, values, unique, seen, durationMs, evented, properties } of rows) {
    const common = `${timeMs}|${values.map((value) => `"${value}"`).join("|")}`;
    viewLines.push(
      `${common}|${unique}|${unique || !seen}|${durationMs < 0 ? "null" : durationMs}|${evented}\n`,
    );
    for (const [name, value] of properties) writeSync(eventFile, `${common}|${name}|${value}\n`);
    if (viewLines.length === 10_000) flush();
  }
  flush();
  closeSync(viewFile);
  closeSync(eventFile);
}

/** SQL for a list: the fields that Footfall returns, the best ${limit} rows. */
export function listSql(column: string, where: string, limit: number): string {
  const visitors = column === "path" ? "is_first" : "is_unique";
  return `
    WITH grouped AS (
      SELECT ${column} AS value, count(*) FILTER (${visitors}) AS visitors, count(*) AS pageviews,
        coalesce(sum(duration), 0) AS duration,
        count(*) FILTER (is_unique AND duration IS NOT NULL) AS known,
        count(*) FILTER (is_unique AND duration < 5000 AND NOT evented) AS bounces
      FROM views WHERE ${where} GROUP BY ${column})
    SELECT value, visitors, round(100 * visitors / nullif(sum(visitors) OVER (), 0), 2) AS share,
      round(100 * pageviews / sum(pageviews) OVER (), 2) AS pageshare, pageviews,
      round(100 * bounces / nullif(known, 0), 2) AS bounced, duration
    FROM grouped ${column.startsWith("utm") ? "WHERE value <> ''" : ""}
    ORDER BY visitors DESC, pageviews DESC, value LIMIT ${limit}`;
}

export function timeSql(where: string, limit: number): string {
  return `
    WITH grouped AS (
      SELECT path, count(*) FILTER (is_first) AS visitors, sum(duration) AS total,
        quantile_cont(duration, [0.25, 0.5, 0.75]) AS quartiles, count(duration) AS known
      FROM views WHERE ${where} GROUP BY path)
    SELECT path, visitors, round(100 * total / sum(total) OVER (), 2), quartiles[1], quartiles[2], quartiles[3]
    FROM grouped WHERE known > 0 ORDER BY total DESC, quartiles[2] DESC, path LIMIT ${limit}`;
}

export function propertiesSql(where: string, limit: number): string {
  return `
    SELECT name, count(*) AS events, 100 * count(*) / sum(count(*)) OVER () FROM events
    WHERE ${where} GROUP BY name ORDER BY events DESC, name LIMIT ${limit}`;
}

export function summarySql(where: string): string {
  return `
    SELECT count(*) FILTER (is_unique), count(*), count(*) FILTER (is_unique AND duration IS NOT NULL),
      count(*) FILTER (is_unique AND duration < 5000 AND NOT evented), quantile_cont(duration, 0.5)
    FROM views WHERE ${where}`;
}

/** Rows of visitors, page views, known durations, bounces and the median of each day; `day` counts them. */
export function daysSql(where: string, day: string): string {
  return `
    SELECT count(*) FILTER (is_unique), count(*), count(*) FILTER (is_unique AND duration IS NOT NULL),
      count(*) FILTER (is_unique AND duration < 5000 AND NOT evented), quantile_cont(duration, 0.5)
    FROM views WHERE ${where} GROUP BY ${day} ORDER BY ${day}`;
}
