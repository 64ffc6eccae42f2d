/** Answers what `footfall stats` asks, as the dashboard would: by visit where the website has visits. */
import type { Website } from "../../accounts/registry.ts";
import { listColumns, totalMetrics } from "../../core/shown-metric.ts";
import { fieldsOf, optionalList, optionalText, requiredText } from "../../engine/admin/fields.ts";
import type { Engine } from "../../engine/engine.ts";
import { filterPair } from "../filter-pair.ts";
import { ownStatistics } from "../../http/own-statistics.ts";

export interface StatsInput {
  readonly hostname: string;
  /** The name of an endpoint, such as `pages` or `summary`. */
  readonly list: string;
  /** Such as `path[contains]=wp-login`. */
  readonly filters: readonly string[];
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
  const [start, end] = [optionalText(fields, "start"), optionalText(fields, "end")];
  const pairs: (readonly [string, string])[] = (optionalList(fields, "filters") ?? []).map(filterPair);
  if (start !== undefined && end !== undefined) pairs.push(["start", start], ["end", end]);
  if (list === "summary") {
    const [compareStart, compareEnd] = [
      optionalText(fields, "compareStart"),
      optionalText(fields, "compareEnd"),
    ];
    if (compareStart !== undefined && compareEnd !== undefined)
      pairs.push(["compare_start", compareStart], ["compare_end", compareEnd]);
    if (website.visits) pairs.push(["by", "visit"]);
    pairs.push(["metrics", totalMetrics[website.visits ? "visits" : "views"].join(",")]);
  } else {
    pairs.push(["limit", requiredText(fields, "limit")]);
    if (website.visits) pairs.push(["by", "visit"]);
    pairs.push(["metrics", listColumns(list, website).all.join(",")]);
  }
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return ownStatistics(engine, website, list, query);
}
