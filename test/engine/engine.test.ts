/** The engine on real files, with its real workers. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeWebsite } from "../../src/engine/admin/websites.ts";
import { fileMinimums } from "../../src/engine/checkpoint/file-minimums.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { saveChunk } from "../../src/store/files/save-chunk.ts";
import { saveSite } from "../../src/store/files/save.ts";
import { TestClock } from "../support/clock.ts";
import { hitTo } from "../support/hits.ts";
import { entriesOf, linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { withFolder } from "../support/folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { rounds } from "../support/rounds.ts";
import { imported, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { turns } from "../support/turns.ts";
import { addWebsites } from "../support/websites.ts";

/** All that the engine knows, as one digest. */
function dump(engine: RunningEngine): string {
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(engine.registry.save()));
  for (const websiteId of engine.registry.websites.keys()) {
    const site = engine.site(websiteId);
    if (site === undefined) throw new Error(`website ${websiteId} has no site`);
    for (const { name, data } of [...saveSite(site), ...[...site.chunks.values()].flatMap(saveChunk)])
      digest.update(name).update(data);
  }
  return digest.digest("hex");
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

describe("after a start on the same folder", () => {
  test("everything is as it was: after a clean stop, and without one", () =>
    withFolder(async (folder) => {
      const first = await openFolder(folder);
      await addWebsites(first, "a.example", "www.b.example");
      await Promise.all(
        Array.from({ length: 500 }, (_, at) =>
          first.commit(load(`b${at}`, { values: valuesOf(`/${at % 50}`) })),
        ),
      );
      await first.commit(unload("b7", { visibleMs: 70 }));
      const before = dump(first);
      await first.stop();
      const second = await openFolder(folder);
      expect(dump(second)).toBe(before);
      await second.commit(unload("b8", { visibleMs: 80 }));
      await second.commit(load("c", { websiteId: 2 }));
      const after = dump(second);
      await second.stop();
      const third = await openFolder(folder);
      third.check();
      expect(dump(third)).toBe(after);
      await third.stop();
    }));

  test("checkpoints have shortened the log, and two of them are kept", () =>
    withFolder(async (folder) => {
      const engine = await openFolder(folder, { checkpointRecords: 50 });
      await addWebsites(engine, "a.example", "www.b.example");
      const loads = rounds(400, 160);
      for (let at = 0; at < loads; at++) await engine.commit(load(`b${at}`));
      const before = dump(engine);
      await engine.stop();
      expect(readdirSync(folder).filter((name) => name.endsWith(".manifest"))).toHaveLength(2);
      const { entries, logger } = entriesOf("debug");
      const again = await openFolder(folder, { logger });
      const recovered = entries.find(({ message }) => message.includes("recovered"));
      expect(recovered?.["replayed"]).toBeLessThan(60);
      expect(recovered?.["records"]).toBeGreaterThan(loads);
      expect(dump(again)).toBe(before);
      await again.stop();
    }));

  test("a damaged newest checkpoint is passed over: the one before it and the log have everything", () =>
    withFolder(async (folder) => {
      const engine = await openFolder(folder);
      await addWebsites(engine, "a.example", "www.b.example");
      for (let at = 0; at < 40; at++) {
        await engine.commit(load(`b${at}`));
        if (at === 20) await engine.purge();
      }
      const before = dump(engine);
      await engine.stop();
      const newest = readdirSync(folder)
        .filter((name) => name.endsWith(".state"))
        .sort()
        .at(-1) as string;
      const bytes = readFileSync(join(folder, newest));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
      writeFileSync(join(folder, newest), bytes);
      const again = await openFolder(folder);
      expect(dump(again)).toBe(before);
      await again.stop();
    }));

  test("a folder whose checkpoints are all damaged is refused, and so is a log without one", () =>
    withFolder(async (folder) => {
      const engine = await openFolder(folder);
      await addWebsites(engine, "a.example", "www.b.example");
      await engine.stop();
      const manifests = readdirSync(folder).filter((name) => name.endsWith(".manifest"));
      for (const name of manifests) writeFileSync(join(folder, name), "x");
      expect(openFolder(folder)).rejects.toThrow(
        /manifest: no checkpoint file at byte 0: no checkpoint in .* is whole/,
      );
    }));

  test("a folder in use is refused with the process that has it", () =>
    withFolder(async (folder) => {
      const engine = await openFolder(folder);
      expect(openFolder(folder)).rejects.toThrow(`is in use by the process ${process.pid}`);
      await engine.stop();
      await (await openFolder(folder)).stop();
    }));
});

