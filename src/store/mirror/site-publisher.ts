/**
 * Publishes a website to another thread, which has a mirror of it: each delta says what is new since the one before. Large
 * columns, dictionaries and tuples are shared memory that only grows, and the sealed chunks are in files: so all that is
 * copied is what later hits may change, durations and flags of open chunks that changed.
 */
import type { FileEntry } from "../../snapshot/manifest.ts";
import { settledBytesOf, type Section } from "../../snapshot/section.ts";
import type { Chunk, ChunkHead } from "../columns/chunk.ts";
import type { ReadDictionary } from "./read-site.ts";
import type { ChunkIds } from "../columns/renumber.ts";
import { saveChunk } from "../files/save-chunk.ts";
import { tupleColumns, type Site, type TupleColumn } from "../state/site.ts";

/** The values of the ids from 1 up to `size - 1`. Without bytes where they lie as before, and are only more. */
export interface DictionaryDelta {
  readonly at: number;
  readonly size: number;
  readonly bytes?: Uint8Array;
  /** Where each ends, from id 1 on. */
  readonly ends?: Uint8Array;
}

export interface TuplesDelta {
  readonly column: TupleColumn;
  readonly size: number;
  readonly members?: readonly Uint8Array[];
}

/** Its columns are in a file, under ids that are others now if there are any, or in sections as `saveChunk` makes them. */
export interface ChunkDelta {
  readonly head: ChunkHead;
  readonly version: number;
  readonly sealed: boolean;
  readonly file?: FileEntry;
  readonly ids?: ChunkIds | undefined;
  readonly sections?: readonly Section[];
}

export interface SiteDelta {
  readonly websiteId: number;
  /** The mirror begins anew: nothing that was published before counts. */
  readonly fresh: boolean;
  readonly dictionaries: readonly DictionaryDelta[];
  readonly tuples: readonly TuplesDelta[];
  readonly chunks: readonly ChunkDelta[];
  /** Numbers of chunks that are part of others now. */
  readonly merged: readonly number[];
}

/** A dictionary whose values lie where `since(1)` says. */
interface SharedDictionary extends ReadDictionary {
  since(first: number): { readonly bytes: Uint8Array; readonly ends: Uint32Array };
}

/** How much of a dictionary or tuple table was published, and in which memory. */
interface Published {
  readonly size: number;
  readonly buffers: readonly ArrayBufferLike[];
}

/** Knows what one other thread has of one website. */
export class SitePublisher {
  private readonly published = new Map<string, Published>();
  private readonly publishedChunks = new Map<Chunk, { readonly version: number; readonly place: number }>();
  private fresh = true;
  /** The merges of the website that were published. */
  private merges = 0;

  constructor(readonly site: Site) {}

  /** `fileOf`: the file of a chunk whose columns are not in memory. What is not shared memory may be transferred. */
  next(fileOf: (chunk: Chunk) => FileEntry): SiteDelta {
    const { site, fresh } = this;
    this.fresh = false;
    const dictionaries = [...site.dictionaries, site.propertyNames, site.propertyValues];
    return {
      websiteId: site.websiteId,
      fresh,
      dictionaries: dictionaries.flatMap((dictionary, at) => this.dictionary(at, dictionary)),
      tuples: tupleColumns.flatMap((column) => this.tuples(column)),
      chunks: [...site.chunks.values()].flatMap((chunk) => this.chunk(chunk, fileOf)),
      merged: this.merged(),
    };
  }

  private dictionary(at: number, dictionary: SharedDictionary): DictionaryDelta[] {
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

  /** Returns undefined where nothing is new, and none where there are more entries in the memory that was published. */
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
    const { version, place, resident, origin } = chunk;
    const published = this.publishedChunks.get(chunk);
    if (published?.version === version && published.place === place) return [];
    this.publishedChunks.set(chunk, { version, place });
    const columns = resident ? { sections: saveChunk(chunk) } : { file: fileOf(chunk), ids: origin?.ids };
    return [{ head: chunk.head, version, sealed: chunk.sealed, ...columns }];
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

/** Returns a view to the end of shared memory, so that what is added there need not be published; else a copy. */
function roomOf(used: ArrayBufferView): Uint8Array {
  const { buffer, byteOffset } = used;
  return buffer instanceof SharedArrayBuffer ? new Uint8Array(buffer, byteOffset) : settledBytesOf(used);
}

/** Memory that can be handed over: nobody else has it. */
export function transferable({ dictionaries, tuples, chunks }: SiteDelta): ArrayBuffer[] {
  const views = [
    ...dictionaries.flatMap(({ bytes, ends }) => [bytes, ends]),
    ...tuples.flatMap(({ members }) => members ?? []),
    ...chunks.flatMap(({ sections }) => sections?.map(({ data }) => data) ?? []),
  ];
  return views.flatMap((view) => (view?.buffer instanceof ArrayBuffer ? [view.buffer] : []));
}
