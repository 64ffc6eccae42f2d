/**
 * The changes of a chunk since its file was begun, while no rows were added: durations and flags that some rows got, and
 * properties that came later. A checkpoint writes them into a small file beside the chunk's own, which stays as it is.
 *
 *   row              u16, rows whose flags or duration hits have changed
 *   flags, duration, visit.flags  new values of these rows: u8, u32, u8
 *   property.*       columns of the added properties: u32 each, property.number f64
 *   property.moved   u32, properties that moved to another row
 */
import { lazyObject } from "../../lib/lazy.ts";
import { viewedHalves, viewedWords, type Sections } from "../../snapshot/named-sections.ts";
import { bytesOf, settledBytesOf, type Section } from "../../snapshot/section.ts";
import { ChangedRows } from "../chunks/changed-rows.ts";
import type { Chunk } from "../chunks/chunk.ts";
import { grown } from "../columns/column.ts";
import {
  movedRow,
  plainColumns,
  plainNames,
  zerosOf,
  type Columns,
  type Plain,
  type PlainName,
} from "../columns/columns.ts";
import { viewedColumn } from "./save-chunk.ts";

/** The columns that hits may change in rows. */
const ofRows = plainNames.filter((name) => plainColumns[name].of === "rows" && plainColumns[name].changes);
const ofProperties = plainNames.filter((name) => plainColumns[name].of === "properties");

/**
 * Returns what `changed` knows of a chunk. `known`: whoever reads this has so many of the chunk's properties; the others
 * are in it. Data that later hits may change is copied.
 */
export function saveChanges(chunk: Chunk, changed: ChangedRows, known = changed.properties): Section[] {
  const { columns, properties } = chunk;
  const { rows, moved } = changed;
  return [
    { name: "row", data: bytesOf(rows) },
    ...ofRows.map((name) => ({ name: plainColumns[name].section, data: entriesOf(columns[name], rows) })),
    ...ofProperties.map((name) => {
      const { section, changes } = plainColumns[name];
      const came = columns[name].subarray(known, properties);
      return { name: section, data: changes ? bytesOf(came) : settledBytesOf(came) };
    }),
    { name: "property.moved", data: bytesOf(Uint32Array.from(moved)) },
  ];
}

/** Returns copies of a column's entries of these rows, as bytes. */
function entriesOf(column: Plain, rows: Uint16Array): Uint8Array {
  const entries = new (column.BYTES_PER_ELEMENT === 1 ? Uint8Array : Uint32Array)(rows.length);
  for (let at = 0; at < rows.length; at++) entries[at] = column[rows[at]!]!;
  return new Uint8Array(entries.buffer);
}

/** Returns what has changed since a chunk's file, according to the file of its changes. */
export function loadChanged(
  file: string,
  { time, propertyRow }: Columns,
  changes: Sections | undefined,
): ChangedRows {
  const changed = new ChangedRows(file, time.length, propertyRow.length);
  if (changes !== undefined)
    changed.addAll({ rows: viewedHalves(changes, "row"), moved: viewedWords(changes, "property.moved") });
  return changed;
}

/** Returns columns with the later changes, which are written into their memory when each is asked for. */
export function withChanges(columns: Columns, changes: Sections): Columns {
  const makers = plainNames.map((name) => [name, () => changedColumn(columns[name], name, changes)]);
  return lazyObject<Columns>({ ...Object.fromEntries(makers), ids: () => columns.ids });
}

function changedColumn(column: Plain, name: PlainName, changes: Sections): Plain {
  if (plainColumns[name].of === "properties") return changedProperties(column, name, changes);
  if (!plainColumns[name].changes) return column;
  const rows = viewedHalves(changes, "row");
  const now = viewedColumn(changes, name, rows.length);
  // A page of a private mapping that is written to takes memory, also where it is the same afterwards.
  for (let at = 0; at < rows.length; at++) if (column[rows[at]!] !== now[at]!) column[rows[at]!] = now[at]!;
  return column;
}

function changedProperties(column: Plain, name: PlainName, changes: Sections): Plain {
  const came = viewedColumn(changes, name, viewedWords(changes, "property.row").length);
  const all = came.length === 0 ? column : grown(column, zerosOf(name, column.length + came.length));
  all.set(came, column.length);
  if (name === "propertyRow")
    for (const index of viewedWords(changes, "property.moved")) all[index] = movedRow;
  return all;
}