test("what is deleted is in no file any more", () =>
  withFolder(async (folder) => {
    const engine = await openFolder(folder);
    await addWebsites(engine, "a.example", "www.b.example");
    await engine.commit(load("a", { values: valuesOf("/kept-path") }));
    await engine.commit(
      load("b", {
        websiteId: 2,
        values: valuesOf("/secret-path"),
        properties: [["secret-name", "secret-value"]],
      }),
    );
    await engine.stop();
    const again = await openFolder(folder);
    await again.commit(load("c", { websiteId: 2, values: valuesOf("/secret-path/2") }));
    await again.commit({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 2 });
    await again.purge();
    const contents = () => filesBelow(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    expect(contents().some((text) => text.includes("/kept-path"))).toBeTrue();
    for (const text of contents()) expect(text).not.toContain("secret");
    for (const text of contents()) expect(text).not.toContain("b.example");
    await again.stop();
    expect(readdirSync(join(folder, "chunks/2"))).toEqual([]);
  }));

test("what was deleted before a crash is in no file soon after the next start", async () => {
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk);
  await addWebsites(engine, "a.example", "www.b.example");
  await engine.commit(load("b", { websiteId: 2, values: valuesOf("/secret-path") }));
  await engine.stop();
  const again = await openInMemory(disk);
  await again.commit({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 2 });
  const crashed = disk.clone();
  const recovered = await openInMemory(crashed);
  await turns(50);
  const text = [...crashed.files.values()].map((bytes) => Buffer.from(bytes).toString("latin1")).join();
  expect(text).not.toContain("secret-path");
  expect(text).toContain("a.example");
  await recovered.stop();
});

