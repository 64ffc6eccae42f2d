/**
 * A chunk as sections of bytes and back: loaded into memory, with room for more rows, or as views of the bytes.
 * Sections are aligned to eight bytes, so that any column can be a view, and are found by name. A column that an older
 * file lacks has the default in that column's row of the table.
 */
import { assert } from "../../lib/assert.ts";
import { expectContent, WrongContent } from "../../lib/decoding.ts";
import { lazyObject } from "../../lib/lazy.ts";
import { columnNames, type ColumnName } from "../../core/questions/dimension.ts";
import { valuesBefore } from "../../core/questions/stored-dimension.ts";
import { bytesOf, jsonSection, settledBytesOf, type Section } from "../../snapshot/section.ts";
import { isIn, type Basis } from "../columns/basis.ts";
import { Chunk } from "../chunks/chunk.ts";
import { type ChunkHead, chunkRowsMin } from "../chunks/chunk-head.ts";
import { grown, IdColumn } from "../columns/column.ts";
import {
  columnsOf,
  plainColumns,
  plainNames,
  plainOf,
  zerosOf,
  type Columns,
  type Plain,
} from "../columns/columns.ts";
import { growingHalves } from "../values/growing.ts";
import {
  copied,
  json,
  section,
  viewedHalves,
  viewedNumbers,
  viewedWords,
  type Sections,
} from "../../snapshot/named-sections.ts";
import { columnMembers } from "../state/site.ts";

/**
 * The id that rows of files from before an id column have in it: the first tuple, which loading the website's file
 * adds.
 */
export const idBefore = 1;

/** The section with the head of a chunk, which is read whenever its columns are. */
export const chunkHead = "chunk";

/** The id columns that format 1 does not have, because all of their dimensions were added later. */
const appendedColumns: ReadonlySet<ColumnName> = new Set(
  columnNames.filter((name) =>
    columnMembers[name].every((dimension) => valuesBefore[dimension] !== undefined),
  ),
);

/**
 * The numbers in a chunk's head: members of the JSON in a chunk's file, sections in the state, and by position in
 * format 1.
 */
const headNumbers = [
  "number",
  "monthMs",
  "rows",
  "properties",
  "minMs",
  "maxMs",
  "propertyMinMs",
  "propertyMaxMs",
] as const;
/** The numbers from here on are those that format 1 has as `bounds`. */
const boundsAt = headNumbers.indexOf("minMs");
/** Returns the name of the state's section with this number of the heads of all sealed chunks. */
const headSection = (name: string) => `sealed.${name}`;
const headsOfFormat1 = "sealed";

type HeadName = (typeof headNumbers)[number];
type HeadNumbers = Readonly<Record<HeadName, number | null>>;
type HeadColumns = Readonly<Record<HeadName, ArrayLike<number | null>>>;

interface SavedHead extends HeadNumbers {
  readonly sorted: boolean;
  /** The id columns with 32 bits an id; the others have 16. */
  readonly wide: readonly ColumnName[];
  /** Bounds that format 1 has in place of the four times; missing in later formats. */
  readonly bounds?: ChunkHead["bounds"];
}

/** The names of all columns that a chunk's file may have. */
export const savedSections: readonly string[] = [
  ...columnNames,
  ...plainNames.map((name) => plainColumns[name].section),
];

/** Returns the sections of a chunk. Columns that later hits may change are copied; the other large ones are views. */
export function saveChunk(chunk: Chunk): Section[] {
  return savedBeside(chunk, undefined);
}

/** Returns those of these sections that are not in the file on which a chunk is based. */
export function savedBeside(chunk: Chunk, basis: Basis | undefined): Section[] {
  const { rows, columns } = chunk;
  const { ids: own } = columns;
  // Another thread has the basis, and makes ids of those in it, as this chunk does.
  const ids = columnsOf((name) => (basis === undefined ? own[name].values : own[name].stored));
  const wide = columnNames.filter((name) => ids[name] instanceof Uint32Array);
  const head = { ...numbersOf(chunk.head), sorted: chunk.sorted, wide } satisfies SavedHead;
  const sections = [jsonSection(chunkHead, head)];
  for (const name of columnNames) {
    const column = firstOf(ids[name], rows, name);
    if (!isIn(basis, column)) sections.push({ name, data: settledBytesOf(column) });
  }
  for (const name of plainNames) {
    const { section, of, changes } = plainColumns[name];
    const column = firstOf(columns[name], chunk[of], section);
    if (isIn(basis, column)) continue;
    sections.push({
      name: section,
      data: changes && !chunk.sealed ? bytesOf(column) : settledBytesOf(column),
    });
  }
  return sections;
}

/** Returns the entries of a column that count. With fewer than the head says nobody could read the file. */
function firstOf<T extends Plain | Uint16Array>(column: T, length: number, name: string): T {
  assert(column.length >= length, `a chunk has ${length} entries in its column ${name}`);
  return column.subarray(0, length) as T;
}

function numbersOf({ number, monthMs, rows, properties, bounds }: ChunkHead): HeadNumbers {
  const [minMs = null, maxMs = null, propertyMinMs = null, propertyMaxMs = null] = bounds;
  return { number, monthMs, rows, properties, minMs, maxMs, propertyMinMs, propertyMaxMs };
}

