/** Answers what `footfall stats` asks, as the dashboard would: by visit where the website has visits. */
import type { Website } from "../../accounts/registry.ts";
import { badInput } from "../../core/refusal.ts";
import { listColumns, totalMetrics } from "../../core/questions/shown-metric.ts";
import {
  fieldsOf,
  optionalList,
  optionalText,
  requiredText,
  type Fields,
} from "../../engine/admin/fields.ts";
import type { Engine } from "../../engine/engine.ts";
import { filterPair } from "../control/filter-pair.ts";
import { ownStatistics } from "../../http/own-statistics.ts";

export interface StatsInput {
  readonly hostname: string;
  /** The name of an endpoint, such as `pages`, `summary` or `goals`. */
  readonly list: string;
  /** Filters as in a URL, such as `path[contains]=wp-login`. */
  readonly filters: readonly string[];
  /** The steps of a funnel, as the API has them: `page:/pricing`. */
  readonly steps: readonly string[];
  readonly limit: string;
  /** RFC 3339 date-times, both inclusive; without them all time is asked for. */
  readonly start?: string;
  readonly end?: string;
  /** The period that totals are compared with. */
  readonly compareStart?: string;
  readonly compareEnd?: string;
}

/** Throws Refusal 400, and 404 for what a filter or the list does not have. */
export function statisticsFor(engine: Engine, website: Website, input: unknown): Promise<unknown> {
  const fields = fieldsOf(input);
  const list = requiredText(fields, "list");
  const steps = optionalList(fields, "steps") ?? [];
  if (steps.length > 0 && list !== "funnel") throw badInput("list", list, "funnel, which alone has steps");
  const [start, end] = [optionalText(fields, "start"), optionalText(fields, "end")];
  const pairs: (readonly [string, string])[] = (optionalList(fields, "filters") ?? []).map(filterPair);
  if (start !== undefined && end !== undefined) pairs.push(["start", start], ["end", end]);
  if (website.visits) pairs.push(["by", "visit"]);
  pairs.push(...ownPairs(list, website, steps, fields));
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return ownStatistics(engine, website, list, query);
}

/** Returns the parameters that a list has besides those of all. */
function ownPairs(
  list: string,
  website: Website,
  steps: readonly unknown[],
  fields: Fields,
): readonly (readonly [string, string])[] {
  if (list === "goals") return [];
  if (list === "funnel") return steps.map((step) => ["step", String(step)] as const);
  if (list !== "summary")
    return [
      ["limit", requiredText(fields, "limit")],
      ["metrics", listColumns(list, website).all.join(",")],
    ];
  const metrics = ["metrics", totalMetrics[website.visits ? "visits" : "views"].join(",")] as const;
  const [start, end] = [optionalText(fields, "compareStart"), optionalText(fields, "compareEnd")];
  if (start === undefined || end === undefined) return [metrics];
  return [["compare_start", start], ["compare_end", end], metrics];
}
