/**
 * Every list on Footfall's columns and on DuckDB, in turn in one run, asked for the same fields of the same
 * rows; the answers must agree before a time counts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dimensions, type Dimension } from "../src/core/dimension.ts";
import type { Filter, ListRow, Period } from "../src/core/query.ts";
import { answerList, answerProperties, answerSummary, answerTime } from "../src/query/answer.ts";
import { Site } from "../src/store/site.ts";
import { endMs, fillSite, pageViews, startMs } from "./data.ts";
import { listSql, openPeer, propertiesSql, summarySql, timeSql, type Peer } from "./duckdb.ts";
import { alternate, table, type Cell } from "./measure.ts";

const limit = 100;
const period: Period = { startMs, endMs };
const everywhere = `time BETWEEN ${startMs} AND ${endMs}`;
/** Country "DE" is stored as its code and asked for by its name. */
const filters: readonly Filter[] = [
  { name: "browser", operator: "eq", operands: ["Chrome"] },
  { name: "country", operator: "eq", operands: ["Germany"] },
];
const filtered = `${everywhere} AND browser = 'Chrome' AND country = 'DE'`;

type Numbers = (number | string)[][];

interface Question {
  readonly name: string;
  readonly reach: number;
  ours(): Numbers;
  theirs(): Promise<Numbers>;
}

export interface QueryResult {
  readonly name: string;
  readonly oursMs: number;
  readonly theirsMs: number;
  readonly reach: number;
}

export async function benchQueries(
  rows: number,
  runs: number,
): Promise<{ results: QueryResult[]; hash: string }> {
  const folder = mkdtempSync(join(tmpdir(), "footfall-bench-"));
  try {
    const site = new Site(1);
    fillSite(site, pageViews(rows));
    const peer = await openPeer(folder, pageViews(rows));
    const digest = new Bun.CryptoHasher("sha256");
    const results: QueryResult[] = [];
    for (const question of questions(site, peer)) {
      digest.update(JSON.stringify(await agreed(question)));
      const times = await alternate(runs, question.ours, question.theirs);
      results.push({ name: question.name, reach: question.reach, ...times });
    }
    peer.close();
    return { results, hash: digest.digest("hex").slice(0, 16) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function queryTable(results: readonly QueryResult[]): string {
  const rows = results.map(({ name, oursMs, theirsMs, reach }): Cell[] => {
    const ratio = theirsMs / oursMs;
    return [name, oursMs, theirsMs, ratio, reach, ratio >= reach ? "yes" : "no"];
  });
  return table(["question", "Footfall ms", "DuckDB ms", "times faster", "to reach", "reached"], rows);
}

function* questions(site: Site, peer: Peer): Generator<Question> {
  for (const [which, where, some, reach] of [
    ["", everywhere, [], 5],
    [", two filters", filtered, filters, 3],
  ] as const) {
    for (const dimension of dimensions) yield listQuestion(site, peer, dimension, which, where, some, reach);
    const selection = { period, filters: some, limit, offset: 0 };
    yield {
      name: `time${which}`,
      reach: 1.5,
      ours: () => answerTime(site, { ...selection, list: "time", summary: false }).map(timeNumbers),
      theirs: async () => (await peer.ask(timeSql(where, limit))).map((row) => row.map(plain)),
    };
    yield {
      name: `properties${which}`,
      reach,
      ours: () =>
        answerProperties(site, { ...selection, list: "properties" }).map(({ name, events }) => [
          name,
          events,
        ]),
      theirs: async () =>
        (await peer.ask(propertiesSql(where, limit))).map(([name, events]) => [plain(name), plain(events)]),
    };
    yield {
      name: `summary${which}`,
      reach,
      ours: () => summaryNumbers(site, some),
      theirs: async () => (await peer.ask(summarySql(where))).map(theirSummary),
    };
  }
}

function listQuestion(
  site: Site,
  peer: Peer,
  { name, list, field }: Dimension,
  which: string,
  where: string,
  some: readonly Filter[],
  reach: number,
): Question {
  const query = {
    list,
    period,
    filters: some,
    limit,
    offset: 0,
    summary: false,
    grouped: false,
    locale: true,
  } as const;
  const named = name === "country" || name === "language";
  const ours = (row: ListRow) => [
    named ? "" : row[field],
    row["visitors"],
    row["bounce_percentage"],
    row["duration"],
  ];
  const theirs = ([value, visitors, , , , bounced, duration]: unknown[]) =>
    [named ? "" : value, visitors, bounced ?? 0, duration].map(plain);
  return {
    name: `${list}${which}`,
    reach,
    ours: () => answerList(site, query).map(ours) as Numbers,
    theirs: async () => (await peer.ask(listSql(name, where, limit))).map(theirs),
  };
}

function timeNumbers(row: ReturnType<typeof answerTime>[number]): (number | string)[] {
  const {
    path,
    visitors = 0,
    duration_percentage,
    duration_lower_quartile = 0,
    duration,
    duration_upper_quartile = 0,
  } = row;
  return [path, visitors, duration_percentage, duration_lower_quartile, duration, duration_upper_quartile];
}

function summaryNumbers(site: Site, some: readonly Filter[]): Numbers {
  const query = { period, filters: some, previous: false, timezone: "UTC" };
  const { visitors, pageviews, bounce_percentage, duration } = answerSummary(site, query, endMs).current;
  return [[visitors, pageviews, bounce_percentage, duration]];
}

function theirSummary([visitors, pageviews, known, bounces, duration]: unknown[]): (number | string)[] {
  const bounced = Math.round((1e4 * Number(bounces)) / Number(known)) / 100;
  return [plain(visitors), plain(pageviews), bounced, plain(duration)];
}

function plain(value: unknown): number | string {
  return typeof value === "string" ? value : Number(value);
}

/** Our answer, after holding it against theirs: equal but for the rounding of the last digit. */
async function agreed({ name, ours, theirs }: Question): Promise<Numbers> {
  const mine = ours();
  const other = await theirs();
  const same =
    mine.length === other.length &&
    mine.every((row, at) => row.every((cell, column) => near(cell, other[at]?.[column])));
  if (!same) {
    const at = mine.findIndex(
      (row, index) => !row.every((cell, column) => near(cell, other[index]?.[column])),
    );
    throw new Error(`${name}: row ${at}: ${JSON.stringify(mine[at])} against ${JSON.stringify(other[at])}`);
  }
  return mine;
}

function near(mine: unknown, theirs: unknown): boolean {
  if (typeof mine !== "number" || typeof theirs !== "number") return mine === theirs;
  return Math.abs(mine - theirs) <= (Number.isInteger(mine) ? 0.5 : 0.011);
}
