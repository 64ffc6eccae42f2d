/** The definitions of the figures in the language of the page: a file that is loaded when somebody first asks. */
import type { Term } from "../../../core/definition.ts";
import type { MetricName } from "../../../core/questions/metric.ts";
import { useAnswer, type Answer } from "../answer.ts";
import { definitionsPath } from "./words.ts";

/** The metrics have their labels elsewhere. */
export type Definitions = Readonly<Record<Term, { readonly label?: string; readonly text: string }>>;

export function useDefinitions(): Answer<Definitions> {
  return useAnswer<Definitions>(definitionsPath);
}

/** Returns what explains a metric: one of them means something else where visits are not told apart. */
export function termOf(name: MetricName, visits: boolean): Term {
  return name === "bounce_percentage" && !visits ? "bounce_of_views" : name;
}
