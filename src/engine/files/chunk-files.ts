/**
 * Which file has the columns of which chunk, from one checkpoint to the next. One that has not changed is named again.
 * The columns of a sealed chunk leave memory once a checkpoint has them; what has to be made of them before, rows in
 * order, new ids, one chunk of many, is left to whoever writes the checkpoint.
 */
import { expectContent } from "../../lib/decoding.ts";
import { numbered, type FileEntry } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import { changingColumns, loadColumns } from "../../store/files/chunk-changes.ts";
import { Chunk, type ChunkHead } from "../../store/columns/chunk.ts";
import type { ChunkPart } from "../../store/files/join-chunks.ts";
import { chunksToMerge, mergedHead } from "../../store/columns/merge.ts";
import { saveChunk, viewColumns } from "../../store/files/save-chunk.ts";
import type { Site } from "../../store/state/site.ts";
import type { FreshFile, PlannedFile } from "./planned-checkpoint.ts";

interface WrittenChunk {
  /** Of the chunk when it was written. */
  readonly version: number;
  readonly rows: number;
  /** Its rows in the file are by time. */
  readonly sorted: boolean;
  readonly entry: FileEntry;
  /** The file of what has changed since, if there is one. */
  readonly changes?: FileEntry | undefined;
}

/** In the files of a checkpoint that is not durable yet. */
interface CollectedChunk extends Omit<WrittenChunk, "entry" | "changes"> {
  readonly chunk: Chunk;
  readonly name: string;
  readonly changes?: string | undefined;
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
  /** Those that still change and are read when they are needed, by the names of their files. */
  readonly open: OpenChunks;
}

/** A checkpoint says this of a chunk that still changes, so that a start need not read it. */
export interface OpenChunk {
  readonly head: ChunkHead;
  /** The file of what has changed since the chunk's own was written. */
  readonly changes?: string | undefined;
}

export type OpenChunks = Record<string, OpenChunk>;

export function noChunks(seq: number, nowMs: number): CollectedChunks {
  return { seq, nowMs, chunks: [], merges: [], heads: [], open: {} };
}

export class ChunkFiles {
  /** By the chunk itself: one that took the place of another is written whole, whatever its version. */
  private written = new Map<Chunk, WrittenChunk>();
  /** Parts of what could not be written: it may have been for them. */
  private readonly unmergeable = new WeakSet<Chunk>();

  constructor(
    private readonly mapped: MappedFiles,
    /** With so many rows a chunk that still changes is not read at a start. */
    private readonly rowsMin: number,
  ) {}

  /** The chunk is as the files have it. */
  found(chunk: Chunk, entry: FileEntry, changes?: FileEntry): void {
    const { version, rows, sorted } = chunk;
    this.written.set(chunk, { version, rows, sorted, entry, changes });
  }

  /** A chunk that still changes, of files that are read when it is needed; `entries`: the checkpoint's, by name. */
  open({ head, changes: name }: OpenChunk, entry: FileEntry, entries: ReadonlyMap<string, FileEntry>): Chunk {
    const { mapped } = this;
    const changes = name === undefined ? undefined : entries.get(name);
    expectContent(name === undefined || changes !== undefined, `the manifest does not name ${name}`);
    const chunk = Chunk.open(head, () =>
      loadColumns(head, mapped.kept(entry), changes && mapped.kept(changes)),
    );
    this.found(chunk, entry, changes);
    return chunk;
  }

  /** A sealed chunk of a file that stays on the disk. */
  sealed(head: ChunkHead, entry: FileEntry): Chunk {
    return Chunk.sealed(head, this.mapped.reader(entry, viewColumns));
  }

  /** The file that has the columns of a chunk, or those that they are made of. */
  fileOf(chunk: Chunk): FileEntry {
    return (this.written.get(chunk.origin?.chunk ?? chunk) as WrittenChunk).entry;
  }

  /** The files of a website's sealed chunks that have them as they are. */
  sealedFiles(site: Site): FileEntry[] {
    const stored = [...site.chunks.values()].filter(
      ({ resident, origin }) => !resident && origin === undefined,
    );
    return stored.map((chunk) => this.fileOf(chunk));
  }

  /** A sealed chunk that the last checkpoint has is not mapped from it: a start would read it. */
  get sealedSince(): boolean {
    const written = this.written.entries();
    return written.some(
      ([chunk, { entry, changes }]) => chunk.sealed && (!entry.mapped || changes !== undefined),
    );
  }

