/** Builds the facts of a sealed chunk from its rows. */
import { derivedNames } from "../../core/questions/stored-dimension.ts";
import { assert } from "../../lib/assert.ts";
import { bitsOfGreatest } from "../../lib/bits.ts";
import type { Section } from "../../snapshot/section.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { channelCheck } from "../channel-sums.ts";
import { eventsOfChunk } from "../events.ts";
import { incompleteSections } from "../incomplete-visits.ts";
import { byPage } from "../page-durations.ts";
import { quartersOfChunk } from "../quarters.ts";
import { dayEnds, rollUp, type LookUps, type MadeRollup } from "../rollup.ts";
import { groupedSections } from "./grouped-sections.ts";
import {
  checkSection,
  eventsSection,
  newWavelet,
  pagesSection,
  quartersSections,
  rollupSections,
  visitsSection,
  waveletIn,
} from "./sections.ts";
import { visitsOfChunk } from "../visits.ts";
import { fillWavelet } from "../wavelet.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";

/**
 * Returns the sections that `FactsView` reads. The chunk must be sealed, with its rows by time.
 */
export function buildFacts(site: ReadSite, chunk: Chunk, lookUps: LookUps): Section[] {
  assert(chunk.sealed && chunk.sorted, `chunk ${chunk.number} is sealed and sorted before it is added up`);
  const { paths, durations } = timedRows(chunk);
  const pages = pathDictionary(site).size;
  return [
    ...rollUp(site, chunk, lookUps).flatMap(sectionsOf),
    ...checksOf(site, chunk, lookUps),
    pagesSection(byPage(paths, durations, pages)),
    ...quartersSections(quartersOfChunk(chunk)),
    waveletOf(durations),
    eventsSection(eventsOfChunk(chunk, site.propertyNames.size)),
    visitsSection(visitsOfChunk(chunk, dayEnds(chunk))),
    ...incompleteSections(chunk),
  ];
}

function sectionsOf({ of, unit, rollup, grouped }: MadeRollup): Section[] {
  const ofGroups = grouped.flatMap(([kind, visits]) =>
    visits === undefined ? [] : groupedSections(kind, unit, visits),
  );
  return [...rollupSections(of, unit, rollup), ...ofGroups];
}

function checksOf(site: ReadSite, chunk: Chunk, { channelsOf }: LookUps): Section[] {
  return derivedNames.map((of) => checkSection(of, channelCheck(chunk, of, channelsOf(site, of))));
}

/** Takes the durations in the order of the rows, which is by time, and leaves `values` in another order. */
function waveletOf(values: Uint32Array): Section {
  const made = newWavelet(values.length, bitsOfGreatest(values));
  fillWavelet(waveletIn(made.data), values);
  return made;
}

/** Returns the path and duration of the rows whose time on the page is known, in their order. */
export function timedRows({ rows, flags, duration, ids }: Chunk): {
  paths: Uint32Array;
  durations: Uint32Array;
} {
  const paths = Uint32Array.from(ids.path.values.subarray(0, rows));
  const durations = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    // Each row overwrites the entry at `count`, which is never ahead of it, and is kept only if its time is known.
    paths[count] = paths[row]!;
    durations[count] = duration[row]!;
    count += (flags[row]! & rowFlag.timed) / rowFlag.timed;
  }
  return { paths: paths.subarray(0, count), durations: durations.subarray(0, count) };
}
