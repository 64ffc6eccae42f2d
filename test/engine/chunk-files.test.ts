/** Full chunks that hits may still change: which bytes checkpoints and other threads get of them, step by step. */
import { expect, test } from "bun:test";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { ChunkFiles } from "../../src/engine/files/chunk-files.ts";
import { noChunks, type CollectedChunks } from "../../src/engine/files/collected-chunks.ts";
import {
  isFresh,
  sectionsIn,
  writePlanned,
  type FreshFile,
} from "../../src/engine/files/planned-checkpoint.ts";
import type { FileEntry } from "../../src/snapshot/manifest.ts";
import { encodeSections } from "../../src/snapshot/section.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { chunkRowsMax, type ChunkHead } from "../../src/store/chunks/chunk-head.ts";
import { columnsOf, movedRow } from "../../src/store/columns/columns.ts";
import { editedHead } from "../../src/store/chunks/edited-chunk.ts";
import { emptyRowFlags } from "../../src/store/columns/row-flag.ts";
import { saveChunk } from "../../src/store/files/save-chunk.ts";
import { SiteMirror } from "../../src/store/mirror/site-mirror.ts";
import { SitePublisher, transferable } from "../../src/store/mirror/site-publisher.ts";
import { rewrittenChunk } from "../../src/store/state/rebuilding/rebuild.ts";
import { Site } from "../../src/store/state/site.ts";
import { mappedFiles } from "../support/mapped-files.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { noonMs } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

const folder = "/data";
const monthMs = Date.UTC(2026, 2);
const rowIds = { path: 1, client: 1, place: 1, source: 1, entry: 1, origin: 1 };

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
    const delta = this.publisher.next((chunk) => this.files.fileOf(chunk));
    const bytes = transferable(delta).reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.mirror.update(structuredClone(delta, { transfer: transferable(delta) }));
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
  // Names of properties are sent whole, and of the rows only the one that has changed: the other thread makes their ids.
  expect(world.tell()).toBeLessThan(2 * 4 * 300 + 600);
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
    // The checkpoint that was to write it again, or the chunk whole, fails: the next one does.
    world.rewrite(damaged);
    const failed = world.collect();
    change();
    world.abandon(failed);
    change();
    const later = world.collect();
    const kinds = basedRowsMin === 1 ? ["chunk", "changes"] : ["chunk"];
    expect(later.files.map(({ name }) => name.split(".").at(-1))).toEqual(kinds);
    expect(later.files.map(({ name }) => name)).not.toContain(damaged);
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

/** Makes the same random changes to equal chunks, each in a world of its own. */
class Twins {
  private rows = 0;

  constructor(
    private readonly worlds: readonly World[],
    private readonly random: () => number,
  ) {}

  private get chunks(): readonly Chunk[] {
    return this.worlds.map(({ site }) => site.chunks.get(1) as Chunk);
  }

  private upTo(count: number): number {
    return Math.floor(this.random() * count);
  }

  each(act: (world: World) => void): void {
    for (const world of this.worlds) act(world);
  }

  fill(rows: number): void {
    this.rows = rows;
    for (let row = 0; row < rows; row++) {
      const ids = { path: 1 + this.upTo(30), client: this.upTo(5), place: 1, source: 2, entry: 3, origin: 1 };
      const [timeMs, visit, isUnique] = [noonMs + this.upTo(9_000), this.upTo(40), this.upTo(2)];
      for (const chunk of this.chunks) chunk.addRow(timeMs, ids, 3 * isUnique, visit);
    }
  }

  hit(): void {
    const [row, ms, name] = [this.upTo(this.rows), this.upTo(90_000), this.upTo(20)];
    for (const chunk of this.chunks) {
      // No hit changes an empty row.
      if (chunk.flags[row] === emptyRowFlags) continue;
      chunk.addDuration(row, ms);
      if (ms % 3 === 0) chunk.addProperty(row, name, 1 + name, noonMs + ms, ms);
      if (ms % 5 === 0 && chunk.visit[row] !== 0) chunk.markVisit(row, 3, 4);
      if (ms % 7 === 0 && chunk.properties > 0) chunk.moveProperty(ms % chunk.properties);
    }
  }

  rewrite(): void {
    const ids = () => Uint32Array.from({ length: 40 }, (_, id) => (id === 0 ? 0 : this.upTo(40)));
    const newIds = { columns: columnsOf(ids), propertyNames: ids(), propertyValues: ids() };
    const some = Uint8Array.from({ length: this.rows }, () => (this.upTo(3) === 0 ? 1 + this.upTo(3) : 0));
    const hasEdits = this.upTo(3) > 0;
    const heads = this.worlds.map(({ site }, at) => {
      const chunk = this.chunks[at] as Chunk;
      const edits = some.slice();
      const isEmpty = (row: number) => chunk.sealed && chunk.flags[row] === emptyRowFlags;
      edits.forEach((_, row) => isEmpty(row) && (edits[row] = 1));
      const head = hasEdits && chunk.sealed ? editedHead(chunk, edits) : chunk.head;
      const rewrite = { ids: newIds, ...(hasEdits && { edits }) };
      site.chunks.set(1, rewrittenChunk(chunk, rewrite, head as ChunkHead));
      return site.chunks.get(1)!.head;
    });
    for (const head of heads) expect(head).toEqual(heads[0]!);
    this.rows = heads[0]!.rows;
  }

  expectSame(): void {
    const [first, ...others] = this.chunks.map(bytesOf);
    for (const other of others) expect(other).toEqual(first as never);
    this.each((world) => world.tell());
  }
}

test("a chunk that is mapped from its file is after rewrites as one in memory is, for all who read it", () => {
  const random = randomBySeed();
  const minimums = [1, 1e9];
  let [based, sealed] = [0, 0];
  for (let round = 0; round < rounds(30, 8); round++) {
    const worlds = minimums.map((basedRowsMin) => new World([new Chunk(1, monthMs)], basedRowsMin));
    const twins = new Twins(worlds, random);
    const chunk = () => worlds[0]?.site.chunks.get(1) as Chunk;
    twins.fill(40 + Math.floor(random() * 300));
    for (let step = 0; step < 25; step++) {
      const choice = random();
      if (choice < 0.4) for (let hits = 0; hits < 9; hits++) twins.hit();
      else if (choice < 0.6) twins.rewrite();
      else if (choice < 0.85) twins.each((world) => world.checkpoint());
      twins.expectSame();
      based += Number((chunk().basis?.rewrites.length ?? 0) > 0);
    }
    const isBased = chunk().basis !== undefined;
    twins.each(({ site }) => site.chunks.get(1)?.seal());
    for (let times = 0; times < 2; times++) {
      twins.rewrite();
      sealed += Number(isBased && chunk().rewrittenFrom !== undefined);
      twins.each((world) => world.tell());
    }
    twins.each((world) => world.checkpoint());
    twins.expectSame();
  }
  expect(based).toBeGreaterThan(0);
  expect(sealed).toBeGreaterThan(0);
});
