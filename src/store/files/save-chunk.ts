/**
 * A chunk as sections of bytes and back: into memory, with room for more rows, or as views of the bytes. Sections are
 * aligned to eight bytes, so that any column is a view, and found by their names: a column that a file does not have,
 * because it is from before it, is what its row in the table says.
 */
import { expectContent, WrongContent } from "../../lib/decoding.ts";
import { lazyObject } from "../../lib/lazy.ts";
import { columnNames, valuesBefore, type ColumnName } from "../../core/dimension.ts";
import { bytesOf, jsonSection, settledBytesOf, type Section } from "../../snapshot/section.ts";
import { Chunk, chunkRowsMin, type ChunkHead } from "../columns/chunk.ts";
import { grown, IdColumn } from "../columns/column.ts";
import { columnsOf, plainColumns, plainNames, plainOf, zerosOf, type Columns } from "../columns/columns.ts";
import { growingHalves } from "../values/growing.ts";
import {
  copied,
  json,
  section,
  viewedHalves,
  viewedWords,
  type Sections,
} from "../../snapshot/named-sections.ts";
import { columnMembers } from "../state/site.ts";

/** Rows in files from before an id column have this id in it: the first tuple, which the website's file sees to. */
export const idBefore = 1;

/** Columns of ids that format 1 does not have: all of their dimensions came later. */
const appendedColumns: ReadonlySet<ColumnName> = new Set(
  columnNames.filter((name) =>
    columnMembers[name].every((dimension) => valuesBefore[dimension] !== undefined),
  ),
);

/** Numbers of a head: members of the JSON of a chunk's file, sections of the state, and in format 1 by position. */
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
/** From here on they are those that format 1 has as `bounds`. */
const boundsAt = headNumbers.indexOf("minMs");
/** The sections of the state in which the heads of sealed chunks are. */
const headSection = (name: string) => `sealed.${name}`;
const headsOfFormat1 = "sealed";

type HeadName = (typeof headNumbers)[number];
type HeadNumbers = Readonly<Record<HeadName, number | null>>;
type HeadColumns = Readonly<Record<HeadName, ArrayLike<number | null>>>;

interface SavedHead extends HeadNumbers {
  readonly sorted: boolean;
  /** Columns whose ids have 32 bits. */
  readonly wide: readonly ColumnName[];
  /** In format 1, in the place of the four times. */
  readonly bounds?: ChunkHead["bounds"];
}

/** Every column that a chunk's file may have. */
export const savedSections: readonly string[] = [
  ...columnNames,
  ...plainNames.map((name) => plainColumns[name].section),
];

/** What later hits may change is copied. The rest, where it is large, is seen where it lies. */
export function saveChunk(chunk: Chunk): Section[] {
  const { rows, columns } = chunk;
  const { ids } = columns;
  const wide = columnNames.filter((name) => ids[name].values instanceof Uint32Array);
  const head = { ...numbersOf(chunk.head), sorted: chunk.sorted, wide } satisfies SavedHead;
  return [
    jsonSection("chunk", head),
    ...columnNames.map((name) => ({
      name: name as string,
      data: settledBytesOf(ids[name].values.subarray(0, rows)),
    })),
    ...plainNames.map((name) => {
      const { section, of, changes } = plainColumns[name];
      const column = columns[name].subarray(0, chunk[of]);
      return { name: section, data: changes && !chunk.sealed ? bytesOf(column) : settledBytesOf(column) };
    }),
  ];
}

function numbersOf({ number, monthMs, rows, properties, bounds }: ChunkHead): HeadNumbers {
  const [minMs = null, maxMs = null, propertyMinMs = null, propertyMaxMs = null] = bounds;
  return { number, monthMs, rows, properties, minMs, maxMs, propertyMinMs, propertyMaxMs };
}

/** The numbers at one place of each column of them. */
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

/** What is known of sealed chunks whose rows are by time, without their columns, in their order. */
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

/** An open chunk of what `saveChunk` gave. Throws WrongContent. */
export function loadChunk(sections: Sections): Chunk {
  const head = headIn(sections);
  const views = viewColumns(sections);
  let capacity = chunkRowsMin;
  while (capacity < head.rows) capacity *= 2;
  const ids = columnsOf((name) => {
    const column = new IdColumn(views.ids[name].values);
    column.grow(capacity);
    return column;
  });
  const plain = plainOf((name) => {
    const room = plainColumns[name].of === "rows" ? capacity : head.properties;
    return grown(views[name], zerosOf(name, room));
  });
  return Chunk.open(head, { ...plain, ids });
}

/** A sealed chunk whose columns are views of what `saveChunk` gave for it when its rows were by time. Throws WrongContent. */
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

/** Views of the bytes of what `saveChunk` gave. A section is asked for when its column is, which throws WrongContent. */
export function viewColumns(sections: Sections): Columns {
  const { wide, ...head } = savedHead(sections);
  const ids = (name: ColumnName) => () => {
    if (appendedColumns.has(name) && !sections.has(name))
      return new IdColumn(growingHalves(head.rows as number).fill(idBefore));
    const view = wide.includes(name) ? viewedWords(sections, name) : viewedHalves(sections, name);
    return new IdColumn(ofLength(view, name, head.rows));
  };
  const plain = plainNames.map((name) => {
    const { section: own, of, bytes, before } = plainColumns[name];
    const column = () => {
      const length = head[of] as number;
      if (before !== undefined && !sections.has(own)) return zerosOf(name, length).fill(before);
      return ofLength(bytes === 1 ? section(sections, own) : viewedWords(sections, own), own, length);
    };
    return [name, column];
  });
  return lazyObject<Columns>({
    ...Object.fromEntries(plain),
    ids: () => lazyObject(columnsOf(ids)),
  } as { readonly [K in keyof Columns]: () => Columns[K] });
}

function savedHead(sections: Sections): SavedHead {
  const head = json(sections, "chunk") as SavedHead;
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
