/** The known durations of a chunk grouped by page, so that the quartiles of a few pages need not read the others. */
import { firstAtLeast } from "../lib/search.ts";

const noDurations = new Uint32Array(0);

export interface PageDurations {
  /** By part, rising: the id of the page's path. */
  readonly ids: Uint32Array;
  /** By part: the end of its durations in `values`. */
  readonly ends: Uint32Array;
  /** Milliseconds. */
  readonly values: Uint32Array;
}

/** Groups durations by path. `paths` and `durations` belong to the same rows; path ids are less than `pages`. */
export function byPage(paths: Uint32Array, durations: Uint32Array, pages: number): PageDurations {
  // By path: first the number of its durations, then its part, counted from 1.
  const parts = new Uint32Array(pages);
  const found: number[] = [];
  for (let at = 0; at < paths.length; at++) {
    const id = paths[at]!;
    const size = parts[id]!;
    if (size === 0) found.push(id);
    parts[id] = size + 1;
  }
  const ids = Uint32Array.from(found).sort();
  // By part: first its start; once it is filled, its end.
  const ends = new Uint32Array(ids.length);
  let end = 0;
  for (let part = 0; part < ids.length; part++) {
    const id = ids[part]!;
    ends[part] = end;
    end += parts[id]!;
    parts[id] = part + 1;
  }
  const values = new Uint32Array(paths.length);
  for (let at = 0; at < paths.length; at++) {
    const part = parts[paths[at]!]! - 1;
    const place = ends[part]!;
    values[place] = durations[at]!;
    ends[part] = place + 1;
  }
  sortParts(ends, values);
  return { ids, ends, values };
}

function sortParts(ends: Uint32Array, values: Uint32Array): void {
  let from = 0;
  for (const end of ends) {
    if (end - from > 1) values.subarray(from, end).sort();
    from = end;
  }
}

/** Returns the durations of one page (its path's id), rising; empty if it has none. */
export function durationsOf({ ids, ends, values }: PageDurations, page: number): Uint32Array {
  const part = firstAtLeast(ids, page);
  return ids[part] === page ? values.subarray(part === 0 ? 0 : ends[part - 1], ends[part]) : noDurations;
}
