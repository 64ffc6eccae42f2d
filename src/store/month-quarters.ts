/** The quarters of a month from those of its chunks, and the durations in their order from its rows. */
import type { Section } from "../snapshot/section.ts";
import { newWavelet, quartersSection, waveletIn } from "./aggregate-sections.ts";
import type { Aggregates } from "./aggregates.ts";
import type { Chunk } from "./chunk.ts";
import { knownBefore, knownPlaces, placeKnown, QuarterSums } from "./quarters.ts";
import { fillWavelet, levelsFor } from "./wavelet.ts";

/** `chunks`: of the month that begins at `monthMs`. */
export function* mergedQuarters(
  monthMs: number,
  chunks: readonly Chunk[],
  of: (chunk: Chunk) => Aggregates,
): Generator<void, Section[]> {
  const sums = new QuarterSums(monthMs);
  for (const chunk of chunks) {
    sums.add(of(chunk).quarters());
    yield;
  }
  const { quarters } = sums;
  const values = new Uint32Array(knownBefore(quarters, quarters.numbers.length));
  const places = knownPlaces(quarters, monthMs);
  for (const chunk of chunks) {
    placeKnown(chunk, values, places);
    yield;
  }
  const made = newWavelet(values.length, levelsFor(values));
  yield* fillWavelet(waveletIn(made.data), values);
  return [quartersSection(quarters), made];
}
