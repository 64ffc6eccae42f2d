/** The figures that messages tell of. */
import type { Website } from "../../accounts/registry/registry.ts";
import type { AnyRow, GoalFigures, NamedSummary } from "../../core/questions/answer.ts";
import type { Period } from "../../core/questions/query.ts";
import { totalMetrics } from "../../core/questions/shown-metric.ts";
import type { Goal } from "../../core/website/goal.ts";
import type { Engine } from "../../engine/engine.ts";
import { ownStatistics } from "../../http/own-statistics.ts";

const iso = (ms: number) => new Date(ms).toISOString();
const ofSpan = ({ startMs, endMs }: Period) => ({ start: iso(startMs), end: iso(endMs) });
const compared = ({ startMs, endMs }: Period) => ({ compare_start: iso(startMs), compare_end: iso(endMs) });

export type GoalRow = { readonly name: string; readonly previous?: GoalFigures } & GoalFigures;

/** Asks for the figures of a website: those of the dashboard, by visit where it has visits. */
export class Figures {
  constructor(
    private readonly engine: Engine,
    private readonly website: Website,
  ) {}

  async count(metric: "visitors" | "pageviews", span: Period): Promise<number> {
    const { current } = (await this.ask("summary", { ...ofSpan(span), metrics: metric })) as NamedSummary;
    return current[metric] ?? 0;
  }

  /** Returns the totals of the dashboard. */
  totals(span: Period, before: Period): Promise<NamedSummary> {
    const metrics = totalMetrics[this.website.visits ? "visits" : "views"].join(",");
    const asked = { ...ofSpan(span), ...compared(before), metrics };
    return this.ask("summary", asked) as Promise<NamedSummary>;
  }

  /** Returns the first rows of a list with their visitors. */
  rows(list: string, span: Period, before: Period | undefined, limit: number): Promise<readonly AnyRow[]> {
    const asked = { ...ofSpan(span), ...(before && compared(before)), metrics: "visitors", limit };
    return this.ask(list, asked) as Promise<readonly AnyRow[]>;
  }

  async goals(goals: readonly Goal[], period: Period, compare?: Period): Promise<readonly GoalRow[]> {
    if (goals.length === 0) return [];
    const question = { list: "goals", period, compare, filters: [], goals, onlyNames: true } as const;
    const { json } = await this.engine.ask(this.website.websiteId, question);
    return JSON.parse(json) as readonly GoalRow[];
  }

  private ask(list: string, parameters: Readonly<Record<string, string | number>>): Promise<unknown> {
    const all = { ...parameters, ...(this.website.visits && { by: "visit" }) };
    const pairs = Object.entries(all).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return ownStatistics(this.engine, this.website, list, pairs.join("&"));
  }
}
