/** Builds the facts that a month keeps when it gives up its rows. */
import { hourMs } from "../../core/hit.ts";
import { utcDay } from "../../core/calendar/date.ts";
import { columnNames } from "../../core/questions/dimension.ts";
import { derivedNames } from "../../core/questions/stored-dimension.ts";
import { packed } from "../../lib/packing/packed-columns.ts";
import type { Section } from "../../snapshot/section.ts";
import { monthEndMs } from "../../store/chunks/month.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import { movedRow } from "../../store/columns/columns.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { usesName } from "../../store/state/reduced-month.ts";
import { timedRows } from "../making/build.ts";
import type { KeptGoals } from "./converted.ts";
import { classSections } from "./class-sums.ts";
import type { ChannelsOf } from "../channel-sums.ts";
import { digestsOf, packedDigests, type Digests } from "./digest.ts";
import { byPage } from "../page-durations.ts";
import { quarterMs, quartersOfChunk } from "../quarters.ts";
import type { Unit } from "../entries.ts";
import { goalSections } from "./goal-sums.ts";
import type { RollupOf } from "../facts.ts";
import { pagedSections } from "./paged-digests.ts";
import { packedQuarters, timedQuarters } from "./sections/quarters-sections.ts";
import { packedRepeats, repeatsName } from "./sections/reduced-sections.ts";
import { repeatsOf, severalDays, type SeveralDays } from "./sections/repeats.ts";
import { timedName, timedRollupSections } from "./sections/timed-sections.ts";
import { listedValues, rollUp, type ListedValues } from "../rollup.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";

/** A number above that of all days since 1970 that will be stored. */
const daysMax = 2 ** 17;

/** The units that durations are digested by, besides pages. */
export const digestUnits = ["month", "day", "hour"] as const;
export type DigestUnit = (typeof digestUnits)[number];

/** Returns the number of the unit that a time lies in: of a day or an hour, counted from 1970; 0 for the month. */
function unitOf(unit: DigestUnit, ms: number): number {
  if (unit === "month") return 0;
  return unit === "day" ? utcDay(ms) : Math.floor(ms / hourMs);
}

/**
 * `month`: all rows of the month in one chunk, by time. `later`: the chunks that have the first rows of the next month,
 * in which visits of the month may go on. `channelsOf`: returns the channels by tuple.
 */
export function reducedSections(
  site: ReadSite,
  month: Chunk,
  later: readonly Chunk[],
  goals: KeptGoals,
  channelsOf: ChannelsOf,
): Section[] {
  const rollups = rollUp(site, month);
  const several = severalDays(month, later, monthEndMs(month.monthMs));
  const timed = timedDays(several);
  const values = columnNames.flatMap((column) => listedValues(site, column));
  const rollupOf = (of: RollupOf, unit: Unit) =>
    rollups.find((made) => made.of === of && made.unit === unit)!.rollup;
  const quarters = quartersOfChunk(month);
  return [
    ...values.flatMap(({ of }) => timedRollupSections(of, rollupOf(of, "whole"), () => rollupOf(of, "day"))),
    ...derivedNames.flatMap((of) =>
      classSections(of, rollupOf(of, "whole"), rollupOf(of, "day"), channelsOf(site, of)),
    ),
    ...[...values, undefined].flatMap((own) => repeatsSections(several, timed, own)),
    { name: "crossings", data: crossingsOf(month, later, () => true) },
    { name: timedName("crossings"), data: crossingsOf(month, later, isTimed) },
    { name: "quarters", data: packedQuarters(quarters) },
    timedQuarters(quarters),
    ...digestUnits.map((unit) => ({ name: `durations ${unit}`, data: durationsBy(unit, month) })),
    ...pagedSections(durationsByPage(site, month)),
    ...eventsByDay(month),
    ...goalSections(site, goals, month, later),
  ];
}

