/** Suggests real values for a filter: which list of the API has them, and which parts of its rows are used. */
import { listedDimensions, type ListedDimension } from "../../../core/questions/dimension.ts";
import type { FilterName } from "../../../core/questions/stored-dimension.ts";
import type { AnyRow, NameField } from "../../../core/questions/answer.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { containing } from "../texts/names.ts";
import { listPath } from "./paths.ts";
import { operandText, type Question } from "./question.ts";

export interface Suggestion {
  readonly value: string;
  readonly text: string;
  /** How common it is: visitors, visits that began there, or events of a property. */
  readonly count?: number;
  /** Says what it is where a list has several kinds. */
  readonly kind?: string;
}

const suggestionsMax = 8;

/**
 * Returns the path of the values of a dimension that contain `typed`, under the period and the filters of a question.
 * Returns null if the API has no such list: the values of properties are listed only by name.
 */
export function suggestionsPath(
  question: Question,
  name: FilterName,
  typed: string,
  nowMs = Date.now(),
): string | null {
  const about = containing(name, typed);
  const asked = typed === "" ? question : { ...question, filters: [...question.filters, about] };
  const dimension = listedDimensions.find((known) => known.name === name);
  if (name === "entry") {
    const entry: Filter = { ...about, name: "path" };
    const filters = typed === "" ? question.filters : [...question.filters, entry];
    return listPath({ ...question, filters }, "entries", { limit: suggestionsMax + 1 }, nowMs);
  }
  if (dimension !== undefined) {
    // A referrer with a path belongs to no group.
    const single = name === "referrer" && typed.includes("/") && { grouped: false };
    return listPath(asked, dimension.list, { summary: true, limit: suggestionsMax + 1, ...single }, nowMs);
  }
  const named = question.filters.some((filter) => filter.name === "prop_name" && filter.operator === "eq");
  if (name === "prop_value" && !named) return null;
  return listPath(asked, "properties", { limit: suggestionsMax + 1 }, nowMs);
}

/** Returns the suggestions in the rows of that list. The row that sums up the values past a limit is none. */
export function suggestionsOf(name: FilterName, rows: readonly AnyRow[]): Suggestion[] {
  const field = fieldOf(name);
  const found = new Map<string, Suggestion>();
  for (const row of rows) {
    const value = row[field];
    if (row.other === true || value === undefined || found.has(value)) continue;
    const count = row.visitors ?? row.visits ?? row.events;
    found.set(value, { value, text: operandText(name, value), ...(count !== undefined && { count }) });
  }
  return [...found.values()].slice(0, suggestionsMax);
}

/** Returns the field that names a row. */
function fieldOf(name: FilterName): NameField {
  if (name === "prop_name") return "name";
  if (name === "prop_value") return "value";
  if (name === "entry") return "path";
  return (listedDimensions.find((known) => known.name === name) as ListedDimension).field;
}

/** Returns the suggestions for an earlier text that fit the current one, until those for the current one arrive. */
export function fitting(suggestions: readonly Suggestion[], typed: string): Suggestion[] {
  const wanted = typed.toLowerCase();
  return suggestions.filter(({ value, text }) =>
    [value, text].some((form) => form.toLowerCase().includes(wanted)),
  );
}

/** Adds the empty value in front if no row has it: lists of campaigns have no row for hits without one. */
export function withEmpty(name: FilterName, suggestions: readonly Suggestion[]): readonly Suggestion[] {
  if (suggestions.some(({ value }) => value === "")) return suggestions;
  return [{ value: "", text: operandText(name, "") }, ...suggestions];
}

/**
 * Returns the option to which an arrow key leads from the one at `active`: round the list, by way of the field itself,
 * which is -1.
 */
export function optionBeside(active: number, direction: -1 | 1, length: number): number {
  const places = length + 1;
  return ((active + 1 + direction + places) % places) - 1;
}
