/**
 * The rollup by day of a reduced month, number by number (lib/packing/number-coder.ts) and value by value: the numbers of one
 * value are alike. The rollup of the whole month says what the days add up to, so the last day of a value, or its only
 * one, is what the others leave of it; only its distinct visits are written.
 *
 *   coded days := number of days, (unique, visits of the part)* of each, (is there)* of each value and day, then of each
 *                 that is there: page views, counts, totalMs, visits (these not of a value's last day), distinct visits
 */
import { expectContent } from "../../../lib/decoding.ts";
import { NumberCoder } from "../../../lib/packing/number-coder.ts";
import { visitParts } from "../../../store/columns/row-flag.ts";
import { pageViewClasses } from "../../../store/columns/row-class.ts";
import type { RollupSums } from "../../entries.ts";

/**
 * Encodes `day`, the rollup by day, relative to `whole`, that of the month. In both, an id is in a part at most once;
 * both have the same ids.
 */
export function codedDays(whole: RollupSums, day: RollupSums): Uint8Array {
  const writer = new NumberCoder(contexts);
  code(writer, whole, { rollup: day, ...entriesByValue(whole, day) });
  return writer.finish();
}

/** Undoes `codedDays`. */
export function decodedDays(whole: RollupSums, data: Uint8Array): RollupSums {
  return code(new NumberCoder(contexts, data), whole);
}

type Numbers = Pick<RollupSums, "counts" | "totalMs" | "visits" | "distinctVisits">;

/** The places of the entries of each value in a rollup by day. */
interface Entries {
  /** By value, then by day: 1 where there is an entry. */
  readonly isThere: Uint8Array;
  /** The entries of each value in turn, by day. */
  readonly places: Uint32Array;
}

interface Given extends Entries {
  readonly rollup: RollupSums;
}

const daysMax = 31;

/** How many sizes of page views are told apart: numbers of one kind and size are alike. */
const sizes = 40;
/** The first context of each kind of numbers. */
const contextOf = {
  days: 0,
  isThere: 1,
  pageviews: 1 + sizes,
  totalMs: 1 + 2 * sizes,
  distinctVisits: 1 + 3 * sizes,
  counts: 1 + 4 * sizes,
  visits: 1 + (4 + pageViewClasses) * sizes,
} as const;
const contexts = contextOf.visits + visitParts * sizes;

function sizeOf(pageviews: number): number {
  return pageviews < knownSizes.length ? knownSizes[pageviews]! : computedSizeOf(pageviews);
}

function computedSizeOf(pageviews: number): number {
  return Math.min(sizes - 1, Math.round(1.5 * Math.log2(pageviews + 1)));
}

/** The sizes of small numbers, as most are: computing a logarithm takes as long as coding a bit. */
const knownSizes = Uint8Array.from({ length: 4_096 }, (_, pageviews) => computedSizeOf(pageviews));

/** Returns the rollup by day that was written. `given`: what a writer writes; a reader has none. */
function code(coder: NumberCoder, whole: RollupSums, given?: Given): RollupSums {
  const days = coder.small(contextOf.days, given?.rollup.unique.length ?? 0);
  expectContent(days <= daysMax, `${days} days of a month`);
  const ofDays = (from?: Uint32Array) =>
    Uint32Array.from({ length: days }, (_, day) => coder.small(contextOf.days, from?.[day] ?? 0));
  const unique = ofDays(given?.rollup.unique);
  const visitsOfPart = ofDays(given?.rollup.visitsOfPart);
  const sizesOf = Uint8Array.from(whole.ids, (_, value) => sizeOf(pageviewsIn(whole.counts, value)));
  const isThere = new Uint8Array(whole.ids.length * days);
  for (let value = 0, at = 0; value < sizesOf.length; value++)
    for (let day = 0; day < days; day++, at++)
      isThere[at] = coder.bit(contextOf.isThere + sizesOf[value]!, given?.isThere[at] ?? 0);
  const { rollup, places } = given ?? noneYet(whole.ids, isThere, { unique, visitsOfPart });
  let entry = 0;
  for (let value = 0; value < whole.ids.length; value++) {
    let left = 0;
    for (let at = value * days; at < (value + 1) * days; at++) left += isThere[at]!;
    const end = entry + left;
    for (let from = entry; entry < end; entry++) {
      const place = places[entry]!;
      if (entry === end - 1) takeRest(rollup, places, entry, from, whole, value);
      else codeEntry(coder, rollup, place, sizesOf[value]!);
      const size = sizeOf(pageviewsIn(rollup.counts, place));
      rollup.distinctVisits[place] = coder.small(
        contextOf.distinctVisits + size,
        rollup.distinctVisits[place]!,
      );
    }
  }
  return rollup;
}

