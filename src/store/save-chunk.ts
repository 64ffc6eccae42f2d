/**
 * A chunk as sections of bytes and back: into memory, with room for more rows, or as views of the bytes. Sections are
 * aligned to eight bytes, so that any column is a view.
 */
import { lazyObject } from "../lib/lazy.ts";
import { columnNames, type ColumnName } from "../core/dimension.ts";
import { bytesOf, jsonSection, settledBytesOf, type Section } from "../snapshot/section.ts";
import { Chunk, chunkRowsMin, type ChunkHead } from "./chunk.ts";
import { grown, IdColumn } from "./column.ts";
import { columnsOf, type Columns } from "./columns.ts";
import { growingBytes, growingWords } from "./growing.ts";
import { copied, json, section, viewedHalves, viewedWords, type Sections } from "./sections.ts";

interface SavedHead extends ChunkHead {
  /** Columns whose ids have 32 bits. */
  readonly wide: readonly ColumnName[];
}

/** Of a sealed chunk: number, month, rows, properties and the four bounds. */
const headNumbers = 8;

/** What later hits may change is copied. The rest, where it is large, is seen where it lies. */
export function saveChunk(chunk: Chunk): Section[] {
  const { rows, properties, ids } = chunk;
  const wide = columnNames.filter((name) => ids[name].values instanceof Uint32Array);
  const settled = (name: string, column: Uint8Array | Uint16Array | Uint32Array, length: number) => ({
    name,
    data: settledBytesOf(column.subarray(0, length)),
  });
  const changing = chunk.sealed ? settled : copy;
  return [
    jsonSection("chunk", { ...chunk.head, wide } satisfies SavedHead),
    settled("time", chunk.time, rows),
    ...columnNames.map((name) => settled(name, ids[name].values, rows)),
    changing("flags", chunk.flags, rows),
    changing("duration", chunk.duration, rows),
    settled("property.name", chunk.propertyName, properties),
    settled("property.value", chunk.propertyValue, properties),
    changing("property.row", chunk.propertyRow, properties),
    settled("property.time", chunk.propertyTime, properties),
  ];
}

function copy(name: string, column: Uint8Array | Uint32Array, length: number): Section {
  return { name, data: bytesOf(column, length) };
}

/** What is known of sealed chunks whose rows are by time, without their columns, in their order. */
export function saveHeads(heads: readonly ChunkHead[]): Section {
  const data = new Float64Array(heads.length * headNumbers);
  heads.forEach(({ number, monthMs, rows, properties, bounds }, at) => {
    const [minMs, maxMs, propertyMinMs, propertyMaxMs] = bounds;
    data.set([number, monthMs, rows, properties], at * headNumbers);
    data.set([minMs ?? Infinity, maxMs ?? -Infinity], at * headNumbers + 4);
    data.set([propertyMinMs ?? Infinity, propertyMaxMs ?? -Infinity], at * headNumbers + 6);
  });
  return { name: "sealed", data: new Uint8Array(data.buffer) };
}

export function loadHeads(sections: Sections): ChunkHead[] {
  const data = new Float64Array(copied(sections, "sealed"));
  return Array.from({ length: data.length / headNumbers }, (_, at) => {
    const number = (index: number) => data[at * headNumbers + index] as number;
    return {
      number: number(0),
      monthMs: number(1),
      rows: number(2),
      properties: number(3),
      sorted: true,
      bounds: [number(4), number(5), number(6), number(7)],
    };
  });
}

/** An open chunk of what `saveChunk` gave. */
export function loadChunk(sections: Sections): Chunk {
  const head = json(sections, "chunk") as SavedHead;
  const views = viewColumns(sections);
  let capacity = chunkRowsMin;
  while (capacity < head.rows) capacity *= 2;
  const ids = (name: ColumnName) => {
    const column = new IdColumn(views.ids[name].values);
    column.grow(capacity);
    return column;
  };
  return Chunk.open(head, {
    time: grown(views.time, growingWords(capacity)),
    ids: columnsOf(ids),
    flags: grown(views.flags, growingBytes(capacity)),
    duration: grown(views.duration, growingWords(capacity)),
    propertyName: grown(views.propertyName, growingWords(head.properties)),
    propertyValue: grown(views.propertyValue, growingWords(head.properties)),
    propertyRow: grown(views.propertyRow, growingWords(head.properties)),
    propertyTime: grown(views.propertyTime, growingWords(head.properties)),
  });
}

/** A sealed chunk whose columns are views of what `saveChunk` gave for it when its rows were by time. */
export function viewChunk(sections: Sections): Chunk {
  const head = json(sections, "chunk") as SavedHead;
  return Chunk.sealed({ ...head, sorted: true }, () => viewColumns(sections));
}

/** Views of the bytes of what `saveChunk` gave. A section is asked for when its column is. */
export function viewColumns(sections: Sections): Columns {
  const { wide } = json(sections, "chunk") as SavedHead;
  const words = (name: string) => () => viewedWords(sections, name);
  const ids = (name: ColumnName) => () =>
    new IdColumn(wide.includes(name) ? viewedWords(sections, name) : viewedHalves(sections, name));
  return lazyObject<Columns>({
    time: words("time"),
    ids: () => lazyObject(columnsOf(ids)),
    flags: () => section(sections, "flags"),
    duration: words("duration"),
    propertyName: words("property.name"),
    propertyValue: words("property.value"),
    propertyRow: words("property.row"),
    propertyTime: words("property.time"),
  });
}
