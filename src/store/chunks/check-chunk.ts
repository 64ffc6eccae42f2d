/**
 * Asserts, row by row, everything that is true of every chunk. If the columns are in a file, it is read.
 *
 *   the chunk                     its columns               beside them
 *   open, in memory               own                       changed, once a checkpoint began a file with all rows
 *   open, in a file, not read     unread, then own          after the first use: changed, and basis if it is full
 *   open, full, mapped            own, of which much        basis, changed
 *                                 is in a private mapping
 *   sealed, not yet in a file     as before                 as before
 *   sealed, in a file             stored
 *   sealed, after a rewrite       stored, made from         rewrittenFrom
 *                                 those of another chunk
 *   mirrored, while it is open    stored
 */
import { assert, AssertionError } from "../../lib/assert.ts";
import { bounceMs } from "../../core/hit.ts";
import { columnNames } from "../../core/questions/dimension.ts";
import type { Chunk } from "./chunk.ts";
import { movedRow } from "../columns/columns.ts";
import { chunkRowsMax } from "./chunk-head.ts";
import { rowFlag, rowFlagsMax, visitFlag, visitFlagsMax } from "../columns/row-flag.ts";
import { mergedRowsMax } from "./merge.ts";

export function checkChunk(chunk: Chunk): void {
  const { number, rows, properties, time, ids, flags, duration, propertyRow, sealed, sorted } = chunk;
  const { visit, visitFlags } = chunk;
  const { resident, isRead, rewrittenFrom, basis, changed } = chunk;
  const columns = [...columnNames.map((name) => ids[name].values), flags, duration, visit, visitFlags];
  for (const column of columns)
    assert(column.length === time.length, `chunk ${number}: columns of one length`);
  assert(
    rows <= time.length && rows <= (sealed ? mergedRowsMax : chunkRowsMax),
    `chunk ${number}: rows within capacity`,
  );
  const isStored = !resident && rewrittenFrom?.chunk.resident !== true;
  assert(!isStored || (sealed && sorted), `chunk ${number}: sealed and sorted when it is in a file`);
  assert(
    rewrittenFrom === undefined || (sealed && !resident),
    `chunk ${number}: sealed when made from another`,
  );
  assert(
    basis === undefined || (resident && isRead && changed !== undefined),
    `chunk ${number}: in memory, with what changed since, while it is mapped from a basis`,
  );
  for (let row = 0; row < rows; row++) {
    checkRow(row, flags[row]!, duration[row]!);
    checkVisit(row, visit[row]!, visitFlags[row]!);
    holds(!sorted || row === 0 || time[row]! >= time[row - 1]!, row, "sorted by time");
  }
  const lost = propertyRow.subarray(0, properties).findIndex((row) => row >= rows && row !== movedRow);
  assert(lost < 0, `chunk ${number}: property ${lost} has a row`);
}

/** As `assert`, for millions of rows: the text is made only where one breaks the rule. */
function holds(condition: boolean, row: number, rule: string): void {
  if (!condition) throw new AssertionError(`row ${row}: ${rule}`);
}

function checkRow(row: number, flags: number, ms: number): void {
  const timed = (flags & rowFlag.timed) !== 0;
  holds(flags < rowFlagsMax, row, "known flags");
  holds(timed || ms === 0, row, "no duration without the flag");
  const isShort = (flags & rowFlag.short) !== 0;
  holds(isShort === (timed && ms < bounceMs), row, "short is under the bounce time");
  holds((flags & rowFlag.unique) === 0 || (flags & rowFlag.first) !== 0, row, "unique is a first view");
}

function checkVisit(row: number, visit: number, flags: number): void {
  holds(flags < visitFlagsMax && (visit > 0 || flags === 0), row, "only a visit has an entry or exit");
  const { engaged, entry } = visitFlag;
  holds((flags & engaged) === 0 || (flags & entry) !== 0, row, "only an entry is engaged");
}
