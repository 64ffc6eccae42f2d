/** Makes the aggregates of a sealed chunk from its rows. */
import { assert } from "../lib/assert.ts";
import { dimensions } from "../core/dimension.ts";
import type { Section } from "../snapshot/section.ts";
import {
  eventsSection,
  newWavelet,
  pagesSection,
  quartersSection,
  rollupSection,
  rowSetsSection,
  waveletIn,
} from "./aggregate-sections.ts";
import type { Unit } from "./aggregates.ts";
import { chunkRowsMax, rowFlag, type Chunk } from "./chunk.ts";
import { eventsOfChunk } from "./name-events.ts";
import { byPage, type PageDurations } from "./page-durations.ts";
import { QuarterSums } from "./quarters.ts";
import type { ReadDictionary, ReadSite } from "./read-site.ts";
import { rowSetsOf } from "./row-sets.ts";
import { columnMembers, tupleColumns, type TupleColumn } from "./site.ts";
import { dayEnds, rollUp, visitorOf } from "./rollup.ts";
import { fillWavelet, levelsFor } from "./wavelet.ts";

// Scratch, of the rows whose time is known.
const paths = new Uint32Array(chunkRowsMax);
const durations = new Uint32Array(chunkRowsMax);

/** To be seen by `viewAggregates`. */
export function aggregatesOf(site: ReadSite, chunk: Chunk): Section[] {
  assert(chunk.sealed && chunk.sorted, `chunk ${chunk.number} is sealed and sorted before it is added up`);
  const known = listKnown(chunk);
  const own = durations.subarray(0, known);
  const pages = byPage(paths.subarray(0, known), own, (site.dictionaries[0] as ReadDictionary).size);
  sortPages(pages);
  return [
    ...rollupsOf(site, chunk),
    pagesSection(pages),
    quartersOf(chunk),
    waveletOf(own),
    eventsSection(eventsOfChunk(chunk, site.propertyNames.size)),
    ...tupleColumns.flatMap((column) => rowSetsIn(site, chunk, column)),
  ];
}

/** Of the dimensions that a column's tuples are made of. */
function rowSetsIn(site: ReadSite, chunk: Chunk, column: TupleColumn): Section[] {
  return columnMembers[column].flatMap((dimension, member) => {
    const sets = rowSetsOf(
      chunk,
      chunk.ids[column].values,
      site.tuples[column].members[member] as Uint32Array,
    );
    return sets === undefined ? [] : [rowSetsSection(dimension, sets)];
  });
}

/** One that is not small as a whole is not by day either. */
function rollupsOf(site: ReadSite, chunk: Chunk): Section[] {
  const days = dayEnds(chunk);
  const whole = Uint32Array.of(chunk.rows);
  return [...dimensions.keys()].flatMap((dimension) => {
    const of = (unit: Unit, rowEnds: Uint32Array) => {
      const rollup = rollUp(site, chunk, dimension, visitorOf(dimension), rowEnds);
      return rollup === undefined ? [] : [rollupSection(dimension, unit, rollup)];
    };
    const one = of("whole", whole);
    return one.length === 0 || days.length === 1 ? one : [...one, ...of("day", days)];
  });
}

function quartersOf(chunk: Chunk): Section {
  const sums = new QuarterSums(chunk.monthMs);
  sums.addRows(chunk);
  return quartersSection(sums.quarters);
}

/** `values`: in the order of the rows, which is that of their time; in another one afterwards. */
function waveletOf(values: Uint32Array): Section {
  const made = newWavelet(values.length, levelsFor(values));
  const filling = fillWavelet(waveletIn(made.data), values);
  while (!filling.next().done);
  return made;
}

/** Returns how many there are. */
function listKnown({ rows, flags, duration, ids }: Chunk): number {
  paths.set(ids.path.values.subarray(0, rows));
  let count = 0;
  for (let row = 0; row < rows; row++) {
    // Never ahead of the row that is looked at.
    paths[count] = paths[row] as number;
    durations[count] = duration[row] as number;
    count += ((flags[row] as number) & rowFlag.timed) / rowFlag.timed;
  }
  return count;
}

function sortPages({ ends, values }: PageDurations): void {
  let from = 0;
  for (const end of ends) {
    if (end - from > 1) values.subarray(from, end).sort();
    from = end;
  }
}