/** Returns the head at one index of the columns of numbers. */
function headAt(columns: HeadColumns, at: number): ChunkHead {
  const { minMs, maxMs, propertyMinMs, propertyMaxMs } = columns;
  const bound = (column: ArrayLike<number | null>) => {
    const ms = column[at];
    return Number.isFinite(ms) ? (ms as number) : null;
  };
  return {
    number: integerIn(columns.number[at]),
    monthMs: integerIn(columns.monthMs[at]),
    rows: integerIn(columns.rows[at]),
    properties: integerIn(columns.properties[at]),
    sorted: true,
    bounds: [bound(minMs), bound(maxMs), bound(propertyMinMs), bound(propertyMaxMs)],
  };
}

function integerIn(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new WrongContent(`${String(value)} is no number of a chunk`);
  return value as number;
}

/** Returns the sections of the heads of sealed chunks, whose rows are by time, in the given order. */
export function saveHeads(heads: readonly ChunkHead[]): Section[] {
  const saved = heads.map(numbersOf);
  return headNumbers.map((name) => ({
    name: headSection(name),
    data: bytesOf(Float64Array.from(saved, (head) => head[name] ?? NaN)),
  }));
}

/** Throws WrongContent. */
export function loadHeads(sections: Sections): ChunkHead[] {
  const columns = sections.has(headsOfFormat1) ? headColumnsOfFormat1(sections) : headColumns(sections);
  return Array.from(columns.number, (_, at) => headAt(columns, at));
}

function headColumns(sections: Sections): HeadColumns {
  const columns = headNumbers.map((name) => [name, new Float64Array(copied(sections, headSection(name)))]);
  return Object.fromEntries(columns) as HeadColumns;
}

function headColumnsOfFormat1(sections: Sections): HeadColumns {
  const all = new Float64Array(copied(sections, headsOfFormat1));
  const columns = headNumbers.map((name, position) => [
    name,
    all.filter((_, at) => at % headNumbers.length === position),
  ]);
  return Object.fromEntries(columns) as HeadColumns;
}

/** Returns an open chunk from the sections that `saveChunk` returned. Throws WrongContent. */
export function loadChunk(sections: Sections): Chunk {
  return Chunk.open(headIn(sections), withRoom(viewColumns(sections)));
}

/** Returns copies of the columns, with room for more rows. */
export function withRoom(columns: Columns): Columns {
  let capacity = chunkRowsMin;
  while (capacity < columns.time.length) capacity *= 2;
  const ids = columnsOf((name) => {
    const column = new IdColumn(columns.ids[name].values);
    column.grow(capacity);
    return column;
  });
  const plain = plainOf((name) => {
    const room = plainColumns[name].of === "rows" ? capacity : columns[name].length;
    return grown(columns[name], zerosOf(name, room));
  });
  return { ...plain, ids };
}

/**
 * Returns a sealed chunk whose columns are views of sections that `saveChunk` made from rows by time. Throws
 * WrongContent.
 */
export function viewChunk(sections: Sections): Chunk {
  return Chunk.sealed({ ...headIn(sections), sorted: true }, () => viewColumns(sections));
}

function headIn(sections: Sections): ChunkHead {
  const saved = savedHead(sections);
  const columns = headNumbers.map((name, at) => [
    name,
    [saved[name] ?? saved.bounds?.[at - boundsAt] ?? null],
  ]);
  return { ...headAt(Object.fromEntries(columns) as HeadColumns, 0), sorted: saved.sorted };
}

/** By the bytes of an entry: returns a view of a column. */
const viewers = { 1: section, 4: viewedWords, 8: viewedNumbers } as const;

/**
 * Returns views of the sections that `saveChunk` returned. Each section is read when its column is, which throws
 * WrongContent.
 */
export function viewColumns(sections: Sections): Columns {
  const { wide, ...head } = savedHead(sections);
  const ids = (name: ColumnName) => () => {
    if (appendedColumns.has(name) && !sections.has(name))
      return new IdColumn(growingHalves(head.rows as number).fill(idBefore));
    const view = wide.includes(name) ? viewedWords(sections, name) : viewedHalves(sections, name);
    return new IdColumn(ofLength(view, name, head.rows));
  };
  const plain = plainNames.map((name) => {
    const column = () => viewedColumn(sections, name, head[plainColumns[name].of]!);
    return [name, column];
  });
  return lazyObject<Columns>({
    ...Object.fromEntries(plain),
    ids: () => lazyObject(columnsOf(ids)),
  } as { readonly [K in keyof Columns]: () => Columns[K] });
}

/**
 * Returns a view of a column; the values from before it if the file lacks it. Throws WrongContent if it has another
 * length.
 */
export function viewedColumn(sections: Sections, name: (typeof plainNames)[number], length: number): Plain {
  const { section: own, bytes, before } = plainColumns[name];
  if (before !== undefined && !sections.has(own)) return zerosOf(name, length).fill(before);
  return ofLength(viewers[bytes](sections, own), own, length);
}

function savedHead(sections: Sections): SavedHead {
  const head = json(sections, chunkHead) as SavedHead;
  expectContent(Array.isArray(head.wide), `wide of a chunk: ${String(head.wide)}, not a list`);
  return head;
}

function ofLength<T extends { readonly length: number }>(column: T, name: string, length: number | null): T {
  expectContent(
    column.length === length,
    `the section ${name} has ${column.length} entries of ${String(length)}`,
  );
  return column;
}
