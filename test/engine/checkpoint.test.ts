/** Checkpoints one after another on one disk: what each of them writes, and that any of them is the whole state. */
import { describe, expect, test } from "bun:test";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { CheckpointFiles } from "../../src/engine/checkpoint/checkpoint.ts";
import type { FileMinimums } from "../../src/engine/checkpoint/file-minimums.ts";
import { systemIo } from "../../src/engine/checkpoint/io.ts";
import {
  isFresh,
  sectionsIn,
  writePlanned,
  type FreshFile,
} from "../../src/engine/files/planned-checkpoint.ts";
import type { State } from "../../src/engine/checkpoint/state.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import type { LogRecord } from "../../src/record/record.ts";
import type { Manifest } from "../../src/snapshot/manifest.ts";
import type { MappedFiles } from "../../src/snapshot/mapped-files.ts";
import { readNewest, type LoadedCheckpoint } from "../../src/snapshot/read-checkpoint.ts";
import type { Section } from "../../src/snapshot/section.ts";
import { removeOthers } from "../../src/snapshot/write-checkpoint.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { saveChunk } from "../../src/store/files/save-chunk.ts";
import { saveSite } from "../../src/store/files/save.ts";
import type { Site } from "../../src/store/state/site.ts";
import { withFolder } from "../support/folder.ts";
import { mappedFiles } from "../support/mapped-files.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { event, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { dumpBeacons } from "../support/saved-beacons.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

const folder = "/data";
const folderId = "0123456789abcdef".repeat(2);
const setUp: readonly LogRecord[] = [
  { kind: "userAdded", timeMs: noonMs, userId: 1, username: "ada", passwordHash: "hash", firstOnly: true },
  { kind: "websiteAdded", timeMs: noonMs, websiteId: 1, userId: 1, hostname: "a.example" },
  { kind: "websiteAdded", timeMs: noonMs, websiteId: 2, userId: 1, hostname: "b.example" },
];

/** A state and its checkpoints, without a log: a record is only counted. */
class World {
  readonly disk = new MemoryDisk();
  state: State;
  seq = 0;
  /** The log's time, for what a checkpoint seals. */
  sealMs = noonMs;
  private files: CheckpointFiles;
  private manifests: readonly Manifest[] = [];

  constructor(private readonly minimums?: FileMinimums) {
    this.disk.makeDirectory(folder);
    const empty = CheckpointFiles.empty(folderId, this.mapped(), minimums);
    ({ state: this.state, files: this.files } = empty);
    for (const record of setUp) this.apply(record);
  }

  apply(record: LogRecord): void {
    this.seq++;
    this.state.apply(record);
  }

  /** Returns what it wrote. `durable`: whether the engine hears that it was. */
  checkpoint(durable = true): readonly FreshFile[] {
    const { checkpoint, settle } = this.files.collect(this.seq++, noonMs, false);
    const manifest = writePlanned(this.disk, folder, checkpoint);
    if (durable) {
      settle(manifest);
      this.manifests = [...this.manifests, manifest].slice(-2);
      this.state.apply({ kind: "checkpoint", timeMs: this.sealMs, manifestSeq: manifest.seq });
      this.files.chunks.releaseSealed();
    }
    removeOthers(this.disk, folder, this.manifests, []);
    return checkpoint.files.filter(isFresh);
  }

  newest(): LoadedCheckpoint {
    const { checkpoint, damaged } = readNewest(this.disk, folder, storedNames);
    expect(damaged).toEqual([]);
    return checkpoint as LoadedCheckpoint;
  }

  /** As a start finds it. */
  loaded(): ReturnType<typeof CheckpointFiles.load> {
    return CheckpointFiles.load(this.newest(), this.mapped(), this.minimums);
  }

  restart(): void {
    ({ state: this.state, files: this.files } = this.loaded());
  }

  private mapped(): MappedFiles {
    return mappedFiles(this.disk, folder);
  }

