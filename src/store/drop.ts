/**
 * A website without its oldest months, as if they had never been: dictionaries and tuples hold only what a row
 * that stays has, and the chunks that stay have new ids. They keep their numbers and rows, so that beacons still
 * find them. Every object is new: what was derived from an old chunk or dictionary says nothing of a new one.
 */
import { columnNames, type ColumnName } from "../core/dimension.ts";
import { Chunk, movedRow } from "./chunk.ts";
import { grown, IdColumn } from "./column.ts";
import { columnsOf } from "./columns.ts";
import type { Dictionary } from "./dictionary.ts";
import { growingHalves, growingWords } from "./growing.ts";
import { columnMembers, Site, type TupleColumn } from "./site.ts";

/** By old id: 1 if something that stays has it. */
type Used = Uint8Array;
/** By old id. What is not used is 0, and so is the overflow, which has that id in the new site too. */
type NewIds = Uint32Array;

interface SiteIds {
  readonly columns: Readonly<Record<ColumnName, NewIds>>;
  readonly propertyNames: NewIds;
  readonly propertyValues: NewIds;
}

export function hasMonthsBefore(site: Site, monthMs: number): boolean {
  return site.chunks.values().some((chunk) => chunk.monthMs < monthMs);
}

/** `monthMs`: start of the first month that stays. The old site shares buffers with the new one: it is used up. */
export function withoutMonthsBefore(site: Site, monthMs: number): Site {
  const chunks = [...site.chunks.values()].filter((chunk) => chunk.monthMs >= monthMs);
  const kept = new Site(site.websiteId);
  kept.nextChunkNumber = site.nextChunkNumber;
  const columns = columnNames.map((name) => [name, moveColumn(name, chunks, site, kept)]);
  const ids: SiteIds = {
    columns: Object.fromEntries(columns) as Record<ColumnName, NewIds>,
    propertyNames: moveProperties(chunks, "propertyName", site.propertyNames, kept.propertyNames),
    propertyValues: moveProperties(chunks, "propertyValue", site.propertyValues, kept.propertyValues),
  };
  for (const chunk of chunks) kept.restore(renumbered(chunk, ids));
  return kept;
}

function moveColumn(name: ColumnName, chunks: readonly Chunk[], site: Site, kept: Site): NewIds {
  if (name !== "path") return moveTuples(name, chunks, site, kept);
  const [paths, keptPaths] = dictionariesOf(columnMembers.path[0] as number, site, kept);
  return paths.moveUsed(usedIds(chunks, name, paths.size), keptPaths);
}

function moveTuples(name: TupleColumn, chunks: readonly Chunk[], site: Site, kept: Site): NewIds {
  const { members, size, width } = site.tuples[name];
  const used = usedIds(chunks, name, size);
  const memberIds = columnMembers[name].map((dimension, member) => {
    const [dictionary, keptDictionary] = dictionariesOf(dimension, site, kept);
    const usedValues = new Uint8Array(dictionary.size);
    const ids = members[member] as Uint32Array;
    for (let tuple = 0; tuple < size; tuple++) if (used[tuple]) usedValues[ids[tuple] as number] = 1;
    return dictionary.moveUsed(usedValues, keptDictionary);
  });
  const newIds = new Uint32Array(size);
  const moved = new Uint32Array(width);
  for (let tuple = 1; tuple < size; tuple++) {
    if (!used[tuple]) continue;
    members.forEach((ids, member) => {
      moved[member] = (memberIds[member] as NewIds)[ids[tuple] as number] as number;
    });
    newIds[tuple] = kept.tuples[name].intern(moved, 0);
  }
  return newIds;
}

/** A property that moved on is nobody's here. */
function moveProperties(
  chunks: readonly Chunk[],
  column: "propertyName" | "propertyValue",
  from: Dictionary,
  to: Dictionary,
): NewIds {
  const used = new Uint8Array(from.size);
  for (const { [column]: ids, propertyRow, properties } of chunks)
    for (let index = 0; index < properties; index++)
      if (propertyRow[index] !== movedRow) used[ids[index] as number] = 1;
  return from.moveUsed(used, to);
}

function usedIds(chunks: readonly Chunk[], name: ColumnName, size: number): Used {
  const used = new Uint8Array(size);
  for (const { ids, rows } of chunks) {
    const { values } = ids[name];
    for (let row = 0; row < rows; row++) used[values[row] as number] = 1;
  }
  return used;
}

/** Columns without ids are those of the old chunk, which is used up. */
function renumbered(chunk: Chunk, { columns, propertyNames, propertyValues }: SiteIds): Chunk {
  const { ids, rows, time, flags, duration, propertyRow, propertyTime } = chunk;
  return chunk.withColumns({
    time,
    ids: columnsOf((name) => renumberedIds(ids[name], rows, columns[name])),
    flags,
    duration,
    propertyName: renumberedValues(chunk.propertyName, propertyNames),
    propertyValue: renumberedValues(chunk.propertyValue, propertyValues),
    propertyRow,
    propertyTime,
  });
}

function renumberedValues(ids: Uint32Array, newIds: NewIds): Uint32Array {
  const renumbered = growingWords(ids.length);
  for (let index = 0; index < ids.length; index++) renumbered[index] = newIds[ids[index] as number] as number;
  return renumbered;
}

function renumberedIds({ values }: IdColumn, rows: number, newIds: NewIds): IdColumn {
  const wide = growingWords(values.length);
  let greatest = 0;
  for (let row = 0; row < rows; row++) {
    const id = newIds[values[row] as number] as number;
    wide[row] = id;
    if (id > greatest) greatest = id;
  }
  return new IdColumn(greatest > 0xffff ? wide : grown(wide, growingHalves(wide.length)));
}

function dictionariesOf(dimension: number, site: Site, kept: Site): [Dictionary, Dictionary] {
  return [site.dictionaries[dimension] as Dictionary, kept.dictionaries[dimension] as Dictionary];
}
