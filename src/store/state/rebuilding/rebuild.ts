/**
 * Builds a website anew with the values of some of its rows only: dictionaries and tuples hold nothing else, so values
 * and tuples have new ids. Every object is new, so nothing cached for an old chunk or dictionary is taken to be valid
 * for a new one.
 */
import type { ColumnName } from "../../../core/questions/dimension.ts";
import type { Chunk } from "../../chunks/chunk.ts";
import type { ChunkHead } from "../../chunks/chunk-head.ts";
import { columnsOf } from "../../columns/columns.ts";
import { rewrittenBased, rewrittenOpen } from "../../chunks/edited-chunk.ts";
import {
  renumbered,
  rewrittenSource,
  type ChunkIds,
  type NewIds,
  type Rewrite,
} from "../../columns/renumber.ts";
import { editedColumns } from "../../columns/row-edits.ts";
import type { Dictionary } from "../../values/dictionary.ts";
import type { ReducedIds } from "../reduced-month.ts";
import { columnMembers, Site, type TupleColumn } from "../site.ts";
import type { UsedIds } from "./used-ids.ts";

export interface Rebuilt {
  /** The website with the ids that are used, and no chunks yet. */
  readonly kept: Site;
  readonly ids: ChunkIds;
  /** The new ids for months without rows. */
  readonly idsOfMonths: ReducedIds;
}

/** Returns the website with the ids that are used, and their new ids. */
export function rebuilt(site: Site, used: UsedIds): Rebuilt {
  const kept = new Site(site.websiteId);
  kept.continueFrom(site);
  const values: NewIds[] = [];
  const ids: ChunkIds = {
    columns: columnsOf((name) => moveColumn(name, used, site, kept, values)),
    propertyNames: site.propertyNames.moveUsed(used.of("propertyName"), kept.propertyNames),
    propertyValues: site.propertyValues.moveUsed(used.of("propertyValue"), kept.propertyValues),
  };
  return { kept, ids, idsOfMonths: { values, tuples: ids.columns, propertyNames: ids.propertyNames } };
}

/**
 * Returns a chunk after a rewrite. Columns in memory are rewritten at once; those in files when they are asked for, until a
 * checkpoint writes them. `head`: that of the rows that stay, where they get new numbers because the chunk is sealed.
 */
export function rewrittenChunk(chunk: Chunk, rewrite: Rewrite, head: ChunkHead = chunk.head): Chunk {
  const { ids, edits } = rewrite;
  if (!chunk.sealed) return rewrittenOpen(chunk, rewrite);
  if (chunk.resident) {
    const { columns, properties, basis } = chunk;
    // Rows of a damaged file are saved as they were found, without it.
    const isLost = basis?.isDamaged === true && edits !== undefined;
    if (basis !== undefined && !isLost) return rewrittenBased(chunk, rewrite, head);
    const own = edits === undefined ? columns : editedColumns(columns, edits, properties);
    return chunk.withColumns(renumbered(own, ids, head.rows), head);
  }
  const { chunk: origin, rewrites } = chunk.rewrittenFrom ?? { chunk, rewrites: [] };
  const columns = rewrittenSource(() => chunk.columns, [rewrite]);
  return chunk.madeFrom({ chunk: origin, rewrites: [...rewrites, rewrite] }, columns, head);
}

/** `values`: gets the new ids of the values of the column's dimensions, by dimension. */
function moveColumn(name: ColumnName, used: UsedIds, site: Site, kept: Site, values: NewIds[]): NewIds {
  if (name !== "path") return moveTuples(name, used, site, kept, values);
  const path = columnMembers.path[0]!;
  const [paths, keptPaths] = dictionariesOf(path, site, kept);
  const newIds = paths.moveUsed(used.of(name), keptPaths);
  values[path] = newIds;
  return newIds;
}

function moveTuples(name: TupleColumn, used: UsedIds, site: Site, kept: Site, values: NewIds[]): NewIds {
  const memberIds = columnMembers[name].map((dimension) => {
    const [dictionary, keptDictionary] = dictionariesOf(dimension, site, kept);
    const newIds = dictionary.moveUsed(used.ofValues(dimension), keptDictionary);
    values[dimension] = newIds;
    return newIds;
  });
  return site.tuples[name].moveUsed(used.of(name), memberIds, kept.tuples[name]);
}

function dictionariesOf(dimension: number, site: Site, kept: Site): [Dictionary, Dictionary] {
  return [site.dictionaries[dimension]!, kept.dictionaries[dimension]!];
}