  /** Bytes of the website's files, in the order of the manifest. */
  siteBytes(websiteId: number): number[] {
    const own = this.newest().manifest.files.filter(
      ({ name }) => name.startsWith(`chunks/${websiteId}/`) && name.endsWith(".site"),
    );
    expect(own.map(({ name }) => name)).toEqual(own.map(({ name }) => name).sort());
    return own.map(({ bytes }) => bytes);
  }

  /** How many files on the disk, of this checkpoint or the one before, have the text. */
  filesWith(text: string): number {
    return [...this.disk.files.values()].filter((bytes) => Buffer.from(bytes).includes(text)).length;
  }
}

/** Everything that a state holds, as bytes. */
function dump({ registry, store }: State): string {
  const sections: Section[] = [];
  for (const site of store.sites.values())
    sections.push(...saveSite(site), ...[...site.chunks.values()].flatMap(saveChunk));
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify([registry.save(), store.early.save()]));
  digest.update(dumpBeacons(store.beacons));
  for (const { name, data } of sections) digest.update(name).update(data);
  return digest.digest("hex");
}

function addPaths(world: World, prefix: string, count: number, more: { timeMs?: number } = {}): void {
  for (let at = 0; at < count; at++)
    world.apply(load(`${prefix}${at}`, { values: valuesOf(`${prefix}/${at}`), ...more }));
}

function textOf(file: FreshFile): string {
  return sectionsIn(file)
    .map(({ data }) => Buffer.from(data).toString())
    .join("\n");
}

