/**
 * Rollups: the sums of a chunk's rows by value of one dimension, for the whole chunk and for each of its UTC days. An
 * entry holds the counts that its rows would have added, so facts and rows give the same answers.
 */
import { dayMs } from "../core/hit.ts";
import { columnNames, dimensions, type ColumnName } from "../core/questions/dimension.ts";
import {
  derivedColumns,
  derivedNames,
  dimensionIndex,
  visitDimension,
  type DerivedName,
} from "../core/questions/stored-dimension.ts";
import type { Chunk } from "../store/chunks/chunk.ts";
import { rowFlag } from "../store/columns/row-flag.ts";
import { firstFrom } from "../store/chunks/first-from.ts";
import type { ReadSite } from "../store/mirror/read-site.ts";
import type { VisitorFlag } from "../store/columns/row-class.ts";
import { columnMembers } from "../store/state/site.ts";
import { channelTuples } from "./channel-tuples.ts";
import { Entries, type Rollup, type Unit } from "./entries.ts";
import { channelCheck, firstOfChannels, type ChannelsOf } from "./channel-sums.ts";
import type { RollupOf } from "./facts.ts";
import {
  groupedVisits,
  labelKindsOf,
  type GroupedVisits,
  type Labellers,
  type LabelKind,
} from "./grouped-visits.ts";
import { hasOutside } from "./outside-visits.ts";
import { RowSums } from "./row-sums.ts";
import { rowsByVisit, type VisitRows } from "./visits.ts";

export interface MadeRollup {
  readonly of: RollupOf;
  readonly unit: Unit;
  readonly rollup: Rollup;
  /** By kind of labels: undefined if no two values have one. */
  readonly grouped: readonly (readonly [LabelKind, GroupedVisits | undefined])[];
}

/** Channels of tuples and labels of values, from tables of the program which another version may have changed. */
export interface LookUps {
  readonly channelsOf: ChannelsOf;
  readonly labellers: Labellers;
}

/**
 * The fewest rows per entry of a rollup that is kept. An entry takes twice the bytes of a row, so a kept rollup is at
 * least four times smaller than its rows.
 */
const rowsPerEntryMin = 8;

/**
 * Returns the flag that marks a visitor in the rollups of a dimension or of channels, as it does where nothing is
 * filtered.
 */
export function visitorOf(of: RollupOf): VisitorFlag {
  return of === dimensionIndex.path ? rowFlag.first : rowFlag.unique;
}

/**
 * Returns all rollups of a chunk whose rows are by time. `lookUps`: the channels by which the rows are added up, and the
 * labels by which visits are; a dimension with too many values has no rollup then. Without it, the rollups are all that
 * anybody will know of the rows: they are complete, also where they are not small compared to the rows, by tuples of one
 * channel under any table of channels, and without visits by label.
 */
export function rollUp(site: ReadSite, chunk: Chunk, lookUps?: LookUps): MadeRollup[] {
  const days = dayEnds(chunk);
  const parts: Parts = {
    days,
    visits: rowsByVisit(chunk, 0, chunk.rows),
    visitsByDay: Array.from(days, (end, day) => rowsByVisit(chunk, days[day - 1] ?? 0, end)),
    hasOutside: hasOutside(chunk),
    dictionaries: site.dictionaries,
    labellers: lookUps?.labellers,
  };
  const byChannel = lookUps && ((of: DerivedName) => tuplesByChannel(site, chunk, of, lookUps.channelsOf));
  return columnNames.flatMap((column) => rollUpColumn(chunk, listedValues(site, column, byChannel), parts));
}

/** Everything that lists are made of, by hit and by visit. The other dimensions are only filtered by. */
export const listedOf: readonly RollupOf[] = [
  ...new Set(dimensions.flatMap(({ name }) => [dimensionIndex[name], dimensionIndex[visitDimension(name)]])),
  ...derivedNames,
];

/** The values that rows are added up by: those of a listed dimension, or the tuples that stand for channels. */
export interface ListedValues {
  readonly of: RollupOf;
  readonly column: ColumnName;
  /** By id of the column: its value; without it, the id itself. */
  readonly valueOf: Uint32Array | undefined;
  /** One more than the greatest value. */
  readonly size: number;
}

/**
 * Returns the values of the dimensions and channels of a column that lists are made of. `tuplesOf`: returns, by tuple, the
 * one that stands for its channel.
 */