describe("a hit", () => {
  const body = { b: "a", u: "https://A.example/x/", p: true, r: "https://news.example/y" };

  test("is answered by what became of it", () =>
    withFolder(async (folder) => {
      const clock = new TestClock();
      const engine = await openFolder(folder, { clock });
      await addWebsites(engine, "a.example", "www.b.example");
      const hit = (more: object, from = {}) => hitTo(engine, { ...body, ...more }, from);
      const crawler = { userAgent: "Googlebot/2.1" };
      expect(await hit({})).toEqual({ accepted: true });
      expect(await hit({})).toEqual({ accepted: false, reason: "duplicate" });
      expect(await hit({ b: "b" }, crawler)).toEqual({ accepted: false, reason: "crawler" });
      expect(await hit({ b: "b", r: "https://semalt.com/" })).toEqual({
        accepted: false,
        reason: "referrer_spam",
      });
      expect(await hitTo(engine, { b: "a", m: 5 }, crawler)).toEqual({
        accepted: true,
      });
      expect(await hitTo(engine, { b: "a", d: { x: 1 } }, crawler)).toEqual({ accepted: true });
      expect(await hitTo(engine, { b: "z", d: { x: 1 } }, crawler)).toEqual({
        accepted: false,
        reason: "crawler",
      });
      expect(hit({ b: "c", u: "https://other.example/" })).rejects.toThrow(
        'u: "other.example" is not a website of this server',
      );
      expect(await hit({ b: "d", u: "https://b.example/" })).toEqual({ accepted: true });
      expect(await hit({ b: "e", u: "https://www.a.example/" })).toEqual({ accepted: true });
      clock.advance(86_400_001);
      expect(await hitTo(engine, { b: "a" })).toEqual({
        accepted: false,
        reason: "late",
      });
      expect(engine.site(1)?.dictionaries[0]?.size).toBe(3);
      await engine.stop();
    }));

  test("of two equal ones in one batch counts once", () =>
    withFolder(async (folder) => {
      const engine = await openFolder(folder);
      await addWebsites(engine, "a.example", "www.b.example");
      const answers = await Promise.all([1, 2, 3].map(() => hitTo(engine, body)));
      expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
      await engine.stop();
    }));

  test("is refused while the disk is nearly full, and taken again when there is room", async () => {
    const disk = new MemoryDisk();
    const { lines, logger } = linesOf();
    const engine = await openInMemory(disk, { logger });
    await addWebsites(engine, "a.example", "www.b.example");
    disk.free = 1_000_000;
    expect(await hitTo(engine, { ...body, b: "last" })).toEqual({ accepted: true });
    expect(hitTo(engine, body)).rejects.toThrow("the disk is nearly full");
    const log = imported([noonMs]);
    expect(engine.commit(log)).rejects.toThrow("the disk is nearly full");
    disk.free = 1_000_000_000;
    expect(await engine.commit(log)).toBe("done");
    expect(await hitTo(engine, body)).toEqual({ accepted: true });
    const told = lines.filter((line) => /disk/.test(line));
    expect(told).toEqual([
      expect.stringMatching(/a tenth of the disk is free.* free=1000000 .*total=1000000000/),
      expect.stringMatching(/nearly full: hits are refused.*free.*1000000/),
      expect.stringContaining("hits are taken"),
    ]);
    await engine.stop();
  });

  test("that finds the disk nearly full drops the older checkpoint, and is taken again", async () => {
    const disk = new MemoryDisk();
    const { lines, logger } = linesOf("error");
    const clock = new TestClock();
    const engine = await openInMemory(disk, { logger, clock });
    await addWebsites(engine, "a.example", "www.b.example");
    const manifests = () => [...disk.files.keys()].filter((path) => path.endsWith(".manifest")).length;
    const saved = async () => {
      await engine["checkpointer"].soon();
      await engine["checkpointer"].between(async () => {});
    };
    for (let round = 0; round < 3; round++) {
      await engine.commit(load(`b${round}`));
      await saved();
      expect(manifests()).toBe(2);
      disk.free = 1_000_000;
      expect(await hitTo(engine, { ...body, b: `last${round}` })).toEqual({
        accepted: true,
      });
      await expect(hitTo(engine, body)).rejects.toThrow("the disk is nearly full");
      await engine["checkpointer"].between(async () => {});
      expect(manifests()).toBe(1);
      disk.free = 1_000_000_000;
      expect(await hitTo(engine, { ...body, b: `again${round}` })).toEqual({
        accepted: true,
      });
      clock.advance(10_000);
    }
    // Three times within a minute are one line.
    const refused = () => lines.filter((line) => line.includes("hits are refused"));
    expect(refused()).toHaveLength(1);
    // But not if it lasts.
    disk.free = 1_000_000;
    expect(await hitTo(engine, { ...body, b: "lasts" })).toEqual({ accepted: true });
    for (const lines of [1, 2, 2]) {
      expect(hitTo(engine, body)).rejects.toThrow("the disk is nearly full");
      expect(refused()).toHaveLength(lines);
      clock.advance(1_000);
    }
    await engine.stop();
  });

  test("is taken on a small disk, as long as it has room for what a checkpoint needs", async () => {
    const disk = new MemoryDisk();
    disk.total = 33_000_000;
    disk.free = 3_000_000;
    const engine = await openInMemory(disk);
    await addWebsites(engine, "a.example", "www.b.example");
    const taken = async (b: string) => (await hitTo(engine, { ...body, b })).accepted;
    expect([await taken("first"), await taken("second")]).toEqual([true, true]);
    // Hits that wait for the disk need room too.
    disk.free = 1_500_000;
    await taken("third");
    const long = { ...body, u: `https://a.example/${"x".repeat(2_000)}` };
    const together = Array.from({ length: 300 }, (_, at) =>
      hitTo(engine, { ...long, b: `b${at}` }).then(
        () => "taken",
        ({ message }: Error) => message,
      ),
    );
    const answers = await Promise.all(together);
    expect(new Set(answers)).toEqual(new Set(["taken", "the disk is nearly full"]));
    await engine.stop();
  });

  test("finds room kept for the next checkpoint also after a start", async () => {
    const disk = new MemoryDisk();
    const options = { fileMinimums: { ...fileMinimums, openRowsMin: 100 } };
    const first = await openInMemory(disk, options);
    await addWebsites(first, "a.example", "www.b.example");
    for (let at = 0; at < 50; at++) await first.commit(load(`b${at}`));
    await first.commit(
      imported(
        Array.from({ length: 1_000 }, (_, at) => noonMs + at),
        { websiteId: 2 },
      ),
    );
    await first.stop();
    const again = [...disk.files].filter(([path]) => /(state|chunk)$/.test(path));
    expect(again.length).toBeGreaterThan(2);
    const bytes = again.reduce((sum, [, { length }]) => sum + length, 0);
    const engine = await openInMemory(disk, options);
    expect(engine["checkpointer"].bytesNeeded).toBeGreaterThan(bytes);
    await engine.stop();
  });

  test("will be refused on a full disk, and health says so before the first one comes", async () => {
    const disk = new MemoryDisk();
    const first = await openInMemory(disk);
    await addWebsites(first, "a.example", "www.b.example");
    expect(first.health()).toMatchObject({ takesHits: true, freeBytes: disk.free });
    disk.free = 1_000_000;
    expect(first.health()).toMatchObject({ takesHits: false, freeBytes: disk.free });
    await first.stop();
    const engine = await openInMemory(disk);
    expect(engine.health()).toMatchObject({ takesHits: false, hasRoom: false });
    const needed = engine["room"]["needed"];
    expect(needed).toBeGreaterThan(1024 * 1024);
    // The same holds for hits.
    expect(hitTo(engine, body)).rejects.toThrow("the disk is nearly full");
    disk.free = Math.ceil(needed) + 1024 * 1024;
    expect(engine.health()).toMatchObject({ takesHits: true, hasRoom: true });
    expect(await hitTo(engine, body)).toEqual({ accepted: true });
    await engine.stop();
  });

  test("that finds the disk nearly full lets go of the log", async () => {
    const disk = new MemoryDisk();
    const engine = await openInMemory(disk);
    await addWebsites(engine, "a.example", "www.b.example");
    const long = "x".repeat(2_000);
    for (let at = 0; at < 600; at++)
      await engine.commit(load(`b${at}`, { values: valuesOf(`/${long}${at}`) }));
    const logBytes = () =>
      [...disk.files].reduce((sum, [path, { length }]) => sum + (path.endsWith(".wal") ? length : 0), 0);
    expect(logBytes()).toBeGreaterThan(1024 * 1024);
    disk.free = 1_000_000;
    expect(await hitTo(engine, { ...body, b: "last" })).toEqual({ accepted: true });
    expect(hitTo(engine, body)).rejects.toThrow("the disk is nearly full");
    await turns(50);
    expect(logBytes()).toBeLessThan(1_000);
    expect([...disk.files.keys()].filter((path) => path.endsWith(".manifest"))).toHaveLength(1);
    await engine.stop();
  });

  test("is refused when the engine stops", () =>
    withFolder(async (folder) => {
      const engine = await openFolder(folder);
      await addWebsites(engine, "a.example", "www.b.example");
      await engine.stop();
      expect(hitTo(engine, body)).rejects.toThrow("the server is stopping");
    }));
});

