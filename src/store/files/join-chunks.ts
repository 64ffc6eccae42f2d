/**
 * Makes the file of a chunk from other columns: rows out of order, rows of several chunks, or rows with a website's
 * former ids. This is work for another thread than the one that takes hits, so a plan is a plain value that can be sent
 * there.
 */
import { assert } from "../../lib/assert.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { Sections } from "../../snapshot/named-sections.ts";
import type { Section } from "../../snapshot/section.ts";
import { Chunk } from "../chunks/chunk.ts";
import type { ChunkHead } from "../chunks/chunk-head.ts";
import { IdColumn } from "../columns/column.ts";
import {
  columnsOf,
  movedRow,
  plainColumns,
  plainOf,
  sortedByTime,
  zerosOf,
  type Columns,
  type Plain,
} from "../columns/columns.ts";
import { growingHalves, growingWords } from "../values/growing.ts";
import { rewritten, type Rewrite } from "../columns/renumber.ts";
import { saveChunk } from "./save-chunk.ts";
import { receivedColumns, type SentColumns } from "./sent-columns.ts";

/**
 * The rows of one chunk. `rewrites` lead from its columns to the present rows and ids; `rows` and `properties` are the
 * numbers of these.
 */
export interface ChunkPart extends SentColumns {
  readonly rows: number;
  readonly properties: number;
  readonly rewrites?: readonly Rewrite[] | undefined;
}

/** The chunk to make from the rows of all parts together. */
export interface ChunkPlan {
  readonly head: ChunkHead;
  /** Whether rows keep their numbers, as in a chunk that still changes. */
  readonly keepsOrder?: boolean;
  readonly parts: readonly ChunkPart[];
}

interface Part extends ChunkPart {
  readonly columns: Columns;
}

/**
 * Returns sections as `saveChunk` makes them, with the rows by time. `read` returns the sections of a file, and may
 * throw.
 */
export function joinedChunk(
  { head, keepsOrder = false, parts }: ChunkPlan,
  read: (file: FileEntry) => Sections,
): Section[] {
  const given = parts.map((part) => ({ ...part, columns: columnsOfPart(part, read) }));
  const sum = (of: (part: ChunkPart) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  assert(sum(({ rows }) => rows) === head.rows, `chunk ${head.number}: the rows of its parts`);
  assert(sum(({ properties }) => properties) === head.properties, `chunk ${head.number}: their properties`);
  const [only] = given;
  const columns = given.length === 1 && only !== undefined ? only.columns : joined(given, head);
  if (keepsOrder) return saveChunk(Chunk.sealed(head, () => columns));
  const isSorted = columns.time
    .subarray(0, head.rows)
    .every((ms, row, time) => row === 0 || ms >= time[row - 1]!);
  const byTime = isSorted ? columns : sortedByTime(columns, head.rows, head.properties);
  return saveChunk(Chunk.sealed({ ...head, sorted: true }, () => byTime));
}

function columnsOfPart(part: ChunkPart, read: (file: FileEntry) => Sections): Columns {
  const columns = receivedColumns(part, part.file && read(part.file));
  return rewritten(columns, part.rewrites ?? []);
}

/** Returns the columns of all parts, one part after the other. */
function joined(parts: readonly Part[], { rows, properties }: ChunkHead): Columns {
  const lengths = { rows, properties };
  const plain = plainOf((name) => {
    const { of } = plainColumns[name];
    return joinedColumn(
      zerosOf(name, lengths[of]),
      parts,
      (columns) => columns[name],
      (part) => part[of],
    );
  });
  return {
    ...plain,
    ids: columnsOf((name) => {
      const isWide = parts.some(({ columns }) => columns.ids[name].values instanceof Uint32Array);
      const to: Uint16Array | Uint32Array = isWide ? growingWords(rows) : growingHalves(rows);
      return new IdColumn(
        joinedColumn(
          to,
          parts,
          ({ ids }) => ids[name].values,
          (part) => part.rows,
        ),
      );
    }),
    propertyRow: joinedPropertyRows(parts, properties),
  };
}

function joinedColumn<T extends Plain | Uint16Array>(
  to: T,
  parts: readonly Part[],
  of: (columns: Columns) => T,
  lengthOf: (part: ChunkPart) => number,
): T {
  let at = 0;
  for (const part of parts) {
    const length = lengthOf(part);
    const column = of(part.columns);
    assert(column.length >= length, `a part of a chunk has ${length} entries in each column`);
    to.set(column.subarray(0, length), at);
    at += length;
  }
  return to;
}

function joinedPropertyRows(parts: readonly Part[], properties: number): Uint32Array {
  const to = growingWords(properties);
  let [at, firstRow] = [0, 0];
  for (const { columns, rows, properties } of parts) {
    for (let index = 0; index < properties; index++) {
      const row = columns.propertyRow[index]!;
      to[at++] = row === movedRow ? movedRow : row + firstRow;
    }
    firstRow += rows;
  }
  return to;
}
