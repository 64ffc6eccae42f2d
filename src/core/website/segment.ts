/** Segments of a website: filters that its owner saved under a name. */
import type { Listed } from "./listed-entries.ts";

export interface Segment {
  readonly id: number;
  readonly name: string;
  /** The filters as a query string writes them, such as `country[eq]=Germany`. */
  readonly filters: string;
}

export type Segments = Listed<Segment>;

/** The most segments of a website. */
export const segmentsMax = 50;
export const segmentNameCharactersMax = 100;
export const segmentFiltersCharactersMax = 4_000;
