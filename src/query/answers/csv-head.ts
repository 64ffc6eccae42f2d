/** The head of a table of statistics that has no rows: the fields that its rows would have. */
import { listedDimensions } from "../../core/questions/dimension.ts";
import { fieldOf, goalMetrics, rowKindOf, rowMetrics, type RowMetrics } from "../../core/questions/metric.ts";
import type { Question } from "../../core/questions/query.ts";

/** The fields by which rows are named, and those of the lists whose figures are no metrics. */
const names: Readonly<Partial<Record<string, readonly string[]>>> = {
  ...Object.fromEntries(listedDimensions.map(({ list, field }) => [list, [field]])),
  summary: ["date"],
  properties: ["name"],
  goals: ["id", "name", "visits", "conversion_percentage", "events"],
  journeys: ["path", "stays", "stays_percentage"],
  drivers: ["dimension", "value", "current", "base", "difference", "difference_percentage"],
};

export function headOf(question: Question): readonly string[] {
  const { list } = question;
  const own = [...(names[list] ?? ["path"])];
  const isOneName = question.filters.some(({ name, operator }) => name === "prop_name" && operator === "eq");
  if (list === "properties" && isOneName) own.push("value");
  const isPlain =
    list === "goals" || list === "journeys" || list === "drivers" || list === "funnel" || list === "export";
  if (isPlain) return own;
  const { all, always }: RowMetrics = rowMetrics[rowKindOf(list)];
  const isBrief = "summary" in question && question.summary;
  const ofGoal = question.goal === undefined ? [] : goalMetrics;
  const figures = question.metrics ?? [...(isBrief ? always : all).map(fieldOf), ...ofGoal];
  const before = question.compare === undefined ? [] : figures.map((name) => `previous_${name}`);
  return [...own, ...figures, ...before];
}
