/**
 * The changes of a chunk since its file was written, while no rows were added: durations and flags that some rows got,
 * and properties that came later. They go into a small file beside the chunk's own, which stays as it is.
 *
 *   row              u16, rows whose flags or duration have changed
 *   flags, duration, visit.flags  new values of these rows: u8, u32, u8
 *   property.*       columns of the added properties: u32 each, property.number f64
 *   property.moved   u32, properties that moved to another row
 */
import { assert } from "../../lib/assert.ts";
import { bytesOf, type Section } from "../../snapshot/section.ts";
import type { Chunk } from "../columns/chunk.ts";
import type { ChunkHead } from "../columns/chunk-head.ts";
import { type Columns, growProperties, movedRow, plainColumns, plainNames } from "../columns/columns.ts";
import { loadChunk, viewColumns, viewedColumn } from "./save-chunk.ts";
import { section, viewedHalves, viewedWords, type Sections } from "../../snapshot/named-sections.ts";

const ofProperties = plainNames.filter((name) => plainColumns[name].of === "properties");
const visitSection = plainColumns.visitFlags.section;

/**
 * Returns copies of the columns that may change while no rows are added, so that later hits do not change the copies. Of
 * the properties that a chunk's basis has only the rows are copied: nothing else of them changes.
 */
export function changingColumns({ columns, rows, properties, basis }: Chunk): Section[] {
  return [
    { name: "flags", data: bytesOf(columns.flags, rows) },
    { name: "duration", data: bytesOf(columns.duration, rows) },
    { name: visitSection, data: bytesOf(columns.visitFlags, rows) },
    ...ofProperties.map((name) => ({
      name: plainColumns[name].section,
      data: bytesOf(
        columns[name].subarray(plainColumns[name].changes ? 0 : (basis?.properties ?? 0), properties),
      ),
    })),
  ];
}

/**
 * Returns the sections of the changes between `now`, which `changingColumns` returned, and `written`, the chunk's file; if
 * that cannot be read, with `written` properties in it, those of every row.
 */
export function saveChanges(now: Sections, written: Sections | number): Section[] {
  const flags = section(now, "flags");
  const duration = viewedWords(now, "duration");
  const visitFlags = section(now, visitSection);
  const propertyRow = viewedWords(now, "property.row");
  const { rows, moved, properties } =
    typeof written === "number" ? allRows(flags, propertyRow, written) : changedSince(now, written);
  const came = propertyRow.length - properties;
  return [
    { name: "row", data: bytesOf(Uint16Array.from(rows)) },
    { name: "flags", data: Uint8Array.from(rows, (row) => flags[row]!) },
    { name: "duration", data: bytesOf(Uint32Array.from(rows, (row) => duration[row]!)) },
    { name: visitSection, data: Uint8Array.from(rows, (row) => visitFlags[row]!) },
    ...ofProperties.map((name) => {
      const data = section(now, plainColumns[name].section);
      return {
        name: plainColumns[name].section,
        data: data.subarray(data.length - came * plainColumns[name].bytes),
      };
    }),
    { name: "property.moved", data: bytesOf(Uint32Array.from(moved)) },
  ];
}

interface Changed {
  readonly rows: readonly number[];
  /** Properties that moved. */
  readonly moved: readonly number[];
  /** The number of properties in the file. */
  readonly properties: number;
}

function changedSince(now: Sections, written: Sections): Changed {
  const [flags, duration] = [section(now, "flags"), viewedWords(now, "duration")];
  const [flagsBefore, durationBefore] = [section(written, "flags"), viewedWords(written, "duration")];
  assert(flags.length === flagsBefore.length, "a chunk has as many rows as its file");
  const visitFlags = section(now, visitSection);
  const visitFlagsBefore = sectionOr(written, visitSection, flags.length);
  const rows: number[] = [];
  for (let row = 0; row < flags.length; row++)
    if (
      flags[row] !== flagsBefore[row] ||
      duration[row] !== durationBefore[row] ||
      visitFlags[row] !== visitFlagsBefore[row]
    )
      rows.push(row);
  const propertyRow = viewedWords(now, "property.row");
  const before = viewedWords(written, "property.row");
  const moved = [...before.keys()].filter((index) => propertyRow[index] !== before[index]);
  return { rows, moved, properties: before.length };
}

function allRows(flags: Uint8Array, propertyRow: Uint32Array, properties: number): Changed {
  const known = [...propertyRow.subarray(0, properties).keys()];
  return { rows: [...flags.keys()], moved: known.filter((at) => propertyRow[at] === movedRow), properties };
}

/** Returns the columns of a mapped file with the later changes; properties that came since are in memory. */
export function mappedColumns(written: Sections, changes: Sections | undefined): Columns {
  const { ids, ...plain } = viewColumns(written);
  const columns = { ...plain, ids: { ...ids } };
  if (changes !== undefined) applyChanges(columns, columns.propertyRow.length, changes);
  return columns;
}

/**
 * Returns the columns of a chunk in memory, with room for more: those of its file, with the later changes if there are
 * any.
 */
export function loadColumns(head: ChunkHead, written: Sections, changes: Sections | undefined): Columns {
  const chunk = loadChunk(written);
  const { columns } = chunk;
  if (changes !== undefined) applyChanges(columns, chunk.properties, changes);
  assert(chunk.rows === head.rows, `chunk ${head.number}: as many rows as its checkpoint says`);
  return columns;
}

function applyChanges(columns: Columns, properties: number, changes: Sections): void {
  const rows = viewedHalves(changes, "row");
  const flags = section(changes, "flags");
  const duration = viewedWords(changes, "duration");
  const visitFlags = sectionOr(changes, visitSection, rows.length);
  rows.forEach((row, at) => {
    columns.flags[row] = flags[at]!;
    columns.visitFlags[row] = visitFlags[at]!;
    columns.duration[row] = duration[at]!;
  });
  for (const index of viewedWords(changes, "property.moved")) columns.propertyRow[index] = movedRow;
  const came = viewedWords(changes, "property.row").length;
  if (came === 0) return;
  growProperties(columns, properties + came);
  for (const name of ofProperties) columns[name].set(viewedColumn(changes, name, came), properties);
}

/** Returns the bytes of a section; zeros if a file from before it lacks it. */
function sectionOr(sections: Sections, name: string, length: number): Uint8Array {
  return sections.has(name) ? section(sections, name) : new Uint8Array(length);
}
