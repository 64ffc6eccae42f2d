/**
 * Which file has the columns of which chunk, from one checkpoint to the next. One that has not changed is named again.
 * The columns of a sealed chunk leave memory once a checkpoint has them; what has to be made of them before, rows in
 * order, new ids, one chunk of many, is left to whoever writes the checkpoint.
 */
import { numbered, type FileEntry } from "../snapshot/manifest.ts";
import type { MappedFiles } from "../snapshot/mapped-files.ts";
import { Chunk, type ChunkHead } from "../store/chunk.ts";
import type { ChunkPart } from "../store/join-chunks.ts";
import { chunksToMerge, mergedHead } from "../store/merge.ts";
import { saveChunk, viewColumns } from "../store/save-chunk.ts";
import type { Site } from "../store/site.ts";
import type { FreshFile, PlannedFile } from "./planned-checkpoint.ts";

interface WrittenChunk {
  /** Of the chunk when it was written. */
  readonly version: number;
  /** Its rows in the file are by time. */
  readonly sorted: boolean;
  readonly entry: FileEntry;
}

/** In the files of a checkpoint that is not durable yet. */
interface CollectedChunk extends Omit<WrittenChunk, "entry"> {
  readonly chunk: Chunk;
  readonly name: string;
}

interface Merge {
  readonly site: Site;
  readonly parts: readonly Chunk[];
  readonly head: ChunkHead;
  readonly name: string;
}

/** The chunks of one checkpoint. */
export interface CollectedChunks {
  readonly seq: number;
  /** The log's time. */
  readonly nowMs: number;
  readonly chunks: CollectedChunk[];
  readonly merges: Merge[];
  /** Of those whose files are mapped when they are needed, in the order of their files. */
  readonly heads: ChunkHead[];
}

export function noChunks(seq: number, nowMs: number): CollectedChunks {
  return { seq, nowMs, chunks: [], merges: [], heads: [] };
}

export class ChunkFiles {
  /** By the chunk itself: one that took the place of another is written whole, whatever its version. */
  private written = new Map<Chunk, WrittenChunk>();
  /** Parts of what could not be written: it may have been for them. */
  private readonly unmergeable = new WeakSet<Chunk>();

  constructor(private readonly mapped: MappedFiles) {}

  /** The chunk is as the file has it. */
  found(chunk: Chunk, entry: FileEntry): void {
    this.written.set(chunk, { version: chunk.version, sorted: chunk.sorted, entry });
  }

  /** A sealed chunk of a file that stays on the disk. */
  sealed(head: ChunkHead, entry: FileEntry): Chunk {
    return Chunk.sealed(head, this.mapped.reader(entry, viewColumns));
  }

  /** The file that has the columns of a chunk, or those that they are made of. */
  fileOf(chunk: Chunk): FileEntry {
    return (this.written.get(chunk.origin?.chunk ?? chunk) as WrittenChunk).entry;
  }

  /** A sealed chunk that the last checkpoint has is not mapped from it: a start would read it. */
  get sealedSince(): boolean {
    return this.written.entries().some(([chunk, { entry }]) => chunk.sealed && !entry.mapped);
  }

  /** The files of a website's chunks. */
  collect(site: Site, into: CollectedChunks): (FileEntry | FreshFile)[] {
    const merged = new Map<Chunk, PlannedFile | undefined>();
    const isMergeable = (chunk: Chunk) => this.isMergeable(chunk);
    for (const parts of chunksToMerge(site.chunks.values(), isMergeable, into.nowMs)) {
      const [first, ...others] = parts.toSorted((a, b) => a.number - b.number) as [Chunk, ...Chunk[]];
      merged.set(first, this.mergedFile(site, [first, ...others], into));
      for (const part of others) merged.set(part, undefined);
    }
    const files: (FileEntry | FreshFile)[] = [];
    for (const chunk of site.chunks.values()) {
      const file = merged.has(chunk) ? merged.get(chunk) : this.file(site, chunk, into);
      if (file === undefined) continue;
      files.push(file);
      if (file.mapped) into.heads.push("plan" in file ? file.plan.head : chunk.head);
    }
    return files;
  }

