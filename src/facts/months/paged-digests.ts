/**
 * The digests of pages in blocks, those with the most durations first: the list of pages by time asks for few pages, and
 * mostly for these, so it reads few blocks of a month.
 *
 *   pages        := keys (gaps), counts, blocks
 *   pages NUMBER := the means of the groups of that block (gaps), in the order of their keys
 */
import { addGaps, gapsOf, packed, PackedColumns, type GapsReader } from "../../lib/packing/packed-columns.ts";
import { ScratchWords } from "../../lib/memory/scratch.ts";
import type { Section } from "../../snapshot/section.ts";
import { centroidsIn, centroidsMax, type Digests } from "./digest.ts";

/** A block is full from this many centroids on. */
const blockCentroids = 8_192;

/** Exported for tests. */
export const pagesName = "pages";

export function blockName(block: number): string {
  return `${pagesName} ${block}`;
}

export function pagedSections({ keys, counts, ends, means }: Digests): Section[] {
  const falling = Uint32Array.from(keys.keys()).sort((a, b) => counts[b]! - counts[a]! || a - b);
  const blocks = new Uint32Array(keys.length);
  let [block, centroids] = [0, 0];
  for (const group of falling) {
    blocks[group] = block;
    centroids += centroidsIn(counts[group]!);
    if (centroids < blockCentroids) continue;
    block++;
    centroids = 0;
  }
  const groups = Map.groupBy(keys.keys(), (group) => blocks[group]!);
  const sections = Array.from(groups, ([number, own]) => {
    const runs = own.map((group) => means.subarray(ends[group]! - centroidsIn(counts[group]!), ends[group]));
    let end = 0;
    const ownEnds = Uint32Array.from(runs, ({ length }) => (end += length));
    const all = new Uint32Array(end);
    runs.forEach((run, at) => all.set(run, ownEnds[at]! - run.length));
    return { name: blockName(number), data: packed([gapsOf(all, ownEnds)]) };
  });
  const index = packed([gapsOf(keys, Uint32Array.of(keys.length)), counts, blocks]);
  return [{ name: pagesName, data: index }, ...sections];
}

/** The source of the digests of pages in a month. */
interface PagedSource {
  /** Returns a section of the file. */
  readonly section: (name: string) => Uint8Array;
  /** Whether the digests are in blocks: in the first format their means are the third column of `pages`. */
  readonly isPaged: boolean;
  /** Returns ids by those of now. */
  readonly idsNow: (ids: Uint32Array) => Uint32Array;
}

/** The columns of the index: a list over years reads that of each month. */
const indexScratch = [new ScratchWords(), new ScratchWords(), new ScratchWords()] as const;

/** The digest of a page: where its means are. */
interface Place {
  readonly id: number;
  readonly count: number;
  readonly block: number;
  /** The index of the first of them in the block. */
  readonly first: number;
}

/**
 * Returns the digests of pages: of all of them, or with `isAsked` of those where it has a 1 by id. Keys rise; an id may be
 * there more than once. Only the blocks with one of these pages are read.
 */
export function unpackedPages(source: PagedSource, isAsked?: Uint8Array): Digests {
  const index = new PackedColumns(source.section(pagesName));
  const column = (number: 0 | 1 | 2) => {
    const numbers = indexScratch[number].take(index.lengthOf(0)).fill(0);
    if (number < 2 || source.isPaged) index.addTo(numbers, number, { width: 1, at: 0 });
    return numbers;
  };
  const [gaps, counts, blocks] = [column(0), column(1), column(2)];
  const ids = source.idsNow(addGaps(gaps, Uint32Array.of(gaps.length)));
  const places = placesOf(ids, counts, blocks, isAsked);
  let end = 0;
  const digests = {
    keys: Uint32Array.from(places, ({ id }) => id),
    counts: Uint32Array.from(places, ({ count }) => count),
    ends: Uint32Array.from(places, ({ count }) => (end += centroidsIn(count))),
    means: new Uint32Array(end),
  };
  const { means } = digests;
  const readers = new Map<number, GapsReader>();
  let from = 0;
  for (const { count, block, first } of places) {
    const read = readers.getOrInsertComputed(block, () => meansOf(source, index, block));
    read(means, from, first, centroidsIn(count));
    from += centroidsIn(count);
  }
  return digests;
}

function meansOf({ section, isPaged }: PagedSource, index: PackedColumns, block: number): GapsReader {
  return isPaged ? new PackedColumns(section(blockName(block))).gaps(0) : index.gaps(2);
}

/** Returns the digests that are asked for; their ids rise. */
function placesOf(
  ids: Uint32Array,
  counts: Uint32Array,
  blocks: Uint32Array,
  isAsked: Uint8Array | undefined,
): readonly Place[] {
  const places: Place[] = [];
  const ends: number[] = [];
  let isRising = true;
  let last = 0;
  for (let group = 0; group < blocks.length; group++) {
    const block = blocks[group]! | 0;
    const first = ends[block] ?? 0;
    const id = ids[group]! | 0;
    ends[block] = first + Math.min(counts[group]! | 0, centroidsMax);
    if (isAsked !== undefined && isAsked[id] !== 1) continue;
    places.push({ id, count: counts[group]!, block, first });
    isRising &&= id >= last;
    last = id;
  }
  return isRising ? places : places.sort((a, b) => a.id - b.id);
}