test("what is deleted while a checkpoint begins is in no file after a power cut either", async () => {
  const disk = new MemoryDisk();
  const found: MemoryDisk[] = [];
  const io = memoryIo(disk);
  const writeCheckpoint: typeof io.writeCheckpoint = async (...given) => {
    found.push(disk.crash(() => 0.3));
    return io.writeCheckpoint(...given);
  };
  const engine = await openInMemory(disk, { io: { ...io, writeCheckpoint }, checkpointRecords: 10 });
  await addWebsites(engine, "a.example", "www.b.example");
  for (let at = 0; at < 20; at++) await engine.commit(load(`b${at}`, { values: valuesOf("/secret") }));
  // The next is due with the last of these, and the removal comes while it has not begun.
  const commits = Array.from({ length: 11 }, (_, at) => engine.commit(load(`c${at}`)));
  await new Promise((resolve) => setImmediate(resolve));
  commits.push(engine.commit({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 1 }));
  await Promise.all(commits);
  await engine.purge();
  await engine.stop();
  expect(found.length).toBeGreaterThan(2);
  const withSecret = (folder: MemoryDisk) =>
    [...folder.files.values()].some((bytes) => Buffer.from(bytes).includes("/secret"));
  let removed = 0;
  for (const folder of found) {
    const again = await openInMemory(folder);
    await turns(50);
    if (!again.registry.websites.has(1)) {
      removed++;
      expect(withSecret(folder)).toBeFalse();
    }
    await again.stop();
  }
  expect(removed).toBeGreaterThan(0);
});

