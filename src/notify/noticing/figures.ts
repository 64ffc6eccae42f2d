/** Asks the engine for the figures of messages: those of the dashboard, by visit where the website has visits. */
import type { Website } from "../../accounts/registry/registry.ts";
import type { AnyRow, GoalFigures, NamedSummary } from "../../core/questions/answer.ts";
import type { Period } from "../../core/questions/query.ts";
import { totalMetrics } from "../../core/questions/shown-metric.ts";
import type { Goal } from "../../core/website/goal.ts";
import type { Engine } from "../../engine/engine.ts";
import { ownStatistics } from "../../http/own-statistics.ts";

const iso = (ms: number) => new Date(ms).toISOString();

function ask(
  engine: Engine,
  website: Website,
  list: string,
  parameters: Readonly<Record<string, string | number>>,
): Promise<unknown> {
  const all = { ...parameters, ...(website.visits && { by: "visit" }) };
  const pairs = Object.entries(all).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return ownStatistics(engine, website, list, pairs.join("&"));
}

const ofSpan = ({ startMs, endMs }: Period) => ({ start: iso(startMs), end: iso(endMs) });
const compared = ({ startMs, endMs }: Period) => ({ compare_start: iso(startMs), compare_end: iso(endMs) });

export async function countIn(
  engine: Engine,
  website: Website,
  metric: "visitors" | "pageviews",
  span: Period,
): Promise<number> {
  const asked = { ...ofSpan(span), metrics: metric };
  const { current } = (await ask(engine, website, "summary", asked)) as NamedSummary;
  return current[metric] ?? 0;
}

/** Returns the totals of the dashboard. */
export function totalsIn(
  engine: Engine,
  website: Website,
  span: Period,
  before: Period,
): Promise<NamedSummary> {
  const metrics = totalMetrics[website.visits ? "visits" : "views"].join(",");
  const asked = { ...ofSpan(span), ...compared(before), metrics };
  return ask(engine, website, "summary", asked) as Promise<NamedSummary>;
}

/** Returns the first rows of a list with their visitors. */
export function rowsIn(
  engine: Engine,
  website: Website,
  list: string,
  span: Period,
  before: Period | undefined,
  limit: number,
): Promise<readonly AnyRow[]> {
  const asked = { ...ofSpan(span), ...(before && compared(before)), metrics: "visitors", limit };
  return ask(engine, website, list, asked) as Promise<readonly AnyRow[]>;
}

export type GoalRow = { readonly name: string; readonly previous?: GoalFigures } & GoalFigures;

export async function goalsIn(
  engine: Engine,
  { websiteId }: Website,
  goals: readonly Goal[],
  period: Period,
  compare?: Period,
): Promise<readonly GoalRow[]> {
  if (goals.length === 0) return [];
  const question = { list: "goals", period, compare, filters: [], goals, onlyNames: true } as const;
  return JSON.parse((await engine.ask(websiteId, question)).json) as readonly GoalRow[];
}