  /** The checkpoint is durable. `isCurrent`: whether a website is still there. */
  settle(
    { chunks, merges }: CollectedChunks,
    entries: ReadonlyMap<string, FileEntry>,
    isCurrent: (site: Site) => boolean,
  ): void {
    const entryOf = (name: string) => entries.get(name) as FileEntry;
    this.written = new Map(
      chunks.map(({ chunk, name, ...rest }) => [chunk, { ...rest, entry: entryOf(name) }]),
    );
    for (const { site, parts, head, name } of merges) {
      if (!isCurrent(site)) continue;
      const merged = this.sealed(head, entryOf(name));
      // The sum over chunks of one and their versions never falls: what is kept of several knows by it that rows changed.
      merged.version = parts.reduce((sum, { version }) => sum + 1 + version, 0);
      site.merge(parts, merged);
      this.found(merged, entryOf(name));
    }
    this.releaseSealed();
  }

  /** The checkpoint could not be written. */
  abandon({ merges }: CollectedChunks): void {
    for (const { parts } of merges) for (const part of parts) this.unmergeable.add(part);
  }

  /** Gives up the memory of sealed chunks that the last checkpoint has as they are, or in order. */
  releaseSealed(): void {
    for (const [chunk, { version, sorted, entry }] of this.written) {
      if (!chunk.sealed || chunk.version !== version || !sorted) continue;
      if (!chunk.resident && chunk.origin === undefined) continue;
      chunk.store(this.mapped.reader(entry, viewColumns));
      this.written.set(chunk, { version: chunk.version, sorted, entry });
    }
  }

  private isMergeable(chunk: Chunk): boolean {
    return !chunk.resident && chunk.origin === undefined && !this.unmergeable.has(chunk);
  }

  private file(site: Site, chunk: Chunk, into: CollectedChunks): FileEntry | FreshFile {
    const { version, sealed, sorted, head } = chunk;
    const mapped = sealed ? { mapped: true as const } : {};
    const known = this.written.get(chunk);
    if (known?.version === version && (known.sorted || !sealed)) {
      const { entry } = known;
      into.chunks.push({ chunk, version, sorted: known.sorted, name: entry.name });
      return sealed && !entry.mapped ? { ...entry, ...mapped } : entry;
    }
    const name = chunkName(site, head, into.seq);
    into.chunks.push({ chunk, version, sorted: sealed || sorted, name });
    const isAsItIs = chunk.origin === undefined && (sorted || !sealed);
    if (isAsItIs) return { name, sections: saveChunk(chunk), ...mapped };
    return { name, mapped: true, plan: { head: { ...head, sorted: true }, parts: [this.part(chunk)] } };
  }

  private mergedFile(site: Site, parts: readonly Chunk[], into: CollectedChunks): PlannedFile {
    const head = mergedHead(parts);
    const name = chunkName(site, head, into.seq);
    into.merges.push({ site, parts, head, name });
    return { name, mapped: true, plan: { head, parts: parts.map((part) => this.part(part)) } };
  }

  private part(chunk: Chunk): ChunkPart {
    const { rows, properties, resident, origin } = chunk;
    if (resident) return { rows, properties, sections: saveChunk(chunk) };
    return { rows, properties, file: this.fileOf(chunk), ids: origin?.ids };
  }
}

/** `<month>-<number of the chunk>.<record up to which it stands>.chunk` */
function chunkName(site: Site, { monthMs, number }: ChunkHead, seq: number): string {
  const month = new Date(monthMs).toISOString().slice(0, 7);
  return `chunks/${site.websiteId}/${month}-${number}.${numbered(seq)}.chunk`;
}