test("a website whose files a full disk keeps is removed all the same, and whoever asked hears of it", async () => {
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk);
  await addWebsites(engine, "a.example", "www.b.example");
  await engine.purge();
  // The record of the removal still has room: a write and a sync.
  disk.fillAt(3, Infinity);
  const removal = removeWebsite({ engine, caller: { userId: 1, sessionId: "" }, hostname: "a.example" });
  expect(removal).rejects.toThrow("it was removed, but some of its files could not be deleted yet");
  await removal.catch(() => {});
  expect(engine.registry.websites.has(1)).toBeFalse();
  disk.fillAt(Infinity, 0);
  await engine.stop();
  expect([...disk.files.keys()].filter((path) => path.startsWith("/data/chunks/1/"))).toEqual([]);
});

test("directories that a file manager makes beside its files stop neither a clean-up nor a start", () =>
  withFolder(async (folder) => {
    const engine = await openFolder(folder);
    await addWebsites(engine, "a.example", "www.b.example");
    await engine.commit(load("a"));
    await engine.purge();
    const made = ["chunks/1/@eaDir", "beacons/@eaDir"].map((name) => join(folder, name));
    for (const path of made) {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, "a.chunk@SynoEAStream"), "");
    }
    await engine.commit(load("b"));
    await engine.purge();
    const ofKind = (end: string) => filesBelow(folder).filter((name) => name.endsWith(end));
    for (const end of [".manifest", ".state"]) expect(ofKind(end)).toHaveLength(1);
    await engine.stop();
    const again = await openFolder(folder);
    again.check();
    await again.stop();
    for (const path of made) expect(readdirSync(path)).toHaveLength(1);
  }));

test("the log's time does not fall by less than five seconds, and follows a larger step", () =>
  withFolder(async (folder) => {
    const clock = new TestClock();
    const engine = await openFolder(folder, { clock });
    expect(engine.nowMs()).toBe(noonMs);
    clock.advance(-4_999);
    expect(engine.nowMs()).toBe(noonMs);
    clock.advance(-1);
    expect(engine.nowMs()).toBe(noonMs - 5_000);
    clock.advance(10_000);
    expect(engine.nowMs()).toBe(noonMs + 5_000);
    await engine.stop();
  }));

test("watchers hear of their website's changes until they stop", () =>
  withFolder(async (folder) => {
    const engine = await openFolder(folder);
    await addWebsites(engine, "a.example", "www.b.example");
    let calls = 0;
    const stop = engine.watch(1, () => calls++);
    await engine.commit(load("a"));
    await engine.commit(load("a"));
    await engine.commit(load("a", { websiteId: 2 }));
    expect(calls).toBe(1);
    stop();
    await engine.commit(load("b"));
    expect(calls).toBe(1);
    await engine.stop();
  }));
