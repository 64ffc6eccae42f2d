/** Filters on properties: the names and values that they select. */
import { propertyFilterNames } from "../../../core/questions/dimension.ts";
import type { Filter } from "../../../core/questions/query.ts";
import type { PropertyMasks } from "../../../store/chunks/rows-with-property.ts";
import type { ReadDictionary } from "../../../store/mirror/read-site.ts";
import type { QueryContext } from "../../cache/context.ts";
import { itself } from "../../names/forms.ts";
import { dictionaryMask, type Mask } from "./mask.ts";

/** The properties that filters select: a byte by name id, and a byte by value id. */
export interface PropertyFilterMasks extends PropertyMasks {
  readonly names: Mask;
  readonly values: Mask;
}

export function isPropertyFilter({ name }: Filter): boolean {
  return (propertyFilterNames as readonly string[]).includes(name);
}

export function propertyMasks(filters: readonly Filter[], context: QueryContext): PropertyFilterMasks {
  const { site } = context;
  const mask = (name: string, dictionary: ReadDictionary) =>
    dictionaryMask(
      dictionary,
      itself,
      filters.filter((filter) => filter.name === name),
      context,
    );
  return { names: mask("prop_name", site.propertyNames), values: mask("prop_value", site.propertyValues) };
}
