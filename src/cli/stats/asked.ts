/** Answers what `footfall stats` asks, as the dashboard would: by visit where the website has visits. */
import type { Website } from "../../accounts/registry/registry.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import { amountMetric } from "../../core/questions/metric.ts";
import { listColumns, totalMetrics, type Shown } from "../../core/questions/shown-metric.ts";
import { hasAmount } from "../../core/website/goal.ts";
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
import { goalNamed } from "./goal-named.ts";
import type { AskedPeriod } from "./period.ts";

export interface StatsInput extends Omit<AskedPeriod, "words" | "compareWords"> {
  readonly hostname: string;
  /** The name of an endpoint, such as `pages`, `summary` or `goals`. */
  readonly list: string;
  /** Filters as in a URL, such as `path[contains]=wp-login`. */
  readonly filters: readonly string[];
  /** The steps of a funnel, as the API has them: `page:/pricing`. */
  readonly steps: readonly string[];
  /** The name of a saved funnel, in place of steps. */
  readonly funnel: string | undefined;
  /** The id or the name of the goal whose conversions, rate and amount are shown. */
  readonly goal: string | undefined;
  /** The path of the page of journeys, and whether the pages after it or before it are asked for. */
  readonly page: string | undefined;
  readonly direction: string | undefined;
  readonly limit: string;
}

/** Throws Refusal 400, and 404 for what a filter or the list does not have. */
export function statisticsFor(engine: Engine, website: Website, input: unknown): Promise<unknown> {
  const fields = fieldsOf(input);
  const list = requiredText(fields, "list");
  const ofFunnel = optionalText(fields, "funnel") ?? optionalList(fields, "steps")?.[0];
  if (ofFunnel !== undefined && list !== "funnel")
    throw badInput("list", list, "funnel, which alone has a name and steps");
  const steps = askedSteps(website, fields);
  const [page, direction] = [optionalText(fields, "page"), optionalText(fields, "direction")];
  if ((page ?? direction) !== undefined && list !== "journeys")
    throw badInput("list", list, "journeys, which alone has a page and a direction");
  const [start, end] = [optionalText(fields, "start"), optionalText(fields, "end")];
  const pairs: (readonly [string, string])[] = (optionalList(fields, "filters") ?? []).map(filterPair);
  if (start !== undefined && end !== undefined) pairs.push(["start", start], ["end", end]);
  if (website.visits) pairs.push(["by", "visit"]);
  const shown = shownFor(website, list, optionalText(fields, "goal"));
  if (shown.goal !== undefined) pairs.push(["goal", String(shown.goal)]);
  pairs.push(...ownPairs(list, shown, steps, fields));
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return ownStatistics(engine, website, list, query);
}

/** `goal`: the id or the name of one. Throws Refusal 400 for a list without figures of a goal, and for a goal that is none. */
function shownFor(website: Website, list: string, goal: string | undefined): Shown {
  const { visits } = website;
  if (goal === undefined) return { visits };
  if (list === "goals" || list === "funnel" || list === "journeys")
    throw badInput("list", list, "summary or a list whose rows have figures of a goal");
  const { id, target } = goalNamed(website, goal);
  return { visits, goal: id, amount: hasAmount(target) };
}

/** Returns the steps that are given, or those of the saved funnel that is named. Throws Refusal 400. */
function askedSteps({ funnels }: Website, fields: Fields): readonly unknown[] {
  const steps = optionalList(fields, "steps") ?? [];
  const name = optionalText(fields, "funnel");
  if (name === undefined) return steps;
  if (steps.length > 0) throw badInput("name", name, "either the name of a saved funnel or steps");
  const [found, another] = funnels.list.filter((funnel) => funnel.name === name);
  if (found !== undefined && another === undefined) return found.steps;
  if (funnels.list.length === 0)
    throw new Refusal(
      400,
      "name: this website has no saved funnel: give steps, or save them in the dashboard",
    );
  const names = funnels.list.map((funnel) => JSON.stringify(funnel.name)).join(", ");
  throw badInput("name", name, `the name of one saved funnel of ${names}`);
}

/** Returns the parameters that a list has besides those of all. */
function ownPairs(
  list: string,
  shown: Shown,
  steps: readonly unknown[],
  fields: Fields,
): readonly (readonly [string, string])[] {
  if (list === "goals") return [];
  if (list === "funnel") return steps.map((step) => ["step", String(step)] as const);
  if (list === "journeys") {
    const [page, direction] = [optionalText(fields, "page"), optionalText(fields, "direction")];
    if (page === undefined) throw badInput("page", undefined, "a path like /pricing");
    return [
      ["path", page],
      ["limit", requiredText(fields, "limit")],
      ...(direction === undefined ? [] : [["direction", direction] as const]),
    ];
  }
  if (list !== "summary")
    return [
      ["limit", requiredText(fields, "limit")],
      ["metrics", listColumns(list, shown).all.join(",")],
    ];
  const totals = totalMetrics[shown.goal !== undefined ? "goal" : shown.visits ? "visits" : "views"];
  const metrics = ["metrics", [...totals, ...(shown.amount ? [amountMetric] : [])].join(",")] as const;
  const [start, end] = [optionalText(fields, "compareStart"), optionalText(fields, "compareEnd")];
  if (start === undefined || end === undefined) return [metrics];
  return [["compare_start", start], ["compare_end", end], metrics];
}
