/**
 * Assigns chunks to files, from one checkpoint to the next. The file of a chunk that has not changed is named again.
 * The columns of a sealed chunk leave memory once a checkpoint includes them. If they have to be rewritten first (rows
 * in order, new ids, several chunks merged into one), the thread that writes the checkpoint does that.
 */
import { expectContent } from "../../lib/decoding.ts";
import { numbered, type FileEntry } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import { ChangedRows } from "../../store/chunks/changed-rows.ts";
import { Chunk } from "../../store/chunks/chunk.ts";
import type { ChunkHead } from "../../store/chunks/chunk-head.ts";
import type { ChunkPart } from "../../store/files/join-chunks.ts";
import { monthNumber } from "../../store/chunks/month.ts";
import { chunksToMerge, mergedHead } from "../../store/chunks/merge.ts";
import { saveChanges } from "../../store/files/chunk-changes.ts";
import { saveChunk, viewColumns } from "../../store/files/save-chunk.ts";
import { sentOf } from "../../store/files/sent-columns.ts";
import { monthsFrom, stays } from "../../store/state/rebuilding/drop.ts";
import type { Site } from "../../store/state/site.ts";
import { BasedChunks, isQuiet } from "./based-chunks.ts";
import type { CollectedChunks, OpenChunk, WrittenChunk } from "./collected-chunks.ts";
import { bytesOf, type FreshFile, type PlannedFile } from "./planned-checkpoint.ts";

export class ChunkFiles {
  /** By the chunk itself: one that replaced another is written whole, whatever its version. */
  private written = new Map<Chunk, WrittenChunk>();
  private readonly based: BasedChunks;
  /** Parts of a merge that could not be written: they may have been the reason. */
  private readonly unmergeable = new WeakSet<Chunk>();

  constructor(
    private readonly mapped: MappedFiles,
    private readonly minimums: { readonly openRowsMin: number; readonly basedRowsMin: number },
  ) {
    this.based = new BasedChunks(mapped, minimums.basedRowsMin);
  }

  /** Notes that the files contain the chunk as it is now. */
  found(chunk: Chunk, entry: FileEntry, changes?: FileEntry): void {
    const { version, sorted } = chunk;
    this.written.set(chunk, { version, sorted, entry, changes });
  }

  /**
   * Opens a chunk that still changes; its files are read when it is needed. `entries`: the checkpoint's files, by name.
   */
  open({ head, changes: name }: OpenChunk, entry: FileEntry, entries: ReadonlyMap<string, FileEntry>): Chunk {
    const changes = name === undefined ? undefined : entries.get(name);
    expectContent(name === undefined || changes !== undefined, `the manifest does not name ${name}`);
    const chunk: Chunk = Chunk.open(head, () => this.based.open(chunk, head, entry, changes));
    this.found(chunk, entry, changes);
    return chunk;
  }

  /** Opens a sealed chunk, whose file stays on the disk. */
  sealed(head: ChunkHead, entry: FileEntry): Chunk {
    return Chunk.sealed(head, this.mapped.reader(entry, viewColumns));
  }

  /** Returns the file with the columns of a chunk, or with those from which they are made. */
  fileOf(chunk: Chunk): FileEntry {
    return (this.written.get(chunk.rewrittenFrom?.chunk ?? chunk) as WrittenChunk).entry;
  }

  /**
   * Returns the files of some sealed chunks; undefined if one has none, or has to be written again.
   */
  filesOf(chunks: readonly Chunk[]): FileEntry[] | undefined {
    return chunks.every(hasOwnFile) ? chunks.map((chunk) => this.fileOf(chunk)) : undefined;
  }

  /** Returns the files of a website's sealed chunks, without those that have to be written again. */
  sealedFiles(site: Site): FileEntry[] {
    const stored = [...site.chunks.values()].filter(hasOwnFile);
    return stored.map((chunk) => this.fileOf(chunk));
  }

  /** Whether a sealed chunk of the last checkpoint is not mapped from it: a start would read it. */
  get sealedSince(): boolean {
    const written = this.written.entries();
    return written.some(
      ([chunk, { entry, changes }]) => chunk.sealed && (!entry.mapped || changes !== undefined),
    );
  }

  /**
   * How many bytes the files of chunks take that are mapped when needed: of sealed ones, and of those that take rows and
   * are written whole again after the next row.
   */
  get bytes(): { readonly sealed: number; readonly open: number } {
    const sum = { sealed: 0, open: 0 };
    for (const [{ sealed, full }, { entry }] of this.written)
      if (entry.mapped && (sealed || !full)) sum[sealed ? "sealed" : "open"] += entry.bytes;
    return sum;
  }