/** `values`: undefined for all of them together. */
function repeatsSections(several: SeveralDays, timed: SeveralDays, values?: ListedValues): Section[] {
  const name = values === undefined ? "repeats" : repeatsName(values.of);
  return [
    { name, data: packedRepeats(repeatsOf(several, values)) },
    { name: timedName(name), data: packedRepeats(repeatsOf(timed, values)) },
  ];
}

type Counts = (chunk: Chunk, row: number) => boolean;

const isTimed: Counts = ({ flags }, row) => (flags[row]! & rowFlag.timed) !== 0;

/** Returns the rows whose time is known. */
function timedDays({ parts, ...days }: SeveralDays): SeveralDays {
  return { ...days, parts: parts.map((rows) => rows.filter(({ chunk, row }) => isTimed(chunk, row))) };
}

/**
 * Returns the visits that go on in the next month: the quarter of an hour of their last row here, and that of their
 * first row there. `counts`: whether a row does.
 */
function crossingsOf(month: Chunk, later: readonly Chunk[], counts: Counts): Uint8Array {
  const firsts = new Map<number, number>();
  for (const chunk of later)
    for (let row = 0, { visit, time, monthMs, rows } = chunk; row < rows; row++) {
      const ms = monthMs + time[row]!;
      if (visit[row] !== 0 && counts(chunk, row))
        firsts.set(visit[row]!, Math.min(firsts.get(visit[row]!) ?? Infinity, ms));
    }
  const lasts = new Map<number, number>();
  for (let row = 0; row < month.rows; row++)
    if (firsts.has(month.visit[row]!) && counts(month, row))
      lasts.set(month.visit[row]!, month.monthMs + month.time[row]!);
  const quarterOf = (ms: number) => Math.floor(ms / quarterMs);
  const pairs = Map.groupBy(lasts, ([visit, ms]) => `${quarterOf(ms)} ${quarterOf(firsts.get(visit)!)}`);
  const entries = Array.from(pairs, ([key, visits]) => [...key.split(" ").map(Number), visits.length]);
  entries.sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
  return packed([0, 1, 2].map((at) => Uint32Array.from(entries, (entry) => entry[at]!)));
}

function durationsBy(unit: DigestUnit, { monthMs, time, flags, duration, rows }: Chunk): Uint8Array {
  const groups = new Map<number, number[]>();
  for (let row = 0; row < rows; row++) {
    if ((flags[row]! & rowFlag.timed) === 0) continue;
    const key = unitOf(unit, monthMs + time[row]!);
    groups.getOrInsertComputed(key, () => []).push(duration[row]!);
  }
  const sorted = groups.entries().map(([key, own]) => [key, Uint32Array.from(own).sort()] as const);
  return packedDigests(digestsOf(sorted));
}

function durationsByPage(site: ReadSite, month: Chunk): Digests {
  const { paths, durations } = timedRows(month);
  const { ids, ends, values } = byPage(paths, durations, pathDictionary(site).size);
  const groups = Array.from(ids, (id, at) => [id, values.subarray(ends[at - 1] ?? 0, ends[at])] as const);
  return digestsOf(groups);
}

/** Returns the events by the id of their name and the day of their own time, and the uses of these names. */
function eventsByDay(month: Chunk): Section[] {
  const found = new Map<number, number>();
  for (let index = 0; index < month.properties; index++) {
    if (month.propertyRow[index] === movedRow) continue;
    const key = month.propertyName[index]! * daysMax + utcDay(month.propertyTimeMs(index));
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  const keys = [...found.keys()].sort((a, b) => a - b);
  const names = Uint32Array.from(keys, (key) => Math.floor(key / daysMax));
  const days = Uint32Array.from(keys, (key) => key % daysMax);
  const events = Uint32Array.from(keys, (key) => found.get(key)!);
  return [
    { name: "events", data: packed([names, days, events]) },
    { name: usesName({ property: "names" }), data: packed([names, events]) },
  ];
}
