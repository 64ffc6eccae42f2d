/** Full chunks that hits may still change: which bytes checkpoints and other threads get of them, step by step. */
import { expect, test } from "bun:test";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { ChunkFiles, noChunks, type CollectedChunks } from "../../src/engine/files/chunk-files.ts";
import {
  isFresh,
  sectionsIn,
  writePlanned,
  type FreshFile,
} from "../../src/engine/files/planned-checkpoint.ts";
import type { FileEntry } from "../../src/snapshot/manifest.ts";
import { encodeSections } from "../../src/snapshot/section.ts";
import { Chunk } from "../../src/store/columns/chunk.ts";
import { chunkRowsMax } from "../../src/store/columns/chunk-head.ts";
import { columnsOf, movedRow } from "../../src/store/columns/columns.ts";
import { saveChunk } from "../../src/store/files/save-chunk.ts";
import { SiteMirror } from "../../src/store/mirror/site-mirror.ts";
import { SitePublisher, transferable } from "../../src/store/mirror/site-publisher.ts";
import { rewrittenChunk } from "../../src/store/state/rebuilding/rebuild.ts";
import { Site } from "../../src/store/state/site.ts";
import { mappedFiles } from "../support/mapped-files.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { noonMs } from "../support/records.ts";

const folder = "/data";
const monthMs = Date.UTC(2026, 2);
const rowIds = { path: 1, client: 1, place: 1, source: 1, entry: 1, origin: 1 };
const noFile = (): FileEntry => {
  throw new Error("no chunk is sealed here");
};

function filled(number: number, rows: number, properties: number): Chunk {
  const chunk = new Chunk(number, monthMs);
  for (let row = 0; row < rows; row++) chunk.addRow(noonMs + row, rowIds, row & 1, row);
  for (let at = 0; at < properties; at++) chunk.addProperty(at, 1, 1, noonMs + at, at);
  return chunk;
}

/** A website of some chunks, its checkpoints, and another thread that has a mirror of it. */
class World {
  readonly site = new Site(1);
  private readonly disk = new MemoryDisk();
  private readonly files: ChunkFiles;
  private readonly publisher = new SitePublisher(this.site);
  private readonly mirror: SiteMirror;
  private seq = 0;

  constructor(
    chunks: readonly Chunk[],
    private readonly basedRowsMin: number,
  ) {
    this.disk.makeDirectory(folder);
    for (const chunk of chunks) this.site.chunks.set(chunk.number, chunk);
    this.files = this.newFiles();
    const worker = mappedFiles(this.disk, folder);
    this.mirror = new SiteMirror(1, (file, columns) => worker.sectionReader(file.name, columns, file));
  }

  collect() {
    const collected = noChunks(++this.seq, noonMs + chunkRowsMax);
    return { collected, files: this.files.collect(this.site, collected) };
  }

  settle({ collected, files }: ReturnType<World["collect"]>): readonly FileEntry[] {
    const checkpoint = { seq: this.seq, folderId: "", names: storedNames, files };
    const manifest = writePlanned(this.disk, folder, checkpoint);
    this.files.settle(collected, new Map(manifest.files.map((file) => [file.name, file])), () => true);
    return manifest.files;
  }

  abandon({ collected }: { readonly collected: CollectedChunks }): void {
    this.files.abandon(collected);
  }

  checkpoint(): { readonly fresh: readonly FreshFile[]; readonly copiedBytes: number } {
    const checkpoint = this.collect();
    const fresh = checkpoint.files.filter(isFresh);
    const copied = fresh.flatMap(sectionsIn).filter(({ data }) => data.buffer instanceof ArrayBuffer);
    const copiedBytes = copied.reduce((sum, { data }) => sum + data.length, 0);
    this.settle(checkpoint);
    this.expectSameOnDisk(checkpoint);
    return { fresh, copiedBytes };
  }

  /** The files of a checkpoint have the chunks as they are. */
  expectSameOnDisk({ collected, files }: ReturnType<World["collect"]>): void {
    const entries = this.settled(files);
    for (const [name, open] of Object.entries(collected.open)) {
      const chunk = this.newFiles().open(open, entries.get(name) as FileEntry, entries);
      expect(bytesOf(chunk)).toEqual(bytesOf(this.site.chunks.get(open.head.number) as Chunk));
    }
  }

  /** Returns how many bytes were copied for the other thread. */
  tell(): number {
    const delta = this.publisher.next(noFile);
    const bytes = transferable(delta).reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.mirror.see(structuredClone(delta, { transfer: transferable(delta) }));
    for (const [number, chunk] of this.site.chunks)
      expect(bytesOf(this.mirror.chunks.get(number) as Chunk)).toEqual(bytesOf(chunk));
    return bytes;
  }

