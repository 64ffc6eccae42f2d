/**
 * A chunk after some of its rows were removed. In a chunk that still changes, rows keep their numbers, because beacons
 * name them: a removed row stays there as an empty one, which has no values, and which nothing counts.
 */
import { columnNames } from "../../core/questions/dimension.ts";
import type { Chunk } from "./chunk.ts";
import type { ChunkHead } from "./chunk-head.ts";
import { grown, IdColumn } from "./column.ts";
import { columnsOf, movedRow, plainOf, zerosOf, type Columns } from "./columns.ts";
import { growingHalves, growingWords } from "../values/growing.ts";
import { addedFlags, rowEdit, type RowEdits } from "./row-edits.ts";
import { emptyRowFlags } from "./row-flag.ts";

/** Returns a chunk that still changes with empty rows in place of the removed ones. All of its columns are copies. */
export function withEmptyRows(chunk: Chunk, edits: RowEdits): Chunk {
  const columns = copyOf(chunk.columns);
  const { flags, duration, visit, visitFlags } = columns;
  const { propertyName, propertyValue, propertyRow, propertyTime, propertyNumber } = columns;
  const isKept = (row: number) => edits[row] !== rowEdit.remove && chunk.flags[row] !== emptyRowFlags;
  for (let row = 0; row < chunk.rows; row++) {
    flags[row] = flags[row]! | addedFlags[edits[row] ?? 0]!;
    if (isKept(row)) continue;
    flags[row] = emptyRowFlags;
    duration[row] = visit[row] = visitFlags[row] = 0;
    for (const name of columnNames) columns.ids[name].values[row] = 0;
  }
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index]!;
    if (row === movedRow || isKept(row)) continue;
    propertyRow[index] = movedRow;
    propertyName[index] = propertyValue[index] = propertyTime[index] = 0;
    propertyNumber[index] = NaN;
  }
  const { head } = chunk;
  const [minMs = null, , ...ofProperties] = boundsOf(chunk, isKept);
  clearTimes(columns.time, chunk.rows, isKept, minMs === null ? 0 : minMs - chunk.monthMs);
  // The newest row decides when the chunk is sealed, whether it was removed or not.
  return chunk.withColumns(columns, { ...head, bounds: [minMs, chunk.maxMs, ...ofProperties] });
}

/** Gives each row that is not kept the time of the one before it: it tells nothing, and the rows stay in order. */
function clearTimes(time: Uint32Array, rows: number, isKept: (row: number) => boolean, first: number): void {
  let ms = first;
  for (let row = 0; row < rows; row++)
    if (isKept(row)) ms = time[row]!;
    else time[row] = ms;
}

/** Whether all rows of a chunk are empty. */
export function isEmpty({ minMs }: Pick<Chunk, "minMs">): boolean {
  return minMs === Infinity;
}

/** Returns the head of a chunk without the removed rows; undefined if no row stays. */
export function editedHead(chunk: Chunk, edits: RowEdits): ChunkHead | undefined {
  const { head, flags, propertyRow } = chunk;
  const isKept = (row: number) => edits[row] !== rowEdit.remove && flags[row] !== emptyRowFlags;
  let [rows, properties] = [0, 0];
  for (let row = 0; row < chunk.rows; row++) if (edits[row] !== rowEdit.remove) rows++;
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index]!;
    if (row !== movedRow && isKept(row)) properties++;
  }
  return rows === 0 ? undefined : { ...head, rows, properties, bounds: boundsOf(chunk, isKept) };
}

/** Returns minMs, maxMs, propertyMinMs and propertyMaxMs of the rows that are kept; null where there is none. */
function boundsOf(chunk: Chunk, isKept: (row: number) => boolean): (number | null)[] {
  const { rows, properties, monthMs, time, propertyRow } = chunk;
  const bounds = [Infinity, -Infinity, Infinity, -Infinity] as [number, number, number, number];
  for (let row = 0; row < rows; row++) {
    if (!isKept(row)) continue;
    const ms = monthMs + time[row]!;
    bounds[0] = Math.min(bounds[0], ms);
    bounds[1] = Math.max(bounds[1], ms);
  }
  for (let index = 0; index < properties; index++) {
    const row = propertyRow[index]!;
    if (row === movedRow || !isKept(row)) continue;
    const ms = chunk.propertyTimeMs(index);
    bounds[2] = Math.min(bounds[2], ms);
    bounds[3] = Math.max(bounds[3], ms);
  }
  return bounds.map((ms) => (Number.isFinite(ms) ? ms : null));
}

function copyOf(columns: Columns): Columns {
  const ids = columnsOf((name) => {
    const { values } = columns.ids[name];
    const isWide = values instanceof Uint32Array;
    return new IdColumn(grown(values, isWide ? growingWords(values.length) : growingHalves(values.length)));
  });
  return { ...plainOf((name) => grown(columns[name], zerosOf(name, columns[name].length))), ids };
}
