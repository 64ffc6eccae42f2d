/**
 * The columns of an open chunk as another thread is sent them: the one that writes a checkpoint, or that answers questions.
 * Memory that is shared, and what the chunk's basis has, costs nothing: only what later hits may change is copied.
 */
import { assert } from "../../lib/assert.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import { byName, inPlaceOf, type Sections } from "../../snapshot/named-sections.ts";
import type { Section } from "../../snapshot/section.ts";
import type { Chunk } from "../chunks/chunk.ts";
import type { Columns } from "../columns/columns.ts";
import { rewrittenInPlace } from "../chunks/edited-chunk.ts";
import type { Rewrite } from "../columns/renumber.ts";
import { saveChanges, withChanges } from "./chunk-changes.ts";
import { saveChunk, savedBeside, viewColumns } from "./save-chunk.ts";

/**
 * Columns in a file; in sections as `saveChunk` makes them; or in a file some of whose sections are replaced by these, with
 * changes as `saveChanges` makes them, after rewrites by which rows keep their numbers.
 */
export interface SentColumns {
  readonly file?: FileEntry;
  readonly sections?: readonly Section[];
  readonly changes?: readonly Section[];
  readonly inPlace?: readonly Rewrite[];
}

/** Returns the columns of any chunk. `rewrites` lead from these to its present rows and ids. */
export function sentOf(
  chunk: Chunk,
  fileOf: (chunk: Chunk) => FileEntry,
): SentColumns & { readonly rewrites: readonly Rewrite[] | undefined } {
  const { chunk: source, rewrites } = chunk.rewrittenFrom ?? { chunk };
  return { ...(source.resident ? sentColumns(source) : { file: fileOf(source) }), rewrites };
}

function sentColumns(chunk: Chunk): SentColumns {
  // The basis is known once they are read.
  void chunk.columns;
  const { basis, changed, properties } = chunk;
  if (basis === undefined) return { sections: saveChunk(chunk) };
  assert(changed !== undefined, "a chunk with a basis knows what has changed since");
  return {
    file: basis.file,
    sections: savedBeside(chunk, basis),
    changes: saveChanges(chunk, changed, properties),
    inPlace: basis.rewrites,
  };
}

/** Returns the columns that were sent. `file`: the sections of their file, whose memory is the caller's own. */
export function receivedColumns(
  { sections = [], changes, inPlace = [] }: SentColumns,
  file: Sections = new Map(),
): Columns {
  const columns = rewrittenInPlace(viewColumns(inPlaceOf(file, sections)), inPlace);
  return changes === undefined ? columns : withChanges(columns, byName(changes));
}

export function sectionsOf({ sections = [], changes = [] }: SentColumns): readonly Section[] {
  return [...sections, ...changes];
}
