/**
 * The rollup by day of a reduced month, number by number (lib/packing/number-coder.ts) and value by value: the numbers of one
 * value are alike. The rollup of the whole month says what the days add up to, so the last day of a value, or its only
 * one, is what the others leave of it; only its distinct visits are written.
 *
 *   coded days := number of days, (unique, visits of the part)* of each, (is there)* of each value and day, then of each
 *                 that is there: page views, counts, totalMs, visits (these not of a value's last day), distinct visits
 */
import { expectContent } from "../../lib/decoding.ts";
import { NumberCoder } from "../../lib/packing/number-coder.ts";
import { visitParts } from "../../store/columns/row-flag.ts";
import { pageViewClasses } from "../../store/columns/row-class.ts";
import type { RollupSums } from "../entries.ts";

/**
 * Encodes `day`, the rollup by day, relative to `whole`, that of the month. In both, an id is in a part at most once;
 * both have the same ids.
 */
export function codedDays(whole: RollupSums, day: RollupSums): Uint8Array {
  const writer = new NumberCoder(contexts);
  code(writer, whole, byValue(whole, day));
  return writer.finish();
}

/** Undoes `codedDays`. */
export function decodedDays(whole: RollupSums, data: Uint8Array): RollupSums {
  return byDay(whole, code(new NumberCoder(contexts, data), whole));
}

type Numbers = Pick<RollupSums, "counts" | "totalMs" | "visits" | "distinctVisits">;

/** The entries of each value in turn, by day. */
interface ByValue extends Numbers {
  readonly unique: Uint32Array;
  readonly visitsOfPart: Uint32Array;
  /** By value, then by day: 1 where there is an entry. */
  readonly isThere: Uint8Array;
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

/** Returns the numbers that were written. `given`: what a writer writes; a reader has none. */
function code(coder: NumberCoder, whole: RollupSums, given?: ByValue): ByValue {
  const days = coder.small(contextOf.days, given?.unique.length ?? 0);
  expectContent(days <= daysMax, `${days} days of a month`);
  const ofDays = (from?: Uint32Array) =>
    Uint32Array.from({ length: days }, (_, day) => coder.small(contextOf.days, from?.[day] ?? 0));
  const [unique, visitsOfPart] = [ofDays(given?.unique), ofDays(given?.visitsOfPart)];
  const sizesOf = Uint8Array.from(whole.ids, (_, value) => sizeOf(pageviewsIn(whole.counts, value)));
  const isThere = new Uint8Array(whole.ids.length * days);
  let entries = 0;
  for (let value = 0, at = 0; value < sizesOf.length; value++)
    for (let day = 0; day < days; day++, at++) {
      isThere[at] = coder.bit(contextOf.isThere + sizesOf[value]!, given?.isThere[at] ?? 0);
      entries += isThere[at]!;
    }
  const numbers = given ?? zeros(entries);
  let entry = 0;
  for (let value = 0; value < whole.ids.length; value++) {
    let left = 0;
    for (let at = value * days; at < (value + 1) * days; at++) left += isThere[at]!;
    const end = entry + left;
    for (let from = entry; entry < end; entry++) {
      if (entry === end - 1) takeRest(numbers, entry, from, whole, value);
      else codeEntry(coder, numbers, entry, sizesOf[value]!);
      const size = sizeOf(pageviewsIn(numbers.counts, entry));
      numbers.distinctVisits[entry] = coder.small(
        contextOf.distinctVisits + size,
        numbers.distinctVisits[entry]!,
      );
    }
  }
  return { ...numbers, unique, visitsOfPart, isThere };
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

/** Sets the entry to what the entries of its value from `from` on leave of the whole month. */
function takeRest(numbers: Numbers, entry: number, from: number, whole: RollupSums, value: number): void {
  takeRestOf(numbers.counts, entry, from, whole.counts, value, pageViewClasses);
  takeRestOf(numbers.visits, entry, from, whole.visits, value, visitParts);
  let leftMs = whole.totalMs[value]!;
  for (let before = from; before < entry; before++) leftMs -= numbers.totalMs[before]!;
  numbers.totalMs[entry] = leftMs;
}

function takeRestOf(
  own: Uint32Array,
  entry: number,
  from: number,
  whole: Uint32Array,
  value: number,
  width: number,
): void {
  for (let part = 0; part < width; part++) {
    let left = whole[value * width + part]!;
    for (let before = from; before < entry; before++) left -= own[before * width + part]!;
    own[entry * width + part] = left;
  }
}

function pageviewsIn(counts: Uint32Array, entry: number): number {
  let sum = 0;
  for (let at = entry * pageViewClasses; at < (entry + 1) * pageViewClasses; at++) sum += counts[at]!;
  return sum;
}

function zeros(entries: number): Numbers {
  return {
    counts: new Uint32Array(entries * pageViewClasses),
    totalMs: new Float64Array(entries),
    visits: new Uint32Array(entries * visitParts),
    distinctVisits: new Uint32Array(entries),
  };
}

function byValue(whole: RollupSums, day: RollupSums): ByValue {
  const days = day.ends.length;
  const placeOf = new Map(Array.from(whole.ids, (id, value) => [id, value]));
  /** By value, then by day: the entry of the day, counted from 1. */
  const entryAt = new Uint32Array(whole.ids.length * days);
  day.ends.forEach((end, part) => {
    for (let entry = day.ends[part - 1] ?? 0; entry < end; entry++)
      entryAt[placeOf.get(day.ids[entry]!)! * days + part] = entry + 1;
  });
  const numbers = zeros(day.ids.length);
  let to = 0;
  for (const entry of entryAt) if (entry > 0) copyEntry(day, entry - 1, numbers, to++);
  const isThere = Uint8Array.from(entryAt, (entry) => Math.min(entry, 1));
  return { ...numbers, unique: day.unique, visitsOfPart: day.visitsOfPart, isThere };
}

function byDay(whole: RollupSums, { unique, visitsOfPart, isThere, ...numbers }: ByValue): RollupSums {
  const days = unique.length;
  const entries = numbers.distinctVisits.length;
  // First how many values a day has, then where its next entry goes.
  const places = new Uint32Array(days);
  for (let at = 0; at < isThere.length; at++) places[at % days]! += isThere[at]!;
  let end = 0;
  const ends = places.map((count) => (end += count));
  places.forEach((count, day) => (places[day] = ends[day]! - count));
  const rollup = { ...zeros(entries), ends, unique, visitsOfPart, ids: new Uint32Array(entries) };
  let entry = 0;
  for (let at = 0; at < isThere.length; at++) {
    if (isThere[at] === 0) continue;
    const to = places[at % days]!++;
    rollup.ids[to] = whole.ids[Math.floor(at / days)]!;
    copyEntry(numbers, entry++, rollup, to);
  }
  return rollup;
}

function copyEntry(from: Numbers, entry: number, to: Numbers, place: number): void {
  for (let part = 0; part < pageViewClasses; part++)
    to.counts[place * pageViewClasses + part] = from.counts[entry * pageViewClasses + part]!;
  for (let part = 0; part < visitParts; part++)
    to.visits[place * visitParts + part] = from.visits[entry * visitParts + part]!;
  to.totalMs[place] = from.totalMs[entry]!;
  to.distinctVisits[place] = from.distinctVisits[entry]!;
}
