/**
 * The sums of a reduced month by channel, beside those by tuple. A later version may give a tuple another channel, so
 * they are believed only while all tuples of each class have one channel; else the sums by tuple answer, as they do for
 * files from before. Either way the answer is the same.
 *
 *   classes D := the class of each entry of `rows K`, counted from 0; unique, visitsOfPart, timedVisitsOfPart and the
 *                numbers of each class: totalMs, `counts`, distinctVisits, `visits`, timedVisits, and `outside` if there is any
 *   classes days D, timed classes days D
 *             := as `days D` and `timed days D`, by class
 */
import type { DerivedName } from "../../core/questions/stored-dimension.ts";
import { packed, unpacked, type Column } from "../../lib/packing/packed-columns.ts";
import type { Section } from "../../snapshot/section.ts";
import { pageViewClasses } from "../../store/columns/row-class.ts";
import { visitParts } from "../../store/columns/row-flag.ts";
import type { ReducedMonth } from "../../store/state/reduced-month.ts";
import type { Rollup } from "../entries.ts";
import { codedDays, decodedDays } from "./sections/coded-days.ts";
import { nameOf, sorted } from "./sections/reduced-sections.ts";
import { timedName, timedSection, unpackedTimes } from "./sections/timed-sections.ts";

function classesName(of: DerivedName): string {
  return `classes ${nameOf(of)}`;
}

function classDaysName(of: DerivedName): string {
  return `classes days ${nameOf(of)}`;
}

/**
 * `month`, `days`: the rollups of the month and of its days by tuple, in which an id may be in several entries. `classOf`:
 * the class of each tuple.
 */
export function classSections(of: DerivedName, month: Rollup, days: Rollup, classOf: Uint32Array): Section[] {
  const whole = sorted(month);
  const labelsOf = (ids: Uint32Array) => ids.map((tuple) => classOf[tuple]!);
  const [sums, byDay] = [whole, days].map((own) => sorted({ ...own, ids: labelsOf(own.ids) })) as [
    Rollup,
    Rollup,
  ];
  const name = classDaysName(of);
  return [
    classSection(of, labelsOf(whole.ids), sums),
    { name, data: codedDays(sums, byDay) },
    timedSection(name, byDay),
  ];
}

/** `labels`: the class of each entry of the month; `sums`: the rollup by class. */
function classSection(of: DerivedName, labels: Uint32Array, sums: Rollup): Section {
  const placeOf = new Map(Array.from(sums.ids, (label, place) => [label, place]));
  const { outside } = sums;
  const numbers = Array.from(sums.ids, (_, at) => [
    sums.totalMs[at]!,
    ...sums.counts.subarray(at * pageViewClasses, (at + 1) * pageViewClasses),
    sums.distinctVisits[at]!,
    ...sums.visits.subarray(at * visitParts, (at + 1) * visitParts),
    sums.timedVisits[at]!,
    ...(outside ? [outside.pageviews[at]!, outside.totalMs[at]!] : []),
  ]);
  const ofAll = [sums.unique[0]!, sums.visitsOfPart[0]!, sums.timedVisitsOfPart[0]!];
  const data = packed([labels.map((label) => placeOf.get(label)!), [...ofAll, ...numbers.flat()]]);
  return { name: classesName(of), data };
}

export interface ClassSums {
  /** By entry of the month's rollup by tuple: its class. */
  readonly labels: Uint32Array;
  /** Three numbers of all classes, then those of each. */
  readonly numbers: Column;
}

/** Returns the classes of the tuples of a month, and their sums; undefined if its file does not know them. */
export function classesIn(month: ReducedMonth, of: DerivedName): ClassSums | undefined {
  const name = classesName(of);
  if (!month.has(name)) return undefined;
  const [labels, numbers] = unpacked(month.section(name)) as [Uint32Array, Column];
  return { labels, numbers };
}

/**
 * Returns by present tuple the class that it had. Tuples that have become one have a class of their own: with what made
 * them one, their channel may have become another. `ids`: the present tuples of the month.
 */
export function laterClasses({ labels }: ClassSums, ids: Uint32Array): Uint32Array {
  const [mostId, mostLabel] = [ids, labels].map((all) => all.reduce((most, one) => Math.max(most, one), 0));
  const isKnown = new Uint8Array(mostId! + 1);
  const classOf = new Uint32Array(mostId! + 1);
  ids.forEach((id, entry) => {
    classOf[id] = isKnown[id] === 1 ? mostLabel! + 1 : labels[entry]!;
    isKnown[id] = 1;
  });
  return classOf;
}

/**
 * Returns the sums of a month with one entry a class, with one of its tuples; undefined if its file does not know them, or
 * the tuples of a class are not of one class any more. `ids`: the tuples of the month; `classOf`: the present class of
 * each tuple.
 */
export function rollupByClass(
  month: ReducedMonth,
  of: DerivedName,
  ids: Uint32Array,
  classOf: Uint32Array,
): Rollup | undefined {
  const classes = classesIn(month, of);
  const tuples = classes && tuplesOfClasses(classes.labels, ids, classOf);
  return tuples && rollupOf(tuples, classes.numbers);
}

/** Does the same for the days of the month. */
export function daysByClass(
  month: ReducedMonth,
  of: DerivedName,
  ids: Uint32Array,
  classOf: Uint32Array,
): Rollup | undefined {
  const whole = rollupByClass(month, of, ids, classOf);
  if (whole === undefined) return undefined;
  const name = classDaysName(of);
  const days = decodedDays(whole, month.section(name));
  return { ...days, ...unpackedTimes(month.section(timedName(name)), days) };
}

/** Returns a tuple of each class; undefined if others have another class now. */
function tuplesOfClasses(
  labels: Uint32Array,
  ids: Uint32Array,
  classOf: Uint32Array,
): Uint32Array | undefined {
  let classes = 0;
  for (let at = 0; at < labels.length; at++) classes = Math.max(classes, labels[at]! + 1);
  const tuples = new Uint32Array(classes);
  /** By class: that of its tuples now, counted from 1. */
  const now = new Uint32Array(classes);
  for (let at = 0; at < labels.length; at++) {
    const label = labels[at]! | 0;
    const own = (classOf[ids[at]! | 0]! + 1) | 0;
    if (now[label] === own) continue;
    if (now[label] !== 0) return undefined;
    now[label] = own;
    tuples[label] = ids[at]!;
  }
  return tuples;
}

/** `ids`: a tuple of each class. */
function rollupOf(ids: Uint32Array, [unique, visitsOfPart, timedVisitsOfPart, ...numbers]: Column): Rollup {
  const width = numbers.length / Math.max(1, ids.length);
  const next = { at: 0 };
  const column = (own: number) => {
    const first = next.at;
    next.at += own;
    return Float64Array.from(
      { length: own * ids.length },
      (_, at) => numbers[Math.floor(at / own) * width + first + (at % own)]!,
    );
  };
  const words = (own: number) => Uint32Array.from(column(own));
  return {
    ends: Uint32Array.of(ids.length),
    ids,
    unique: Uint32Array.of(unique!),
    visitsOfPart: Uint32Array.of(visitsOfPart!),
    timedVisitsOfPart: Uint32Array.of(timedVisitsOfPart!),
    totalMs: column(1),
    counts: words(pageViewClasses),
    distinctVisits: words(1),
    visits: words(visitParts),
    timedVisits: words(1),
    outside: next.at < width ? { pageviews: words(1), totalMs: column(1) } : undefined,
  };
}