export function listedValues(
  site: ReadSite,
  column: ColumnName,
  tuplesOf = (of: DerivedName) => channelTuples(site, of),
): ListedValues[] {
  const ofDimensions = columnMembers[column].flatMap((dimension, member): ListedValues[] => {
    if (!listedOf.includes(dimension)) return [];
    const { size } = site.dictionaries[dimension]!;
    const valueOf = column === "path" ? undefined : site.tuples[column].members[member]!;
    return [{ of: dimension, column, valueOf, size }];
  });
  if (ofDimensions.length === 0) return [];
  const channels = derivedNames.filter((name) => derivedColumns[name] === column);
  return [
    ...ofDimensions,
    ...channels.map((of) => {
      const valueOf = tuplesOf(of);
      return { of, column, valueOf, size: valueOf.length };
    }),
  ];
}

/** Returns by tuple the first one of its channel. */
function tuplesByChannel(site: ReadSite, chunk: Chunk, of: DerivedName, channelsOf: ChannelsOf): Uint32Array {
  const channels = channelsOf(site, of);
  return firstOfChannels(channels, channelCheck(chunk, of, channels).tuples);
}

/** The chunk and its UTC days. */
interface Parts {
  /** The end row of each day. */
  readonly days: Uint32Array;
  readonly visits: VisitRows;
  readonly visitsByDay: readonly VisitRows[];
  readonly hasOutside: boolean;
  readonly dictionaries: ReadSite["dictionaries"];
  /** undefined where the rollups are complete. */
  readonly labellers: Labellers | undefined;
}

interface Rolling extends ListedValues {
  readonly whole: Entries;
  readonly byDay: Entries;
}

/** `all`: values of one column. */
function rollUpColumn(chunk: Chunk, all: readonly ListedValues[], parts: Parts): MadeRollup[] {
  const { days, visits, visitsByDay, hasOutside, dictionaries, labellers } = parts;
  const isComplete = labellers === undefined;
  const max = isComplete ? Infinity : Math.floor(chunk.rows / rowsPerEntryMin);
  const entries = all.map((values): Rolling => {
    const entriesOf = () => new Entries(values.size, max, hasOutside);
    return { ...values, whole: entriesOf(), byDay: entriesOf() };
  });
  const [first] = entries;
  if (first === undefined) return [];
  const sums = new RowSums(chunk, first.column, visitorOf(first.of));
  const columnsOf = (valueOf: Uint32Array | undefined) => ({
    visitOf: chunk.visit,
    idOf: sums.rowIds,
    flags: chunk.flags,
    valueOf,
  });
  days.forEach((end, day) => {
    sums.addRows(days[day - 1] ?? 0, end);
    for (const { whole, byDay, valueOf } of entries) {
      whole.addSums(sums, valueOf);
      byDay.addSums(sums, valueOf);
      byDay.endPart(visitsByDay[day]!, columnsOf(valueOf));
    }
    sums.clear();
  });
  return entries.flatMap(({ of, whole, byDay, valueOf }) => {
    whole.endPart(visits, columnsOf(valueOf));
    const wholeUnique = uniqueBy(chunk, Uint32Array.of(chunk.rows));
    const isByDay = !byDay.isOver && (isComplete || days.length > 1);
    const made = (unit: Unit, rollup: Rollup, visitsOf: readonly VisitRows[]): MadeRollup => {
      const columns = columnsOf(valueOf);
      const groupedBy = (kind: LabelKind) =>
        groupedVisits(rollup, visitsOf, columns, dictionaries[of as number]!, labellers![kind]);
      const kinds = isComplete ? [] : labelKindsOf(of);
      return { of, unit, rollup, grouped: kinds.map((kind) => [kind, groupedBy(kind)]) };
    };
    return [
      ...(whole.isOver ? [] : [made("whole", whole.rollup(wholeUnique), [visits])]),
      ...(isByDay ? [made("day", byDay.rollup(uniqueBy(chunk, days)), visitsByDay)] : []),
    ];
  });
}

/** Returns the end row of each UTC day of a sorted chunk, from the day of its first row on. */
export function dayEnds(chunk: Chunk): Uint32Array {
  const first = firstDay(chunk);
  const days = Math.floor(chunk.maxMs / dayMs) - first + 1;
  let row = 0;
  return Uint32Array.from({ length: days }, (_, day) => {
    row = firstFrom(chunk, (first + day + 1) * dayMs, row, chunk.rows);
    return row;
  });
}

/** Returns the UTC day of a chunk's first row, counted from 1970: the first part of its rollups by day. */
export function firstDay({ minMs }: Pick<Chunk, "minMs">): number {
  return Math.floor(minMs / dayMs);
}

/** Returns the number of page views with the hit's `p` among the rows of each part. */
function uniqueBy({ flags }: Chunk, rowEnds: Uint32Array): Uint32Array {
  return rowEnds.map((end, part) => countUnique(flags.subarray(rowEnds[part - 1] ?? 0, end)));
}

function countUnique(flags: Uint8Array): number {
  let unique = 0;
  for (let row = 0; row < flags.length; row++) unique += flags[row]! & rowFlag.unique;
  return unique;
}
