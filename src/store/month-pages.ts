/** The durations of a month by page from those of its chunks. */
import type { Section } from "../snapshot/section.ts";
import { newPages, pagesIn } from "./aggregate-sections.ts";
import type { Aggregates } from "./aggregates.ts";
import type { Chunk } from "./chunk.ts";
import { sortWords } from "./counting-sort.ts";
import type { PageDurations } from "./page-durations.ts";

/** Small parts are sorted until they are so many numbers: that is a step of some milliseconds. */
const stepMax = 2 ** 16;

/** `pages`: more than the greatest path id. */
export function* mergedPages(
  chunks: readonly Chunk[],
  of: (chunk: Chunk) => Aggregates,
  pages: number,
): Generator<void, Section> {
  const sizes = new Uint32Array(pages);
  for (const chunk of chunks) {
    addPageSizes(sizes, of(chunk).pageDurations());
    yield;
  }
  const [found, durations] = countSizes(sizes);
  const made = newPages(found, durations);
  const { ids, ends, values } = pagesIn(made.data);
  placePages(sizes, ids);
  yield;
  for (const chunk of chunks) {
    copyPages(of(chunk).pageDurations(), values, sizes);
    yield;
  }
  for (let part = 0; part < ids.length; part++) ends[part] = sizes[ids[part] as number] as number;
  yield* sortEach(values, ends);
  return made;
}

function addPageSizes(sizes: Uint32Array, { ids, ends }: PageDurations): void {
  let from = 0;
  for (let part = 0; part < ids.length; part++) {
    const id = ids[part] as number;
    const end = ends[part] as number;
    sizes[id] = (sizes[id] as number) + end - from;
    from = end;
  }
}

/** How many pages have durations, and how many all of them have. */
function countSizes(sizes: Uint32Array): [pages: number, durations: number] {
  let [pages, durations] = [0, 0];
  for (let page = 0; page < sizes.length; page++) {
    pages += sizes[page] === 0 ? 0 : 1;
    durations += sizes[page] as number;
  }
  return [pages, durations];
}

/** Lists the pages that have durations, and puts where those begin in the place of their sizes. */
function placePages(sizes: Uint32Array, ids: Uint32Array): void {
  let [part, start] = [0, 0];
  for (let page = 0; page < sizes.length; page++) {
    const size = sizes[page] as number;
    if (size === 0) continue;
    ids[part++] = page;
    sizes[page] = start;
    start += size;
  }
}

/** `places`: by page, where its next duration goes. */
function copyPages(
  { ids, ends, values: all }: PageDurations,
  values: Uint32Array,
  places: Uint32Array,
): void {
  let from = 0;
  for (let part = 0; part < ids.length; part++) {
    const id = ids[part] as number;
    const end = ends[part] as number;
    let place = places[id] as number;
    for (; from < end; from++) values[place++] = all[from] as number;
    places[id] = place;
  }
}

/** Sorts each of the parts that end at `ends`. */
function* sortEach(values: Uint32Array, ends: Uint32Array): Generator<void, void> {
  let [from, sinceStep] = [0, 0];
  for (const end of ends) {
    yield* sortWords(values.subarray(from, end));
    sinceStep += end - from;
    from = end;
    if (sinceStep < stepMax) continue;
    sinceStep = 0;
    yield;
  }
}