/** Codes the numbers of one entry. `size`: the size class of the value's page views in the month. */
function codeEntry(coder: NumberCoder, numbers: Numbers, entry: number, size: number): void {
  const { counts, totalMs, visits } = numbers;
  const pageviews = coder.small(contextOf.pageviews + size, pageviewsIn(counts, entry));
  let left = pageviews;
  const last = (entry + 1) * pageViewClasses - 1;
  for (let kind = 0; kind < pageViewClasses - 1 && left > 0; kind++) {
    const at = entry * pageViewClasses + kind;
    counts[at] = coder.small(contextOf.counts + kind * sizes + sizeOf(left), counts[at]!);
    left -= counts[at]!;
  }
  counts[last] = left;
  const own = sizeOf(pageviews);
  totalMs[entry] = coder.large(contextOf.totalMs + own, totalMs[entry]!);
  for (let part = 0; part < visitParts; part++) {
    const at = entry * visitParts + part;
    visits[at] = coder.small(contextOf.visits + part * sizes + own, visits[at]!);
  }
}

/** Sets an entry to what the entries of its value from `from` on, by index in `places`, leave of the whole month. */
function takeRest(
  numbers: Numbers,
  places: Uint32Array,
  entry: number,
  from: number,
  whole: RollupSums,
  value: number,
): void {
  const before = places.subarray(from, entry);
  const place = places[entry]!;
  takeRestOf(numbers.counts, before, place, whole.counts, value, pageViewClasses);
  takeRestOf(numbers.visits, before, place, whole.visits, value, visitParts);
  let leftMs = whole.totalMs[value]!;
  for (let at = 0; at < before.length; at++) leftMs -= numbers.totalMs[before[at]!]!;
  numbers.totalMs[place] = leftMs;
}

function takeRestOf(
  own: Uint32Array,
  before: Uint32Array,
  place: number,
  whole: Uint32Array,
  value: number,
  width: number,
): void {
  for (let part = 0; part < width; part++) {
    let left = whole[value * width + part]!;
    for (let at = 0; at < before.length; at++) left -= own[before[at]! * width + part]!;
    own[place * width + part] = left;
  }
}

function pageviewsIn(counts: Uint32Array, entry: number): number {
  let sum = 0;
  for (let at = entry * pageViewClasses; at < (entry + 1) * pageViewClasses; at++) sum += counts[at]!;
  return sum;
}

/** Returns a rollup by day whose entries have no numbers yet, and where they are. Those of a day are in the order of `ids`. */
function noneYet(
  ids: Uint32Array,
  isThere: Uint8Array,
  ofDays: Pick<RollupSums, "unique" | "visitsOfPart">,
): Given {
  const days = ofDays.unique.length;
  const ends = new Uint32Array(days);
  for (let value = 0, at = 0; value < ids.length; value++)
    for (let day = 0; day < days; day++, at++) ends[day]! += isThere[at]!;
  for (let day = 1; day < days; day++) ends[day]! += ends[day - 1]!;
  const next = ends.map((_, day) => (day === 0 ? 0 : ends[day - 1]!));
  const entries = ends[days - 1] ?? 0;
  const places = new Uint32Array(entries);
  const idOf = new Uint32Array(entries);
  for (let value = 0, at = 0, entry = 0; value < ids.length; value++)
    for (let day = 0; day < days; day++, at++) {
      if (isThere[at] === 0) continue;
      const place = next[day]!++;
      places[entry++] = place;
      idOf[place] = ids[value]!;
    }
  const rollup = {
    ...ofDays,
    ends,
    ids: idOf,
    counts: new Uint32Array(entries * pageViewClasses),
    totalMs: new Float64Array(entries),
    visits: new Uint32Array(entries * visitParts),
    distinctVisits: new Uint32Array(entries),
  };
  return { rollup, isThere, places };
}

/** Returns where the entries of a rollup by day are, whose ids may be in any order. */
function entriesByValue(whole: RollupSums, day: RollupSums): Entries {
  const days = day.ends.length;
  const placeOf = new Map(Array.from(whole.ids, (id, value) => [id, value]));
  /** By value, then by day: the entry of the day, counted from 1. */
  const entryAt = new Uint32Array(whole.ids.length * days);
  day.ends.forEach((end, part) => {
    for (let entry = day.ends[part - 1] ?? 0; entry < end; entry++)
      entryAt[placeOf.get(day.ids[entry]!)! * days + part] = entry + 1;
  });
  const isThere = Uint8Array.from(entryAt, (entry) => Math.min(entry, 1));
  return { isThere, places: entryAt.filter((entry) => entry > 0).map((entry) => entry - 1) };
}
