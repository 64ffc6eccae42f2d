/** The durations of a month from those of its chunks, which are in order: all of them, and those of each page. */
import type { Section } from "../snapshot/section.ts";
import { durationsIn, newDurations, newPages, pagesIn } from "./aggregate-sections.ts";
import type { Aggregates } from "./aggregates.ts";
import type { Chunk } from "./chunk.ts";
import { sortHalves, sortWords } from "./counting-sort.ts";
import type { PageDurations } from "./page-durations.ts";
import type { SortedDurations } from "./sorted-durations.ts";

/** Small parts are sorted until they are so many numbers: that is a step of some milliseconds. */
const stepMax = 2 ** 16;

export function* mergedDurations(
  chunks: readonly Chunk[],
  of: (chunk: Chunk) => Aggregates,
): Generator<void, Section> {
  const sizes: number[] = [];
  for (const chunk of chunks) {
    addSizes(sizes, of(chunk).durations());
    yield;
  }
  const made = newDurations(
    sizes.length,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  const { ends, low } = durationsIn(made.data);
  // Where each part begins; once it is full, where it ends.
  for (let high = 1; high < ends.length; high++)
    ends[high] = (ends[high - 1] as number) + (sizes[high - 1] as number);
  for (const chunk of chunks) {
    copyDurations(of(chunk).durations(), low, ends);
    yield;
  }
  yield* sortEach(low, ends, sortHalves);
  return made;
}

function addSizes(sizes: number[], { ends }: SortedDurations): void {
  let from = 0;
  for (const [high, end] of ends.entries()) {
    sizes[high] = (sizes[high] ?? 0) + end - from;
    from = end;
  }
}

/** `places`: where the next part with these upper bits goes. */
function copyDurations({ ends, low: from }: SortedDurations, low: Uint16Array, places: Uint32Array): void {
  let start = 0;
  for (const [high, end] of ends.entries()) {
    if (end === start) continue;
    const place = places[high] as number;
    low.set(from.subarray(start, end), place);
    places[high] = place + end - start;
    start = end;
  }
}

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
  yield* sortEach(values, ends, sortWords);
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
function* sortEach<T extends Uint16Array | Uint32Array>(
  values: T,
  ends: Uint32Array,
  sort: (part: T) => Generator<void, void>,
): Generator<void, void> {
  let [from, sinceStep] = [0, 0];
  for (const end of ends) {
    yield* sort(values.subarray(from, end) as T);
    sinceStep += end - from;
    from = end;
    if (sinceStep < stepMax) continue;
    sinceStep = 0;
    yield;
  }
}