  /** The bytes of the files of sealed chunks, which are mapped when they are needed. */
  get sealedBytes(): number {
    const sealed = this.written.entries().filter(([chunk, { entry }]) => chunk.sealed && entry.mapped);
    return sealed.reduce((sum, [, { entry }]) => sum + entry.bytes, 0);
  }

  /** How many rows of a website checkpoints would merge at that log time, one after the other. */
  mergeableRows(site: Site, nowMs: number): number {
    const isMergeable = (chunk: Chunk) => this.isMergeable(chunk);
    const groups = chunksToMerge(site.chunks.values(), isMergeable, nowMs, Infinity);
    return groups.flat().reduce((sum, { rows }) => sum + rows, 0);
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
      if (!merged.has(chunk) && !chunk.sealed) {
        files.push(...this.openFiles(site, chunk, into));
        continue;
      }
      const file = merged.has(chunk) ? merged.get(chunk) : this.sealedFile(site, chunk, into);
      if (file === undefined) continue;
      files.push(file);
      into.heads.push("plan" in file ? file.plan.head : chunk.head);
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
      chunks.map(({ chunk, name, changes, ...rest }) => [
        chunk,
        { ...rest, entry: entryOf(name), changes: changes === undefined ? undefined : entryOf(changes) },
      ]),
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
  abandon({ chunks, merges }: CollectedChunks): void {
    for (const { parts } of merges) for (const part of parts) this.unmergeable.add(part);
    // It may have been for the files that these go on from: the next one has them whole.
    for (const { chunk, changes } of chunks) if (changes !== undefined) this.written.delete(chunk);
  }

  /** Gives up the memory of sealed chunks that the last checkpoint has as they are, or in order. */
  releaseSealed(): void {
    for (const [chunk, { version, sorted, entry, changes }] of this.written) {
      if (!chunk.sealed || chunk.version !== version || !sorted || changes !== undefined) continue;
      if (!chunk.resident && chunk.origin === undefined) continue;
      chunk.store(this.mapped.reader(entry, viewColumns));
      this.found(chunk, entry);
    }
  }

  private isMergeable(chunk: Chunk): boolean {
    return !chunk.resident && chunk.origin === undefined && !this.unmergeable.has(chunk);
  }

  private sealedFile(site: Site, chunk: Chunk, into: CollectedChunks): FileEntry | FreshFile {
    const { version, rows, sorted, head } = chunk;
    const known = this.written.get(chunk);
    if (known?.version === version && known.sorted && known.changes === undefined) {
      into.chunks.push({ chunk, version, rows, sorted: true, name: known.entry.name });
      return { ...known.entry, mapped: true };
    }
    const name = chunkName(site, head, into.seq);
    into.chunks.push({ chunk, version, rows, sorted: true, name });
    if (chunk.origin === undefined && sorted) return { name, sections: saveChunk(chunk), mapped: true };
    return { name, mapped: true, plan: { head: { ...head, sorted: true }, parts: [this.part(chunk)] } };
  }

  /** The file of a chunk that still changes and, where rows were not what changed, that of its changes. */
  private openFiles(site: Site, chunk: Chunk, into: CollectedChunks): (FileEntry | FreshFile)[] {
    const { version, rows, sorted, head } = chunk;
    const known = this.written.get(chunk);
    const add = (name: string, changes?: string) =>
      into.chunks.push({ chunk, version, rows, sorted, name, changes });
    const name = chunkName(site, head, into.seq);
    if (rows < this.rowsMin) {
      const isWritten = known?.version === version && known.changes === undefined;
      add(isWritten ? known.entry.name : name);
      if (!isWritten) return [{ name, sections: saveChunk(chunk) }];
      const { mapped: _, ...entry } = known.entry;
      return [entry];
    }
    const mapped = true as const;
    if (known?.rows !== rows) {
      add(name);
      into.open[name] = { head };
      return [{ name, sections: saveChunk(chunk), mapped }];
    }
    const { entry } = known;
    const isWritten = known.version === version;
    const changes = isWritten ? known.changes?.name : name.replace(/chunk$/, "changes");
    add(entry.name, changes);
    into.open[entry.name] = { head, changes };
    const own = { ...entry, mapped };
    if (changes === undefined) return [own];
    if (isWritten) return [own, known.changes as FileEntry];
    return [own, { name: changes, mapped, since: entry, columns: changingColumns(chunk) }];
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
