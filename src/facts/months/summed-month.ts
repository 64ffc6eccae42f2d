/**
 * Makes the facts of a month of which only sums by day are known, as the file of a month without rows. Every day lies in
 * the quarter of an hour at 10:30 UTC: so it belongs to the same date in time zones from Hawaii (UTC-10) to the summer of New
 * Zealand (UTC+13). Ids are those of names
 * that the file brings along, and become the website's when the month is added to it.
 */
import { dayMs } from "../../core/hit.ts";
import { packed } from "../../lib/packing/packed-columns.ts";
import type { ImportedNames } from "../../record/month-kinds.ts";
import type { Section } from "../../snapshot/section.ts";
import type { ChunkHead } from "../../store/chunks/chunk-head.ts";
import { pageViewClasses, rowClass } from "../../store/columns/row-class.ts";
import { visitPart, visitParts } from "../../store/columns/row-flag.ts";
import { fileOfMonth, usesName } from "../../store/state/reduced-month.ts";
import { digestsOf, packedDigests } from "./digest.ts";
import type { RollupSums } from "../entries.ts";
import type { RollupOf } from "../facts.ts";
import { addSums, allSums, noSums, type DaySums, type MonthSums, type Sums } from "./month-sums.ts";
import { quarterMs, quarterVisit, quarterVisits } from "../quarters.ts";
import { digestUnits } from "./reduce.ts";
import { SummedNames, type Entry } from "./summed-names.ts";
import { pagedSections } from "./paged-digests.ts";
import { packedQuarters } from "./sections/quarters-sections.ts";
import { listedOf } from "../rollup.ts";
import { packedRepeats, repeatsName, rollupSections } from "./sections/reduced-sections.ts";

const placeMs = 10.5 * 3_600_000;

export interface SummedMonth {
  readonly head: Omit<ChunkHead, "number">;
  readonly names: ImportedNames;
  readonly sections: readonly Section[];
}

/** Lets the caller do something else in between. */
type Pause = () => Promise<unknown>;

/** `pause`: called after each step. With a hundred thousand names in a month a step takes a tenth of a second. */
export async function summedMonth({ monthMs, days }: MonthSums, pause: Pause): Promise<SummedMonth> {
  const names = new SummedNames(days);
  const numbers = new Uint32Array(0);
  const none = packed([numbers, numbers, numbers]);
  const noDigests = packedDigests(digestsOf([]));
  const lists: Section[] = [];
  for (const of of listedOf) {
    await pause();
    const own = { of, days: days.map((day) => names.entriesOf(of, day)) };
    await pause();
    lists.push(...(await sectionsOf(own, days, pause)));
  }
  await pause();
  const head = headOf(monthMs, days);
  const sections = fileOfMonth(head, [
    ...lists,
    { name: "repeats", data: packedRepeats(noRepeats) },
    { name: "crossings", data: none },
    { name: "quarters", data: quartersOf(days) },
    ...digestUnits.map((unit) => ({ name: `durations ${unit}`, data: noDigests })),
    ...pagedSections(digestsOf([])),
    ...eventsOf(days, names),
  ]);
  return { head, names: names.all, sections };
}

const noRepeats = {
  ids: new Uint32Array(0),
  days: new Uint32Array(0),
  nextDays: new Uint32Array(0),
  visits: new Uint32Array(0),
};

function headOf(monthMs: number, days: readonly DaySums[]): Omit<ChunkHead, "number"> {
  const timesOf = (own: readonly DaySums[]) => own.map(({ day }) => day * dayMs + placeMs);
  const views = timesOf(days.filter(({ all }) => all.pageviews > 0));
  const events = timesOf(days.filter((day) => day.events.length > 0));
  return {
    monthMs,
    rows: days.reduce((sum, { all }) => sum + all.pageviews, 0),
    properties: days.reduce((sum, day) => sum + eventsIn(day), 0),
    sorted: true,
    bounds: [views[0], views.at(-1), events[0], events.at(-1)].map((ms) => ms ?? null),
    isImported: true,
  };
}

function eventsIn({ events }: DaySums): number {
  return events.reduce((sum, [, count]) => sum + count, 0);
}

interface List {
  readonly of: RollupOf;
  /** By day: the entries, in which an id may be more than once. */
  readonly days: readonly (readonly Entry[])[];
}