  /** Returns how many rows of a website would be merged at that log time by one checkpoint after the other. */
  mergeableRows(site: Site, nowMs: number): number {
    const groups = chunksToMerge(site.chunks.values(), this.isMergeable, nowMs, Infinity);
    return groups.flat().reduce((sum, { rows }) => sum + rows, 0);
  }

  /** Returns the files of a website's chunks. */
  collect(site: Site, into: CollectedChunks): (FileEntry | FreshFile)[] {
    const merged = new Map<Chunk, PlannedFile | undefined>();
    for (const parts of chunksToMerge(site.chunks.values(), this.isMergeable, into.nowMs)) {
      const [first, ...others] = parts.toSorted((a, b) => a.number - b.number) as [Chunk, ...Chunk[]];
      const file = this.mergedFile(site, [first, ...others], into);
      if (file === undefined) continue;
      merged.set(first, file);
      for (const part of others) merged.set(part, undefined);
    }
    const files: (FileEntry | FreshFile)[] = [];
    for (const chunk of site.chunks.values()) {
      // A sealed one whose basis is damaged cannot be written whole: a start finds it open, and seals it again.
      if (!merged.has(chunk) && (!chunk.sealed || chunk.basis?.isDamaged)) {
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

  /**
   * Takes over the files of a durable checkpoint. `isCurrent`: whether a website still exists. Returns what `BasedChunks.base`
   * does.
   */
  settle(
    { chunks, merges, nowMs }: CollectedChunks,
    entries: ReadonlyMap<string, FileEntry>,
    isCurrent: (site: Site) => boolean,
  ): unknown {
    const entryOf = (name: string) => entries.get(name) as FileEntry;
    this.written = new Map(
      chunks.map(({ chunk, name, changes, before: _, ...rest }) => [
        chunk,
        { ...rest, entry: entryOf(name), changes: changes === undefined ? undefined : entryOf(changes) },
      ]),
    );
    for (const { site, parts, head, name } of merges) {
      // A node that follows may have dropped the month meanwhile.
      if (!isCurrent(site) || !site.chunks.has(head.number)) continue;
      const merged = this.sealed(head, entryOf(name));
      // The sum of one plus the version over all chunks never falls: a rise tells caches over several chunks that rows
      // changed.
      merged.version = parts.reduce((sum, { version }) => sum + 1 + version, 0);
      site.merge(parts, merged);
      this.found(merged, entryOf(name));
    }
    this.releaseSealed();
    return this.based.base(this.written, nowMs);
  }

  /** Asks that the file of a chunk, or of its changes, is written again. Returns whether all that is in it is in memory. */
  rewrite(name: string): boolean {
    for (const [chunk, known] of this.written) {
      const isWhole = known.entry.name === name;
      if (!isWhole && known.changes?.name !== name) continue;
      if (chunk.basis === undefined) return chunk.resident && this.written.delete(chunk);
      if (isWhole) this.based.compare(chunk);
      // Changes are written without the basis, which may be damaged too.
      else this.written.set(chunk, { ...known, version: NaN });
      return !isWhole;
    }
    return false;
  }

  /**
   * Compares, in steps, the files that checkpoints need to write a website that has got other ids: those of its months without
   * rows, and those from which chunks are mapped. Call it when its chunks were read, and before the record is logged: until a
   * checkpoint could read all of them, none would succeed. `kept`: the months that stay. `edited`: chunks
   * with removed rows, which are written as they are in memory if their file is damaged. Throws SnapshotDamage or DiskError.
   */
  *compareToRewrite(
    { chunks, reduced }: Site,
    kept = monthsFrom(-Infinity),
    edited: { has(chunk: Chunk): boolean } = new Set(),
  ): Generator<void, void> {
    for (const chunk of [...chunks.values()]) {
      if (chunk.basis === undefined || !stays(kept, chunk)) continue;
      const error = this.based.compare(chunk);
      if (error !== undefined && !edited.has(chunk)) throw error;
      yield;
    }
    for (const month of [...reduced.values()]) {
      if (stays(kept, month)) this.mapped.compare(month.file);
      yield;
    }
  }

  /** Gives up a checkpoint that could not be written. */
  abandon({ chunks, merges }: CollectedChunks): void {
    for (const { parts } of merges) for (const part of parts) this.unmergeable.add(part);
    // The files from which chunks were to be made may have been the reason.
    for (const { chunk, name, before } of chunks) {
      if (chunk.basis === undefined || chunk.basis.file.name === name) continue;
      this.based.compare(chunk);
      // The next one writes what has changed since the file that is there: all of it was noted meanwhile.
      if (before !== undefined && chunk.changed?.file === name) chunk.changed = before.with(chunk.changed);
    }
  }

  /** Frees the memory of sealed chunks that the last checkpoint includes as they are, or in order. */
  releaseSealed(): void {
    for (const [chunk, { version, sorted, entry, changes }] of this.written) {
      if (!chunk.sealed || chunk.version !== version || !sorted || changes !== undefined) continue;
      if (hasOwnFile(chunk)) continue;
      chunk.store(this.mapped.reader(entry, viewColumns));
      this.found(chunk, entry);
    }
  }

  private readonly isMergeable = (chunk: Chunk) => hasOwnFile(chunk) && !this.unmergeable.has(chunk);

  private sealedFile(site: Site, chunk: Chunk, into: CollectedChunks): FileEntry | FreshFile {
    const { version, sorted, head } = chunk;
    const known = this.written.get(chunk);
    if (known?.version === version && known.sorted && known.changes === undefined) {
      into.chunks.push({ chunk, version, sorted: true, name: known.entry.name });
      return { ...known.entry, mapped: true };
    }
    const name = chunkName(site, head, into.seq);
    into.chunks.push({ chunk, version, sorted: true, name });
    if (chunk.rewrittenFrom === undefined && sorted && chunk.basis === undefined)
      return { name, sections: saveChunk(chunk), mapped: true };
    return { name, mapped: true, plan: { head: { ...head, sorted: true }, parts: [this.part(chunk)] } };
  }

  /** Returns the file of a chunk that still changes and, if no rows were added since, the file of its changes. */
  private openFiles(site: Site, chunk: Chunk, into: CollectedChunks): (FileEntry | FreshFile)[] {
    const { version, rows, sorted, head, basis, changed } = chunk;
    const known = this.written.get(chunk);
    const add = (name: string, changes?: string, before?: ChangedRows) =>
      into.chunks.push({ chunk, version, sorted, name, changes, before });
    const name = chunkName(site, head, into.seq);
    if (rows < this.minimums.openRowsMin && !chunk.full) {
      const isWritten = known?.version === version && known.changes === undefined;
      add(isWritten ? known.entry.name : name);
      if (!isWritten) return [{ name, sections: saveChunk(chunk) }];
      const { mapped: _, ...entry } = known.entry;
      return [entry];
    }
    const mapped = true as const;
    const isWritten = known?.version === version;
    const isWorn = this.based.isWorn(chunk, into.nowMs) && (!isWritten || known.changes !== undefined);
    if (known === undefined || isWorn || (!isWritten && changed?.file !== known.entry.name)) {
      add(name, undefined, changed);
      into.open[name] = { head };
      chunk.changed = new ChangedRows(name, rows, chunk.properties, isQuiet(chunk, into.nowMs));
      // Until the file is there, other threads are sent what has changed since the one before.
      if (basis !== undefined && changed !== undefined) chunk.changed.addAll(changed);
      if (basis === undefined) return [{ name, sections: saveChunk(chunk), mapped }];
      return [{ name, mapped, plan: { head, keepsOrder: true, parts: [this.part(chunk)] } }];
    }
    const { entry } = known;
    const own = { ...entry, mapped };
    const changes = isWritten
      ? known.changes
      : { name: name.replace(/chunk$/, "changes"), mapped, sections: saveChanges(chunk, changed!) };
    add(entry.name, changes?.name);
    into.open[entry.name] = { head, changes: changes?.name };
    return changes === undefined ? [own] : [own, changes];
  }

  /** Returns undefined where there is no room for it. */
  private mergedFile(site: Site, parts: readonly Chunk[], into: CollectedChunks): PlannedFile | undefined {
    const head = mergedHead(parts);
    const name = chunkName(site, head, into.seq);
    const file = { name, mapped: true, plan: { head, parts: parts.map((part) => this.part(part)) } } as const;
    const bytes = bytesOf(file);
    if (bytes > into.mergeBytesLeft) {
      into.isMergeLeft = true;
      return undefined;
    }
    into.mergeBytesLeft -= bytes;
    into.merges.push({ site, parts, head, name });
    return file;
  }

  private part(chunk: Chunk): ChunkPart {
    const { rows, properties } = chunk;
    return { rows, properties, ...sentOf(chunk, (source) => this.fileOf(source)) };
  }
}

/** Returns whether the columns of a chunk are in a file as they are, and need not be made from those of another chunk. */
function hasOwnFile({ resident, rewrittenFrom }: Chunk): boolean {
  return !resident && rewrittenFrom === undefined;
}

/** Returns `<month>-<number of the chunk>.<last record included>.chunk` */
function chunkName(site: Site, { monthMs, number }: ChunkHead, seq: number): string {
  return `chunks/${site.websiteId}/${monthNumber(monthMs)}-${number}.${numbered(seq)}.chunk`;
}
