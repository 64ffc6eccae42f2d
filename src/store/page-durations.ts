/** Known durations side by side by page: the quartiles of a few pages need nothing of the others. */
import { ScratchZeros } from "../lib/scratch.ts";

export interface PageDurations {
  /** By part: the path's id; they rise. */
  readonly ids: Uint32Array;
  /** By part: where its durations end. */
  readonly ends: Uint32Array;
  /** Milliseconds. */
  readonly values: Uint32Array;
}

/** By path: how many durations it has, then its part, counted from 1. */
const zeros = new ScratchZeros();

/** `paths` and `durations` of the same rows; path ids are less than `pages`. In no order within a page. */
export function byPage(paths: Uint32Array, durations: Uint32Array, pages: number): PageDurations {
  const parts = zeros.take(pages);
  const found: number[] = [];
  for (let at = 0; at < paths.length; at++) {
    const id = paths[at] as number;
    const size = parts[id] as number;
    if (size === 0) found.push(id);
    parts[id] = size + 1;
  }
  const ids = Uint32Array.from(found).sort();
  // Where each part begins; once it is full, where it ends.
  const ends = new Uint32Array(ids.length);
  let end = 0;
  for (let part = 0; part < ids.length; part++) {
    const id = ids[part] as number;
    ends[part] = end;
    end += parts[id] as number;
    parts[id] = part + 1;
  }
  const values = new Uint32Array(paths.length);
  for (let at = 0; at < paths.length; at++) {
    const part = (parts[paths[at] as number] as number) - 1;
    const place = ends[part] as number;
    values[place] = durations[at] as number;
    ends[part] = place + 1;
  }
  for (let part = 0; part < ids.length; part++) parts[ids[part] as number] = 0;
  return { ids, ends, values };
}
