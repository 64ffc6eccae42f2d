/**
 * Publishes a website to another thread, which has a mirror of it: each delta holds what is new since the one before.
 * Large columns, dictionaries and tuples are shared memory that only grows, and sealed chunks are in files. So a delta
 * copies only data that later hits may change: the durations and flags of changed open chunks, and of one that has all its
 * rows in a file only those of the rows that changed since.
 */
import type { FileEntry } from "../../snapshot/manifest.ts";
import { settledBytesOf } from "../../snapshot/section.ts";
import type { Chunk } from "../chunks/chunk.ts";
import type { ChunkHead } from "../chunks/chunk-head.ts";
import type { ReadDictionary } from "./read-site.ts";
import type { Rewrite } from "../columns/renumber.ts";
import { sectionsOf, sentOf, type SentColumns } from "../files/sent-columns.ts";
import type { ReducedMonth } from "../state/reduced-month.ts";
import { tupleColumns, type Site, type TupleColumn } from "../state/site.ts";
import { allDictionaries } from "../values/dictionaries.ts";

/**
 * The values of the ids from 1 to `size - 1`. Without `bytes` if more values were added to the memory already
 * published.
 */
export interface DictionaryDelta {
  readonly at: number;
  readonly size: number;
  readonly bytes?: Uint8Array;
  /** The end of each value, from id 1 on. */
  readonly ends?: Uint8Array;
}

export interface TuplesDelta {
  readonly column: TupleColumn;
  readonly size: number;
  readonly members?: readonly Uint8Array[];
}

/** A chunk; `rewrites` lead from columns in a file to the present rows and ids. */
export interface ChunkDelta extends SentColumns {
  readonly head: ChunkHead;
  readonly version: number;
  readonly sealed: boolean;
  readonly rewrites?: readonly Rewrite[] | undefined;
}

/** A month that gave up its rows. */
export type MonthDelta = Pick<ReducedMonth, "head" | "file" | "rewrites" | "idsBefore">;

export interface SiteDelta {
  readonly websiteId: number;
  /** Whether the mirror starts again: nothing that was published before counts. */
  readonly fresh: boolean;
  readonly dictionaries: readonly DictionaryDelta[];
  readonly tuples: readonly TuplesDelta[];
  readonly chunks: readonly ChunkDelta[];
  /** All months without rows, if one of them is new or has other ids. */
  readonly months?: readonly MonthDelta[];
  /** The numbers of chunks that were merged into others. */
  readonly merged: readonly number[];
}

/** How much of a dictionary or tuple table was published, and in which buffers. */
interface Published {
  readonly size: number;
  readonly buffers: readonly ArrayBufferLike[];
}

/** Knows what one other thread has of one website. */
export class SitePublisher {
  private readonly published = new Map<string, Published>();
  private readonly publishedChunks = new Map<Chunk, { readonly version: number; readonly moves: number }>();
  private publishedMonths: ReadonlySet<ReducedMonth> = new Set();
  private fresh = true;
  /** The value of the website's `merges` at the last delta. */
  private merges = 0;

  constructor(readonly site: Site) {}

  /**
   * Returns the next delta. `fileOf` returns the file of a chunk whose columns are not in memory. Memory that is not
   * shared may be transferred.
   */
  next(fileOf: (chunk: Chunk) => FileEntry): SiteDelta {
    const { site, fresh } = this;
    this.fresh = false;
    return {
      websiteId: site.websiteId,
      fresh,
      dictionaries: allDictionaries(site).flatMap((dictionary, at) => this.dictionary(at, dictionary)),
      tuples: tupleColumns.flatMap((column) => this.tuples(column)),
      chunks: [...site.chunks.values()].flatMap((chunk) => this.chunk(chunk, fileOf)),
      ...this.months(),
      merged: this.merged(),
    };
  }

  private dictionary(at: number, dictionary: ReadDictionary): DictionaryDelta[] {
    const { size } = dictionary;
    const { bytes, ends } = dictionary.since(1);
    const views = this.grown(`dictionary ${at}`, size, [bytes, ends]);
    if (views === undefined) return [];
    const [ownBytes, ownEnds] = views;
    return [{ at, size, ...(ownBytes && ownEnds && { bytes: ownBytes, ends: ownEnds }) }];
  }

  private tuples(column: TupleColumn): TuplesDelta[] {
    const { members, size } = this.site.tuples[column];
    const used = members.map((ids) => ids.subarray(0, size));
    const views = this.grown(column, size, used);
    return views === undefined ? [] : [{ column, size, ...(views.length > 0 && { members: views }) }];
  }

  /** Returns undefined if nothing is new, and no views if entries were added to the memory already published. */
  private grown(name: string, size: number, used: readonly ArrayBufferView[]): Uint8Array[] | undefined {
    const published = this.published.get(name);
    if (published?.size === size) return undefined;
    const buffers = used.map(({ buffer }) => buffer);
    this.published.set(name, { size, buffers });
    const known = buffers.every(
      (buffer, at) => buffer instanceof SharedArrayBuffer && buffer === published?.buffers[at],
    );
    return known ? [] : used.map(roomOf);
  }

  private chunk(chunk: Chunk, fileOf: (chunk: Chunk) => FileEntry): ChunkDelta[] {
    const { version, moves } = chunk;
    const published = this.publishedChunks.get(chunk);
    if (published?.version === version && published.moves === moves) return [];
    this.publishedChunks.set(chunk, { version, moves });
    return [{ head: chunk.head, version, sealed: chunk.sealed, ...sentOf(chunk, fileOf) }];
  }

  private months(): Pick<SiteDelta, "months"> {
    const months = [...this.site.reduced.values()];
    const isKnown = months.length === this.publishedMonths.size;
    if (isKnown && months.every((month) => this.publishedMonths.has(month))) return {};
    this.publishedMonths = new Set(months);
    return {
      months: months.map(({ head, file, rewrites, idsBefore }) => ({ head, file, rewrites, idsBefore })),
    };
  }

  private merged(): number[] {
    const { chunks, merges } = this.site;
    if (this.merges === merges) return [];
    this.merges = merges;
    const gone = [...this.publishedChunks.keys()].filter((chunk) => chunks.get(chunk.number) !== chunk);
    for (const chunk of gone) this.publishedChunks.delete(chunk);
    return gone.flatMap(({ number }) => (chunks.has(number) ? [] : [number]));
  }
}

/**
 * Returns a view to the end of shared memory, so that later additions need no new view; a copy of memory that is not
 * shared.
 */
function roomOf(used: ArrayBufferView): Uint8Array {
  const { buffer, byteOffset } = used;
  return buffer instanceof SharedArrayBuffer ? new Uint8Array(buffer, byteOffset) : settledBytesOf(used);
}

/** Returns the memory that can be transferred because nothing else uses it. */
export function transferable({ dictionaries, tuples, chunks }: SiteDelta): ArrayBuffer[] {
  const views = [
    ...dictionaries.flatMap(({ bytes, ends }) => [bytes, ends]),
    ...tuples.flatMap(({ members }) => members ?? []),
    ...chunks.flatMap((chunk) => sectionsOf(chunk).map(({ data }) => data)),
  ];
  return views.flatMap((view) => (view?.buffer instanceof ArrayBuffer ? [view.buffer] : []));
}
