/**
 * Builds a website without its oldest months, as if they had never been: dictionaries and tuples hold only values of
 * the remaining rows, and the remaining chunks have new ids. The chunks keep their numbers and rows, so that beacons
 * still find them. Every object is new, so nothing cached for an old chunk or dictionary is taken to be valid for a new
 * one. Which ids stay is read before the record is logged, one chunk at a time: nothing is logged that could not be
 * applied.
 */
import type { ColumnName } from "../../core/dimension.ts";
import type { Chunk } from "../columns/chunk.ts";
import { columnsOf } from "../columns/columns.ts";
import type { Dictionary } from "../values/dictionary.ts";
import { composed, renumbered, renumberedSource, type ChunkIds, type NewIds } from "../columns/renumber.ts";
import { columnMembers, Site, type TupleColumn } from "./site.ts";
import { UsedIds } from "./used-ids.ts";

export function hasMonthsBefore(site: Site, monthMs: number): boolean {
  return site.chunks.values().some((chunk) => chunk.monthMs < monthMs);
}

/**
 * Returns the website from the month that starts at `monthMs` on. `used`: the ids already known to be used by the
 * remaining rows. Columns in memory get new ids at once; those in files when they are asked for, until a checkpoint
 * writes them with the new ids. The old site shares buffers with the new one and must not be used any more. Throws what
 * reading columns throws, where a chunk in a file is not yet in `used`.
 */
export function withoutMonthsBefore(site: Site, monthMs: number, used = new UsedIds(site)): Site {
  const chunks = [...site.chunks.values()].filter((chunk) => chunk.monthMs >= monthMs);
  for (const chunk of chunks) used.add(chunk);
  const kept = new Site(site.websiteId);
  kept.nextChunkNumber = site.nextChunkNumber;
  const ids: ChunkIds = {
    columns: columnsOf((name) => moveColumn(name, used, site, kept)),
    propertyNames: site.propertyNames.moveUsed(used.of("propertyName"), kept.propertyNames),
    propertyValues: site.propertyValues.moveUsed(used.of("propertyValue"), kept.propertyValues),
  };
  for (const chunk of chunks) kept.restore(withIds(chunk, ids));
  return kept;
}

/** Returns the chunk with other ids: at once where its columns are in memory, else when they are asked for. */
export function withIds(chunk: Chunk, ids: ChunkIds): Chunk {
  if (chunk.resident) return chunk.withColumns(renumbered(chunk.columns, ids, chunk.rows));
  const { origin = { chunk, ids: undefined } } = chunk;
  const all = composed(origin.ids, ids);
  return chunk.derived(
    { chunk: origin.chunk, ids: all },
    renumberedSource(() => chunk.columns, ids, chunk.rows),
  );
}

function moveColumn(name: ColumnName, used: UsedIds, site: Site, kept: Site): NewIds {
  if (name !== "path") return moveTuples(name, used.of(name), site, kept);
  const [paths, keptPaths] = dictionariesOf(columnMembers.path[0] as number, site, kept);
  return paths.moveUsed(used.of(name), keptPaths);
}

function moveTuples(name: TupleColumn, used: Uint8Array, site: Site, kept: Site): NewIds {
  const { members, size } = site.tuples[name];
  const memberIds = columnMembers[name].map((dimension, member) => {
    const [dictionary, keptDictionary] = dictionariesOf(dimension, site, kept);
    const usedValues = new Uint8Array(dictionary.size);
    const ids = members[member] as Uint32Array;
    for (let tuple = 0; tuple < size; tuple++) if (used[tuple]) usedValues[ids[tuple] as number] = 1;
    return dictionary.moveUsed(usedValues, keptDictionary);
  });
  const newIds = new Uint32Array(size);
  let count = 0;
  for (let tuple = 1; tuple < size; tuple++) if (used[tuple]) newIds[tuple] = ++count;
  const moved = members.map((ids, member) => movedMembers(ids, memberIds[member] as NewIds, newIds, count));
  kept.tuples[name].append(moved);
  return newIds;
}

/** Returns one member of the tuples that have a new id, in the order of the new ids. */
function movedMembers(ids: Uint32Array, idsNow: NewIds, newIds: NewIds, count: number): Uint32Array {
  const moved = new Uint32Array(count);
  for (let tuple = 1; tuple < newIds.length; tuple++) {
    const newId = newIds[tuple] as number;
    if (newId > 0) moved[newId - 1] = idsNow[ids[tuple] as number] as number;
  }
  return moved;
}

function dictionariesOf(dimension: number, site: Site, kept: Site): [Dictionary, Dictionary] {
  return [site.dictionaries[dimension] as Dictionary, kept.dictionaries[dimension] as Dictionary];
}