  /** Finds a file damaged. */
  rewrite(name: string): void {
    expect(this.files.rewrite(name)).toBe(true);
  }

  private settled(files: readonly (FileEntry | FreshFile)[]): Map<string, FileEntry> {
    return new Map(
      files.map(({ name }) => {
        const bytes = this.disk.read(`${folder}/${name}`);
        const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true);
        return [name, { name, bytes: bytes.length, checksum, mapped: true }];
      }),
    );
  }

  private newFiles(): ChunkFiles {
    const minimums = { openRowsMin: 1, basedRowsMin: this.basedRowsMin };
    return new ChunkFiles(mappedFiles(this.disk, folder), minimums);
  }
}

function bytesOf(chunk: Chunk): Uint8Array {
  return encodeSections(saveChunk(chunk));
}

test("one changed row of each of many full chunks is a few bytes for a checkpoint and for another thread", () => {
  const chunks = Array.from({ length: 6 }, (_, at) => filled(at + 1, chunkRowsMax, 5_000));
  const world = new World(chunks, chunkRowsMax);
  world.checkpoint();
  world.tell();
  for (const row of [0, 40_000, chunkRowsMax - 1]) {
    for (const chunk of chunks) chunk.addDuration(row, 5_000);
    // Each chunk's head is some two hundred bytes of text.
    expect(world.tell()).toBeLessThan(chunks.length * 300);
    const { fresh, copiedBytes } = world.checkpoint();
    expect(fresh.map(({ name }) => name.split(".").at(-1))).toEqual(chunks.map(() => "changes"));
    expect(copiedBytes).toBeLessThan(chunks.length * 30);
  }
});

test("a chunk that gets other ids is still the one that changed", () => {
  const chunk = filled(1, 600, 300);
  const world = new World([chunk], 1);
  world.checkpoint();
  chunk.addDuration(7, 1_000);
  chunk.moveProperty(8);
  const newIds = Uint32Array.of(0, 2);
  const ids = { columns: columnsOf(() => newIds), propertyNames: newIds, propertyValues: newIds };
  const other = rewrittenChunk(chunk, { ids });
  expect([other.duration[7], other.propertyRow[8], other.ids.path.values[7]]).toEqual([1_000, movedRow, 2]);
  world.site.chunks.set(1, other);
  // Ids are sent whole, and beside them only the row that has changed.
  expect(world.tell()).toBeLessThan(12 * 600 + 3 * 4 * 300 + 300);
  for (const kind of ["chunk", "changes"]) {
    other.addDuration(9, 2_000);
    world.tell();
    expect(world.checkpoint().fresh.map(({ name }) => name.split(".").at(-1))).toEqual([kind]);
    other.addDuration(9, 3_000);
  }
});

test.each([
  ["mapped from its file", 1],
  ["in memory", 1e9],
])(
  "a chunk %s stays the same for all, whatever changes while its file is written anew",
  (_, basedRowsMin) => {
    const chunk = filled(1, 600, 300);
    const world = new World([chunk], basedRowsMin);
    let changes = 0;
    const change = () => {
      changes++;
      chunk.addDuration(changes, 1_000);
      chunk.markEvented(100 + changes);
      chunk.moveProperty(changes);
      chunk.addProperty(changes, 2, 3, noonMs + changes);
      chunk.moveProperty(chunk.properties - 1);
      world.tell();
    };
    const expectSame = () => {
      const { fresh } = world.checkpoint();
      world.tell();
      return fresh.map(({ name }) => name);
    };
    change();
    expect(expectSame()).toEqual([expect.stringMatching(/\.chunk$/)]);
    change();
    const [damaged] = expectSame() as [string];
    expect(damaged).toEndWith(".changes");
    expect(expectSame()).toEqual([]);
    change();
    // The checkpoint that was to write it whole fails: the next one does.
    world.rewrite(damaged);
    const failed = world.collect();
    change();
    world.abandon(failed);
    change();
    const later = world.collect();
    expect(later.files.map(({ name }) => name)).toEqual([expect.stringMatching(/\.chunk$/)]);
    change();
    world.settle(later);
    world.tell();
    for (let times = 0; times < 3; times++) {
      expect(expectSame()).toEqual([expect.stringMatching(/\.changes$/)]);
      change();
    }
    expect(chunk.basis !== undefined).toBe(basedRowsMin === 1);
    // Rows came, and the file that was to have them did not.
    chunk.addRow(noonMs + 1_000, rowIds, 1);
    world.tell();
    world.abandon(world.collect());
    change();
    expect(expectSame()).toEqual([expect.stringMatching(/\.chunk$/)]);
  },
);
