/** Decides who counts as a visitor in a question. */
import type { Filter } from "../../core/questions/query.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { VisitorFlag } from "../../store/columns/row-class.ts";
import { isNegative } from "../rows/filters/mask.ts";

const ofPages: ReadonlySet<string> = new Set(["path", "prop_name", "prop_value"]);

/**
 * Returns the flag of first views of a page if a positive operator asks for a page or a property; else that of unique
 * visitors.
 */
export function visitorFlag(filters: readonly Filter[]): VisitorFlag {
  return filters.some((filter) => ofPages.has(filter.name) && !isNegative(filter))
    ? rowFlag.first
    : rowFlag.unique;
}
