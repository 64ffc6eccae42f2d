/** Who counts as a visitor of a question. */
import type { Filter } from "../../core/query.ts";
import { rowFlag } from "../../store/columns/chunk.ts";
import type { VisitorFlag } from "../../store/columns/row-class.ts";
import { isNegative } from "../rows/mask.ts";

const ofPages: ReadonlySet<string> = new Set(["path", "prop_name", "prop_value"]);

/** Visitors are first views of a page wherever a positive operator asks for a page or a property. */
export function visitorFlag(filters: readonly Filter[]): VisitorFlag {
  return filters.some((filter) => ofPages.has(filter.name) && !isNegative(filter))
    ? rowFlag.first
    : rowFlag.unique;
}
