/**
 * The filters of a question, compiled for rows: a byte for each id of a column says whether rows with it are selected.
 */
import type { ColumnName } from "../../../core/questions/dimension.ts";
import type { Filter } from "../../../core/questions/query.ts";
import type { QueryContext } from "../../cache/context.ts";
import { columnMasks, keyOf, type Mask } from "./mask.ts";
import { isPropertyFilter, propertyMasks, type PropertyFilterMasks } from "./property-mask.ts";

export interface CompiledFilters {
  /** A text that is equal for the same filters in any order; "" for none. */
  readonly key: string;
  readonly masks: ReadonlyMap<ColumnName, Mask>;
  readonly properties: PropertyFilterMasks | undefined;
}

export function compileFilters(filters: readonly Filter[], context: QueryContext): CompiledFilters {
  return {
    key: keyOf(filters),
    masks: columnMasks(filters, context),
    properties: filters.some(isPropertyFilter) ? propertyMasks(filters, context) : undefined,
  };
}