/** Returns the sections of a list. Its days are all from the first one with a page view to the last. */
async function sectionsOf({ of, days }: List, sums: readonly DaySums[], pause: Pause): Promise<Section[]> {
  const views = sums.filter(({ all }) => all.pageviews > 0);
  const [first, last] = [views[0]?.day ?? 0, views.at(-1)?.day ?? -1];
  const places = Array.from({ length: last - first + 1 }, (_, at) =>
    sums.findIndex(({ day }) => day === first + at),
  );
  const entries = places.map((at) => days[at] ?? []);
  const all = places.map((at) => sums[at]?.all ?? noSums);
  const whole = rollupOf([entries.flat()], [allSums(all)]);
  await pause();
  const byDay = rollupOf(entries, all);
  await pause();
  return [...rollupSections(of, whole, byDay), { name: repeatsName(of), data: packedRepeats(noRepeats) }];
}

/** `parts`: the entries of each part; `all`: the sums of each part. */
function rollupOf(parts: readonly (readonly Entry[])[], all: readonly Sums[]): RollupSums {
  const own = parts.map((entries) => {
    const byId = new Map<number, Record<keyof Sums, number>>();
    for (const [id, sums] of entries) {
      const known = byId.get(id);
      if (known === undefined) byId.set(id, { ...sums });
      else addSums(known, sums);
    }
    return [...byId].sort(([a], [b]) => a - b);
  });
  const entries = own.flat();
  let end = 0;
  return {
    ends: Uint32Array.from(own, ({ length }) => (end += length)),
    unique: Uint32Array.from(all, ({ visitors }) => visitors),
    visitsOfPart: Uint32Array.from(all, ({ visits }) => visits),
    ids: Uint32Array.from(entries, ([id]) => id),
    counts: columnsOf(entries, pageViewClasses, classesOf),
    totalMs: Float64Array.from(entries, ([, { totalMs }]) => totalMs),
    visits: columnsOf(entries, visitParts, partsOfVisits),
    distinctVisits: Uint32Array.from(entries, ([, { visits }]) => visits),
  };
}

/** Returns `width` numbers of each entry, one entry after the other. */
function columnsOf(
  entries: readonly Entry[],
  width: number,
  of: (sums: Sums) => readonly number[],
): Uint32Array {
  const numbers = new Uint32Array(entries.length * width);
  for (const [at, [, sums]] of entries.entries()) numbers.set(of(sums), at * width);
  return numbers;
}

const noClasses: readonly number[] = Array.from({ length: pageViewClasses }, () => 0);
const noParts: readonly number[] = Array.from({ length: visitParts }, () => 0);

/** Sums do not say the times of single page views: all have an unknown time, so none counts as a bounce by its own. */
function classesOf({ pageviews, visitors }: Sums): number[] {
  const classes = noClasses.slice();
  classes[rowClass.visitorUntimed] = visitors;
  classes[rowClass.untimed] = Math.max(0, pageviews - visitors);
  return classes;
}

function partsOfVisits({ entries, bounced, exits }: Sums): number[] {
  const parts = noParts.slice();
  parts[visitPart.entries] = entries;
  parts[visitPart.bounced] = Math.min(bounced, entries);
  parts[visitPart.exits] = exits;
  return parts;
}

function quartersOf(days: readonly DaySums[]): Uint8Array {
  const own = days.filter(({ all }) => all.pageviews > 0);
  const [counts, totalMs, visits] = [[0, 0, 0, 0, 0, 0], [0], Array.from({ length: quarterVisits }, () => 0)];
  for (const { all } of own) {
    const parts = Array.from({ length: quarterVisits }, (_, part) => partsOfVisits(all)[part] ?? 0);
    parts[quarterVisit.first] = parts[quarterVisit.last] = all.visits;
    append(counts, classesOf(all));
    append(totalMs, [all.totalMs]);
    append(visits, parts);
  }
  return packedQuarters({
    numbers: Int32Array.from(own, ({ day }) => (day * dayMs + placeMs) / quarterMs),
    counts: Uint32Array.from(counts),
    totalMs: Float64Array.from(totalMs),
    visits: Uint32Array.from(visits),
    outside: undefined,
  });
}

/** Appends running sums. */
function append(to: number[], added: readonly number[]): void {
  const last = to.slice(-added.length);
  to.push(...added.map((number, at) => last[at]! + number));
}

function eventsOf(days: readonly DaySums[], names: SummedNames): Section[] {
  const found = days
    .flatMap(({ day, events }) =>
      events.map(([name, count]) => [names.ofEvents.idOf(name), day, count] as const),
    )
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const column = (at: 0 | 1 | 2) => Uint32Array.from(found, (entry) => entry[at]);
  return [
    { name: "events", data: packed([column(0), column(1), column(2)]) },
    { name: usesName({ property: "names" }), data: packed([column(0), column(2)]) },
  ];
}
