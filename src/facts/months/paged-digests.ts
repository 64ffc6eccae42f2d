/**
 * The digests of pages in blocks, those with the most durations first: the list of pages by time asks for few pages, and
 * mostly for these, so it reads few blocks of a month.
 *
 *   pages        := keys (gaps), counts, blocks
 *   pages NUMBER := the means of the groups of that block (gaps), in the order of their keys
 */
import { firstAtLeast } from "../../lib/search.ts";
import { addGaps, gapsOf, packed, unpacked } from "../../lib/packing/packed-columns.ts";
import type { Section } from "../../snapshot/section.ts";
import { centroidsIn, type Digests } from "./digest.ts";

/** A block is full from this many centroids on. */
const blockCentroids = 8_192;

/** The places of the digests of pages. */
export interface PageIndex {
  /** By group: the id of its path, rising; an id may be there more than once. */
  readonly keys: Uint32Array;
  /** By group: the number of its durations. */
  readonly counts: Uint32Array;
  /** By group: its block, and the place of its first mean in it. */
  readonly blocks: Uint32Array;
  readonly firsts: Uint32Array;
}

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

/** `idsNow`: returns ids by those of now. */
export function unpackedIndex(data: Uint8Array, idsNow: (ids: Uint32Array) => Uint32Array): PageIndex {
  const [gaps, counts, blocks] = unpacked(data) as [Uint32Array, Uint32Array, Uint32Array];
  const keys = idsNow(addGaps(gaps, Uint32Array.of(gaps.length)));
  const ends = new Uint32Array(blocks.length);
  const firsts = new Uint32Array(blocks.length);
  for (let group = 0; group < blocks.length; group++) {
    const block = blocks[group]!;
    firsts[group] = ends[block]!;
    ends[block]! += centroidsIn(counts[group]!);
  }
  return byKey({ keys, counts, blocks, firsts });
}

/** Returns the index of digests that are all one block, and no gaps. */
export function indexOf(
  { keys, counts, ends }: Digests,
  idsNow: (ids: Uint32Array) => Uint32Array,
): PageIndex {
  const firsts = ends.map((end, group) => end - centroidsIn(counts[group]!));
  return byKey({ keys: idsNow(keys), counts, blocks: new Uint32Array(keys.length), firsts });
}

/** Returns the means of a block; those of a group are in a row. */
export function unpackedMeans(
  data: Uint8Array,
  block: number,
  { counts, blocks, firsts }: PageIndex,
): Uint32Array {
  const [means] = unpacked(data) as [Uint32Array];
  for (let group = 0; group < blocks.length; group++) {
    if (blocks[group] !== block) continue;
    const first = firsts[group]!;
    const end = first + centroidsIn(counts[group]!);
    for (let at = first + 1; at < end; at++) means[at]! += means[at - 1]!;
  }
  return means;
}

function byKey(index: PageIndex): PageIndex {
  const { keys, counts, blocks, firsts } = index;
  let group = 1;
  while (group < keys.length && keys[group]! >= keys[group - 1]!) group++;
  if (group >= keys.length) return index;
  const order = Float64Array.from(keys, (key, group) => key * keys.length + group).sort();
  const inOrder = (column: Uint32Array) => Uint32Array.from(order, (at) => column[at % keys.length]!);
  return { keys: inOrder(keys), counts: inOrder(counts), blocks: inOrder(blocks), firsts: inOrder(firsts) };
}

/** Returns the range of the groups with a key. */
export function groupsWith({ keys }: PageIndex, key: number): readonly [from: number, to: number] {
  const from = firstAtLeast(keys, key);
  let to = from;
  while (keys[to] === key) to++;
  return [from, to];
}