describe("a checkpoint", () => {
  test("writes of dictionaries and tuples what is new, and names the rest again", () => {
    const world = new World();
    addPaths(world, "/first", 3_000);
    expect(world.checkpoint().filter(({ name }) => name.endsWith(".site"))).toHaveLength(2);
    const [whole = 0] = world.siteBytes(1);
    addPaths(world, "/second", 10);
    const files = world.checkpoint();
    expect(files.map(({ name }) => name.replace(/\d{16}/, "…"))).toEqual([
      "….state",
      "chunks/1/….site",
      "chunks/1/2026-03-1.….chunk",
    ]);
    expect(textOf(files[1] as FreshFile)).toContain("/second/9");
    expect(textOf(files[1] as FreshFile)).not.toContain("/first/");
    const [first, second = 0] = world.siteBytes(1);
    expect(first).toBe(whole);
    expect(second).toBeLessThan(800);
    world.apply(unload("/first7", { visibleMs: 5 }));
    expect(world.checkpoint().map(({ name }) => name.replace(/\d{16}/, "…"))).toEqual([
      "….state",
      "chunks/1/2026-03-1.….chunk",
    ]);
    expect(dump(world.loaded().state)).toBe(dump(world.state));
  });

  test("writes a file again when what came after it is as much: only a few are ever there", () => {
    const world = new World();
    let written = 0;
    let countMax = 0;
    for (let round = 0; round < 200; round++) {
      addPaths(world, `/round-${round}`, 20);
      const own = world
        .checkpoint()
        .filter(({ name }) => name.startsWith("chunks/1/") && name.endsWith(".site"));
      expect(own).toHaveLength(1);
      const sizes = world.siteBytes(1);
      written += sizes.at(-1) as number;
      sizes.reduceRight((after, bytes) => {
        if (after > 0) expect(bytes).toBeGreaterThan(after);
        return after + bytes;
      }, 0);
      countMax = Math.max(countMax, sizes.length);
    }
    const total = world.siteBytes(1).reduce((sum, bytes) => sum + bytes, 0);
    expect(countMax).toBeGreaterThan(3);
    expect(countMax).toBeLessThanOrEqual(Math.ceil(Math.log2(200)) + 1);
    expect(written).toBeLessThan(total * (Math.ceil(Math.log2(200)) + 1));
    expect(dump(world.loaded().state)).toBe(dump(world.state));
  });

  test("is the whole state, whatever came before it: failures, restarts, deletions", () => {
    const random = randomBySeed();
    const upTo = (count: number) => Math.floor(random() * count);
    for (let round = 0; round < rounds(10); round++) {
      const world = new World({
        beaconRunMin: 1 + upTo(80),
        openRowsMin: 1 + upTo(80),
        basedRowsMin: 1 + upTo(160),
      });
      for (let step = 0; step < 25; step++) {
        world.sealMs = noonMs + upTo(5) * 30 * 86_400_000;
        for (let count = upTo(60); count > 0; count--)
          world.apply(
            load(`b${world.seq}`, {
              websiteId: 1 + upTo(2),
              timeMs: noonMs + upTo(5) * 30 * 86_400_000,
              values: valuesOf(`/${"x".repeat(upTo(40))}/${upTo(400)}`),
              properties: random() < 0.3 ? [[`name-${upTo(9)}`, `value ${upTo(99)} 😀`]] : [],
            }),
          );
        if (random() < 0.1)
          world.apply({ kind: "monthsDropped", timeMs: noonMs, beforeMs: Date.UTC(2026, 2 + upTo(5)) });
        if (random() < 0.2) world.checkpoint(false);
        world.checkpoint();
        const { state } = world.loaded();
        state.check();
        expect(dump(state)).toBe(dump(world.state));
        if (random() < 0.2) world.restart();
      }
    }
  });

  test("writes a sealed chunk no more, and frees its memory once a checkpoint has it", () => {
    const world = new World();
    addPaths(world, "/february", 400, { timeMs: Date.UTC(2026, 1, 20) });
    addPaths(world, "/march", 3);
    const chunks = () => [...(world.state.store.sites.get(1) as Site).chunks.values()];
    const inMemory = () => chunks().map(({ resident }) => resident);
    const before = dump(world.state);
    const names = (files: readonly FreshFile[]) => files.map(({ name }) => name.slice(name.indexOf(".")));
    expect(world.checkpoint()).toHaveLength(5);
    expect(inMemory()).toEqual([false, true]);
    expect(dump(world.state)).toBe(before);
    expect(names(world.checkpoint())).toEqual([".state"]);
    const mapped = world.newest().manifest.files.filter(({ mapped }) => mapped);
    expect(mapped.map(({ name }) => name.slice(0, 18))).toEqual(["chunks/1/2026-02-1"]);
    world.disk.history.length = 0;
    world.restart();
    const calls = () =>
      world.disk.history.filter((call) => call.includes("2026-02-1")).map((call) => call.split(" ")[0]);
    expect(calls()).toEqual(["inspect"]);
    expect(inMemory()).toEqual([false, true]);
    expect(dump(world.state)).toBe(before);
    // It is mapped and read once.
    expect(calls()).toEqual(["inspect", "map", "read"]);
  });

  test("keeps a sealed chunk in memory whose rows are not by time, until the next has them so", () => {
    const world = new World();
    addPaths(world, "/late", 2, { timeMs: Date.UTC(2026, 1, 20) });
    addPaths(world, "/soon", 2, { timeMs: Date.UTC(2026, 1, 10) });
    world.checkpoint();
    const [chunk] = [...(world.state.store.sites.get(1) as Site).chunks.values()] as [Chunk];
    const { version } = chunk;
    expect([chunk.sealed, chunk.sorted, chunk.resident]).toEqual([true, false, true]);
    expect(world.checkpoint().map(({ name }) => name.slice(0, 18))).toContain("chunks/1/2026-02-1");
    expect([chunk.sorted, chunk.resident]).toEqual([true, false]);
    expect(chunk.version).toBeGreaterThan(version);
    expect([...chunk.time]).toEqual([...chunk.time].sort((a, b) => a - b));
    world.state.check();
    expect(dump(world.loaded().state)).toBe(dump(world.state));
    expect(world.checkpoint().map(({ name }) => name.slice(-6))).toEqual([".state"]);
  });

  test("after a restart goes on from the files that it was loaded from", () => {
    const world = new World();
    addPaths(world, "/first", 3_000);
    world.checkpoint();
    world.restart();
    const before = dump(world.state);
    expect(world.checkpoint().map(({ name }) => name.slice(-6))).toEqual([".state"]);
    addPaths(world, "/second", 3);
    expect(textOf(world.checkpoint()[1] as FreshFile)).not.toContain("/first/");
    expect(world.siteBytes(1)).toHaveLength(2);
    expect(dump(world.state)).not.toBe(before);
  });

  test("writes beacons that make a run once, and every entry that is not in a run again", () => {
    const world = new World({ beaconRunMin: 1_000, openRowsMin: 1e9, basedRowsMin: 1e9 });
    const written = () => world.checkpoint().filter(({ name }) => name.endsWith(".beacons"));
    const names = () =>
      world
        .newest()
        .manifest.files.map(({ name }) => name)
        .filter((name) => name.endsWith(".beacons"));
    addPaths(world, "/few", 999);
    expect(written()).toEqual([]);
    addPaths(world, "/more", 201);
    const [first] = written();
    expect(first?.name).toBe("beacons/0000000000001204-1.beacons");
    expect(world.state.store.beacons.young).toMatchObject({ count: 1_200, recent: { count: 0 } });
    addPaths(world, "/again", 300);
    expect(written()).toEqual([]);
    expect(names()).toEqual([first?.name as string]);
    world.restart();
    expect(dump(world.loaded().state)).toBe(dump(world.state));
    world.disk.history.length = 0;
    world.restart();
    expect(world.disk.history.filter((call) => call.includes(".beacons"))).toEqual([
      expect.stringMatching(/^inspect /),
      expect.stringMatching(/^read /),
    ]);
    // Two days after, and two more: what nobody finds any more has no file.
    addPaths(world, "/second", 1_000, { timeMs: noonMs + 49 * 3_600_000 });
    // The last ones of the older generation are a run as well.
    expect(written().map(({ name }) => name)).toEqual([
      "beacons/0000000000002506-1.beacons",
      "beacons/0000000000002506-2.beacons",
    ]);
    expect(world.state.store.beacons.old).toMatchObject({ count: 1_500, recent: { count: 0 } });
    expect(names()).toHaveLength(3);
    addPaths(world, "/third", 10, { timeMs: noonMs + 98 * 3_600_000 });
    for (let round = 0; round < 2; round++) expect(written()).toEqual([]);
    expect(names()).toHaveLength(1);
    expect([...world.disk.files.keys()].filter((path) => path.endsWith(".beacons"))).toHaveLength(1);
    expect(dump(world.loaded().state)).toBe(dump(world.state));
  });

  test("writes of a chunk to which no rows came what has changed, beside its file, until it is sealed", () => {
    const world = new World({ beaconRunMin: 1e9, openRowsMin: 100, basedRowsMin: 1e9 });
    const written = () =>
      world
        .checkpoint()
        .map(({ name }) => name)
        .filter((name) => name.startsWith("chunks/1/") && !name.endsWith(".site"));
    const onDisk = () => [...world.disk.files.keys()].filter((path) => path.includes("/2026-03-1."));
    addPaths(world, "/few", 99);
    expect(written()).toEqual([expect.stringMatching(/2026-03-1\.\d+\.chunk$/)]);
    world.apply(unload("/few7", { visibleMs: 5 }));
    expect(written()).toEqual([expect.stringMatching(/\.chunk$/)]);
    addPaths(world, "/more", 1);
    const [own] = written() as [string];
    expect(own).toEndWith(".chunk");
    world.apply(unload("/few8", { visibleMs: 6 }));
    world.apply(event("/few9", { properties: [["plan", "pro"]] }));
    const [changes] = written() as [string];
    expect(changes).toMatch(/^chunks\/1\/2026-03-1\.\d+\.changes$/);
    expect(world.disk.files.get(`${folder}/${changes}`)?.length).toBeLessThan(500);
    expect(written()).toEqual([]);
    expect(dump(world.loaded().state)).toBe(dump(world.state));
    world.disk.history.length = 0;
    world.restart();
    expect(world.disk.history.filter((call) => /\.(chunk|changes)/.test(call))).toEqual([
      expect.stringMatching(/^inspect .*chunk/),
      expect.stringMatching(/^read .*chunk/),
      expect.stringMatching(/^inspect .*changes/),
      expect.stringMatching(/^read .*changes/),
    ]);
    expect(written()).toEqual([]);
    world.apply(unload("/few10", { visibleMs: 7 }));
    const [later] = written() as [string];
    expect(later).not.toBe(changes);
    expect(dump(world.loaded().state)).toBe(dump(world.state));
    // Sealed, it is one file again, which has everything.
    world.sealMs = Date.UTC(2026, 3, 9);
    expect(written()).toEqual([]);
    expect(written()).toEqual([expect.stringMatching(/\.chunk$/)]);
    expect(written()).toEqual([]);
    expect(onDisk()).toHaveLength(1);
    expect(dump(world.loaded().state)).toBe(dump(world.state));
  });

  test("of a website without its old months writes it whole, and no file has what went with them", () => {
    const world = new World();
    addPaths(world, "/secret", 500, { timeMs: Date.UTC(2026, 1, 20) });
    world.checkpoint();
    addPaths(world, "/kept", 5);
    world.checkpoint();
    expect(world.siteBytes(1)).toHaveLength(2);
    world.apply({ kind: "monthsDropped", timeMs: noonMs, beforeMs: Date.UTC(2026, 2) });
    // Two checkpoints are kept here; one that deletes keeps only itself.
    world.checkpoint();
    world.checkpoint();
    expect(world.filesWith("/secret/")).toBe(0);
    expect(world.filesWith("/kept/4")).toBe(1);
    expect(world.siteBytes(1)).toHaveLength(1);
    expect(dump(world.loaded().state)).toBe(dump(world.state));
  });

  test("one that was not heard to be durable is not built upon", () => {
    const world = new World();
    addPaths(world, "/first", 300);
    world.checkpoint();
    addPaths(world, "/second", 3);
    world.checkpoint(false);
    addPaths(world, "/third", 3);
    const [, site] = world.checkpoint();
    for (const path of ["/second/2", "/third/2"]) expect(textOf(site as FreshFile)).toContain(path);
    expect(dump(world.loaded().state)).toBe(dump(world.state));
  });

  test("is written by the worker as the state was, while the state goes on", () =>
    withFolder(async (path) => {
      const { state, files } = CheckpointFiles.empty(folderId, mappedFiles(systemDisk, path));
      for (const record of setUp) state.apply(record);
      const view = (row: number) => load(`b${row}`, { values: valuesOf(`/a/path/of/some/length/${row}`) });
      for (let row = 0; row < 5_000; row++) state.apply(view(row));
      for (let row = 0; row < 2_000; row++) state.apply(event(`b${row}`));
      const before = dump(state);
      const { checkpoint } = files.collect(5_003, noonMs, false);
      const large = checkpoint.files.filter(isFresh).flatMap(sectionsIn);
      expect(large.some(({ data }) => data.buffer instanceof SharedArrayBuffer)).toBeTrue();
      const writing = systemIo.writeCheckpoint(path, checkpoint);
      for (let row = 0; row < 5_000; row++) {
        state.apply(unload(`b${row}`, { visibleMs: row }));
        state.apply(event(`b${row}`, { properties: [[`name ${row % 50}`, `value ${row}`]] }));
      }
      for (let row = 5_000; row < 60_000; row++) state.apply(view(row));
      const manifest = await writing;
      const found = readNewest(systemDisk, path, storedNames).checkpoint as LoadedCheckpoint;
      expect(found.manifest).toEqual(manifest);
      expect(dump(CheckpointFiles.load(found, mappedFiles(systemDisk, path)).state)).toBe(before);
      expect(dump(state)).not.toBe(before);
    }));
});
