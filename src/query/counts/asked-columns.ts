/** The columns that the questions of a page need counted by id, and in how much detail. */
import { listedDimensions, type ColumnName } from "../../core/questions/dimension.ts";
import { measuresOf, metricOf, rowKindOf, type Measures } from "../../core/questions/metric.ts";
import type { Question } from "../../core/questions/query.ts";
import { columnOf, visitDimension } from "../../core/questions/stored-dimension.ts";
import type { Detail } from "./count.ts";

/** Returns the columns whose ids the questions count, each in the highest detail that one of them needs. */
export function columnsOfQuestions(questions: readonly Question[]): ReadonlyMap<ColumnName, Detail> {
  const details = new Map<ColumnName, Detail>();
  for (const question of questions) {
    const column = columnOfQuestion(question);
    if (column !== undefined && details.get(column) !== "all") details.set(column, detailOf(question));
  }
  return details;
}

function columnOfQuestion(question: Question): ColumnName | undefined {
  if (question.list === "time") return "path";
  const dimension = listedDimensions.find(({ list }) => list === question.list);
  if (dimension === undefined) return undefined;
  const byVisit = "by" in question && question.by === "visit";
  return columnOf(byVisit ? visitDimension(dimension.name) : dimension.name);
}

const ofViews: ReadonlySet<keyof Measures> = new Set([
  "visitors",
  "allVisitors",
  "pageviews",
  "allPageviews",
]);

/** Returns the detail in which rows are counted. Facts always have all of it; pages by time are ranked by it. */
function detailOf({ list, filters, ...question }: Question): Detail {
  const brief = "summary" in question && question.summary;
  const metrics = "metrics" in question ? question.metrics : undefined;
  const needs = metrics?.flatMap((name) => metricOf(name).needs) ?? measuresOf(rowKindOf(list), brief);
  return filters.length > 0 && list !== "time" && needs.every((measure) => ofViews.has(measure))
    ? "views"
    : "all";
}
