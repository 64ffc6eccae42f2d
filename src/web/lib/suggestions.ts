/** Real values that a filter could ask for: which list of the API has them, and what of its rows is of use. */
import { dimensions, type Dimension, type FilterName } from "../../core/dimension.ts";
import type { AnyRow, Filter, NameField } from "../../core/query.ts";
import { listPath, operandText, type Question } from "./question.ts";

export interface Suggestion {
  readonly value: string;
  readonly text: string;
  /** How much of it there is: visitors, or events of a property. */
  readonly count?: number;
}

const suggestionsMax = 8;

/**
 * Path of the values of a dimension with `typed` in them, under the period and the filters of a question. Null where
 * the API has no such list: the values of properties are listed by the name of theirs.
 */
export function suggestionsPath(
  question: Question,
  name: FilterName,
  typed: string,
  nowMs = Date.now(),
): string | null {
  const about: Filter = { name, operator: "contains", operands: [typed] };
  const asked = typed === "" ? question : { ...question, filters: [...question.filters, about] };
  const dimension = dimensions.find((known) => known.name === name);
  if (dimension !== undefined) {
    // A referrer with a path is none of a group.
    const single = name === "referrer" && typed.includes("/") && { grouped: false };
    return listPath(asked, dimension.list, { summary: true, limit: suggestionsMax + 1, ...single }, nowMs);
  }
  const named = question.filters.some((filter) => filter.name === "prop_name" && filter.operator === "eq");
  if (name === "prop_value" && !named) return null;
  return listPath(asked, "properties", { limit: suggestionsMax + 1 }, nowMs);
}

/** What the rows of that list have to offer; values past a limit, which are counted together, are none. */
export function suggestionsOf(name: FilterName, rows: readonly AnyRow[]): Suggestion[] {
  const field = fieldOf(name);
  const found = new Map<string, Suggestion>();
  for (const row of rows) {
    const value = row[field];
    if (row.other === true || value === undefined || found.has(value)) continue;
    const count = row.visitors ?? row.events;
    found.set(value, { value, text: operandText(name, value), ...(count !== undefined && { count }) });
  }
  return [...found.values()].slice(0, suggestionsMax);
}

/** Of a row that it names. */
function fieldOf(name: FilterName): NameField {
  if (name === "prop_name") return "name";
  if (name === "prop_value") return "value";
  return (dimensions.find((known) => known.name === name) as Dimension).field;
}

/** Those of an earlier text that fit what is typed now, until those of this text come. */
export function fitting(suggestions: readonly Suggestion[], typed: string): Suggestion[] {
  const wanted = typed.toLowerCase();
  return suggestions.filter(({ value, text }) =>
    [value, text].some((form) => form.toLowerCase().includes(wanted)),
  );
}

/** With the empty value in front where it has no row: lists of campaigns have none for hits without one. */
export function withEmpty(name: FilterName, suggestions: readonly Suggestion[]): readonly Suggestion[] {
  if (suggestions.some(({ value }) => value === "")) return suggestions;
  return [{ value: "", text: operandText(name, "") }, ...suggestions];
}

/** Where an arrow key leads from the option at `active`: round the list, by way of the field itself, which is -1. */
export function optionBeside(active: number, direction: -1 | 1, length: number): number {
  const places = length + 1;
  return ((active + 1 + direction + places) % places) - 1;
}
