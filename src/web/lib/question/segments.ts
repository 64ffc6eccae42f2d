/** Segments of a website as questions: no state, no browser. */
import type { Filter } from "../../../core/questions/query.ts";
import type { Segment } from "../../../core/website/segment.ts";
import { encodeSearch } from "../routes.ts";
import { filterPairs, filtersOf, type Question } from "./question.ts";

export function segmentsPath({ hostname }: Question): string {
  return `/website/${encodeURIComponent(hostname)}/segments`;
}

/** Returns the filters as a segment has them. */
export function writtenFilters({ filters }: Question): string {
  return encodeSearch(filterPairs(filters)).slice(1);
}

export function filtersIn({ filters }: Segment): readonly Filter[] {
  return filtersOf(new URLSearchParams(filters));
}
