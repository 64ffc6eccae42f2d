/**
 * A digest of the state behind one record of the log: copies that have applied the same records have the same digest,
 * however their rows lie in memory and files. It is cheap enough to be made between two hits: it reads all accounts,
 * the sizes of everything, and a part of what grows with the traffic. The number of the record chooses that part, so a
 * lasting difference is found sooner or later. Sealed chunks are left out: their files have checksums of their own.
 */
import { columnNames } from "../../core/questions/dimension.ts";
import { checksum } from "../../lib/hashes/checksum.ts";
import { isJsonObject } from "../../lib/texts/json-object.ts";
import { recordKinds } from "../../record/record.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { plainColumns, plainNames, type Plain } from "../../store/columns/columns.ts";
import { tupleColumns, type Site } from "../../store/state/site.ts";
import { allDictionaries } from "../../store/values/dictionaries.ts";
import type { Dictionary } from "../../store/values/dictionary.ts";
import { storedNames } from "../checkpoint/checkpoint-names.ts";
import type { State } from "../checkpoint/state.ts";

/**
 * Rises with each change of what the digest reads. What a record does never changes: nodes of two versions, and one that reads
 * the whole stream anew, would keep different states for good. A new rule is a field of the record that asks for it, as
 * `isApart` of events does.
 */
const digestFormat = 6;
/** The rows that are read, about four full chunks of them, and the most chunks that they come from. */
const rowsMax = 262_144;
const chunksMax = 64;
/** The most values of each dictionary, and tuples of each column, that are read; all are of one website. */
const valuesMax = 65_536;

const encoder = new TextEncoder();

/** Names what a state is made of: only digests of the same form can be compared. */
export function digestForm(): number {
  const kinds = Object.entries(recordKinds).map(([name, { number, fields }]) => [
    name,
    number,
    Object.keys(fields),
  ]);
  return checksumOfJson([digestFormat, storedNames, kinds]);
}

/**
 * Returns the digest of the state behind record `seq`, 32 bits; undefined for a state that lacks websites, because their
 * files are damaged. Throws what reading open chunks throws.
 */
export function digestOf({ registry, store, unavailable }: State, seq: number): number | undefined {
  if (unavailable.size > 0) return undefined;
  const rejected = store.rejected.save().toSorted(([a], [b]) => a - b);
  const { young, old } = store.eventIds.seen;
  const eventIds = [young.count, old.count];
  let sum = checksumOfJson({ registry: registry.save(), rejected, eventIds });
  const sites = [...store.sites.values()].sort((a, b) => a.websiteId - b.websiteId);
  if (sites.length === 0) return sum;
  sum = checksum(bytesOf(new Float64Array(sites.flatMap(sizesOf))), sum);
  for (const chunk of someChunks(sites.flatMap(openChunks), seq)) sum = rowsChecksum(chunk, sum);
  return namesChecksum(sites[seq % sites.length]!, seq, sum);
}

/** Chunks that still change have the same number and the same order of rows in all copies. */
function openChunks(site: Site): Chunk[] {
  return [...site.chunks.values()].filter(({ sealed }) => !sealed).sort((a, b) => a.number - b.number);
}

function sizesOf(site: Site): number[] {
  const { websiteId, nextChunkNumber, lastVisit } = site;
  const months = [...site.reduced.values()].sort((a, b) => a.monthMs - b.monthMs || a.rows - b.rows);
  return [
    ...[websiteId, nextChunkNumber, lastVisit],
    ...allDictionaries(site).flatMap(({ size, bytes }) => [size, bytes]),
    ...tupleColumns.map((name) => site.tuples[name].size),
    ...months.flatMap(({ monthMs, rows }) => [monthMs, rows]),
    ...openChunks(site).flatMap((chunk) => [
      ...[chunk.number, chunk.monthMs, chunk.rows, chunk.properties],
      ...[chunk.minMs, chunk.maxMs, chunk.propertyMinMs, chunk.propertyMaxMs],
    ]),
  ];
}

/** Returns the chunks from one on that `seq` chooses, the first behind the last, until they have enough rows. */
function someChunks(chunks: readonly Chunk[], seq: number): Chunk[] {
  const some: Chunk[] = [];
  for (let rows = 0; rows < rowsMax && some.length < Math.min(chunksMax, chunks.length);) {
    const chunk = chunks[(seq + some.length) % chunks.length]!;
    some.push(chunk);
    rows += chunk.rows;
  }
  return some;
}

function rowsChecksum(chunk: Chunk, before: number): number {
  const { columns, rows, properties } = chunk;
  let sum = before;
  for (const name of plainNames)
    sum = plainChecksum(columns[name].subarray(0, plainColumns[name].of === "rows" ? rows : properties), sum);
  // Ids have 16 bits here and 32 there.
  for (const name of columnNames)
    sum = checksum(bytesOf(new Uint32Array(columns.ids[name].values.subarray(0, rows))), sum);
  return sum;
}

/** NaN has many forms, which count as one value. */
function plainChecksum(column: Plain, before: number): number {
  const isOfNumbers = column instanceof Float64Array;
  const own = isOfNumbers ? column.map((value) => (Number.isNaN(value) ? Infinity : value)) : column;
  return checksum(bytesOf(own), before);
}

function namesChecksum(site: Site, seq: number, before: number): number {
  let sum = before;
  for (const dictionary of allDictionaries(site)) sum = checksum(someValues(dictionary, seq), sum);
  for (const name of tupleColumns) {
    const { members, size } = site.tuples[name];
    const first = firstOf(size, seq);
    const end = Math.min(size, first + valuesMax);
    for (const ids of members) sum = checksum(bytesOf(ids.subarray(first, end)), sum);
  }
  return sum;
}

/** Returns the UTF-8 of some values. */
function someValues(dictionary: Dictionary, seq: number): Uint8Array {
  const first = firstOf(dictionary.size, seq);
  const { bytes, ends } = dictionary.since(first);
  if (ends.length <= valuesMax) return bytes;
  // The ends of all values are counted from the same place; those of the last are those of the bytes.
  return bytes.subarray(0, bytes.length - (ends.at(-1)! - ends[valuesMax - 1]!));
}

/** Returns the first id of one of the parts of a table, which `seq` chooses. */
function firstOf(size: number, seq: number): number {
  const parts = Math.max(1, Math.ceil((size - 1) / valuesMax));
  return 1 + (seq % parts) * valuesMax;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The order of an object's fields says nothing: an earlier version kept that of whoever made the record. */
function checksumOfJson(value: unknown): number {
  return checksum(encoder.encode(JSON.stringify(value, sorted)));
}

function sorted(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
