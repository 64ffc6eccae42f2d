import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { websiteOf } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { silentLogger } from "../../src/lib/log.ts";
import type { Question } from "../../src/core/questions/query.ts";
import { TestClock } from "../support/clock.ts";
import { hitTo } from "../support/hits.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { addWebsites } from "../support/websites.ts";

const nameBytes = 60_000;

test.each([
  ["in a chunk that still changes", 2],
  ["in files of sealed chunks", 60],
])("later there is room for honest names, though junk filled the budget: %s", async (_, days) => {
  const disk = new MemoryDisk();
  const clock = new TestClock();
  const open = () => openInMemory(disk, { clock, nameBytes });
  let engine = await open();
  await addWebsites(engine, "a.example");
  let beacons = 0;
  const send = (path: string) =>
    hitTo(
      engine,
      { b: `b${beacons++}`, u: `https://a.example${path}`, p: true },
      { network: `192.0.${beacons % 250}` },
    );
  const pages = async () => {
    const period = { startMs: -Infinity, endMs: Infinity };
    const labelling = { grouped: true, locale: false, summary: false };
    const question = {
      list: "pages",
      period,
      filters: [],
      limit: 5_000,
      offset: 0,
      ...labelling,
    } as Question;
    const rows = JSON.parse((await engine.ask(1, question)).json) as { path: string; pageviews: number }[];
    return new Map(rows.map(({ path, pageviews }) => [path, pageviews]));
  };
  for (let at = 0; at < 20; at++) await send("/honest");
  for (let at = 0; at < 1_000; at++) await send(`/junk-${at}-${"x".repeat(60)}`);
  await send("/new");
  expect((await pages()).get("/new")).toBeUndefined();
  await engine.purge();

  // Nothing is old today.
  await engine["intake"]["upkeep"]?.folding.round();
  expect((await pages()).size).toBeGreaterThan(500);
  clock.advance(days * dayMs);
  await send("/honest");
  // The first checkpoint seals what is over, and after the second a start finds its rows in files alone.
  for (let round = 0; round < 2; round++) await engine.purge();
  await engine.stop();
  engine = await open();
  expect(
    engine
      .site(1)
      ?.chunks.values()
      .some(({ resident }) => !resident),
  ).toBe(days > 31);
  await engine["intake"]["upkeep"]?.folding.round();
  await send("/new");
  const after = await pages();
  expect(after.get("/new")).toBe(1);
  expect(after.get("/honest")).toBe(21);
  expect(after.values().reduce((sum, count) => sum + count, 0)).toBe(1_023);
  engine.check();

  await engine.stop();
  engine = await open();
  expect(await pages()).toEqual(after);
  await send("/newer");
  expect((await pages()).get("/newer")).toBe(1);
  // The log and the files that are left have the junk that was folded no more.
  await engine.stop();
  const kept = [...after.keys()].filter((path) => path.startsWith("/junk"));
  const text = [...disk.files]
    .filter(([path]) => path.endsWith(".site"))
    .map(([, bytes]) => Buffer.from(bytes).toString("latin1"));
  const found = Array.from({ length: 1_000 }, (_, at) => `/junk-${at}-x`).filter((junk) =>
    text.some((all) => all.includes(junk)),
  );
  expect(found.length).toBe(kept.length);
});

/** Websites of which the first gets junk. */
async function fullScene(
  websites: number,
  disk = new MemoryDisk(),
  logger = silentLogger,
  io = memoryIo(disk),
) {
  const clock = new TestClock();
  const engine = await openInMemory(disk, { clock, nameBytes, logger, io });
  const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
  for (let at = 0; at < websites; at++)
    await addWebsite(engine, { userId, sessionId: "" }, { hostname: `w${at}.example` });
  let beacons = 0;
  const send = async (path: string, network: string, website = 0) => {
    clock.advance(20);
    const hit = { b: `b${beacons++}`, u: `https://w${website}.example${path}`, p: true };
    await hitTo(engine, hit, { address: `${network}.7`, network });
  };
  const paths = (websiteId: number) => engine.site(websiteId)!.dictionaries[0]!;
  /** As a server does it each hour. */
  const later = async (days: number) => {
    clock.advance(days * dayMs);
    for (let round = 0; round < 2; round++) await engine.purge();
    await engine["intake"]["upkeep"]?.folding.round();
    clock.advance(2_000);
  };
  return { engine, clock, send, paths, later };
}

const junk = (at: number) => `/junk-${at}-${"x".repeat(60)}`;

test.each([1, 2, 10])("junk of one network heals where there are %d websites", async (websites) => {
  const { engine, send, paths, later } = await fullScene(websites);
  for (let at = 0; at < 600; at++) await send(junk(at), "192.0.2");
  // Others are there: past half of what the website may have, the network has its share.
  await send("/of-others", "198.51.100");
  expect(paths(1).has("/of-others")).toBe(true);
  for (let at = 600; at < 1_200; at++) await send(junk(at), `203.0.${at % 250}`);
  await send("/too-late", "198.51.100");
  expect(paths(1).has("/too-late")).toBe(false);
  await later(2);
  await send("/new", "198.51.100");
  expect(paths(1).has("/new")).toBe(true);
  await engine.stop();
});

test("junk of which each name came often heals, and what came more often stays", async () => {
  const { engine, send, paths, later } = await fullScene(2);
  for (let round = 0; round < 40; round++) await send("/honest", "198.51.100");
  for (let at = 0; at < 600; at++)
    for (let round = 0; round < 15; round++) await send(junk(at), `203.0.${at % 250}`);
  await send("/new", "198.51.100");
  expect(paths(1).has("/new")).toBe(false);
  await later(2);
  await send("/new", "198.51.100");
  expect([paths(1).has("/new"), paths(1).has("/honest")]).toEqual([true, true]);
  await engine.stop();
});

test("websites that are added to a full budget have their part, and names of the full one make room", async () => {
  const { engine, send, paths, later } = await fullScene(1);
  for (let at = 0; at < 1_200; at++) await send(junk(at), `203.0.${at % 250}`);
  const full = paths(1).size;
  const { userId } = engine.registry.users.values().next().value!;
  for (let at = 1; at <= 4; at++)
    await addWebsite(engine, { userId, sessionId: "" }, { hostname: `w${at}.example` });
  for (let at = 0; at < 40; at++) await send(junk(at), `203.0.${at}`, 2);
  expect(paths(3).size).toBe(41);
  await later(2);
  expect(paths(1).size).toBeLessThan(0.6 * full);
  expect(paths(3).size).toBe(41);
  await engine.stop();
});

test("names are folded once the disk has room to write their website again, and no others in their place", async () => {
  const disk = new MemoryDisk();
  const { lines, logger } = linesOf();
  const { engine, send, paths, later } = await fullScene(2, disk, logger);
  for (const website of [0, 1])
    for (let at = 0; at < 300; at++) await send(junk(at), `203.0.${at % 250}`, website);
  for (let at = 0; at < 9_000; at++) await send("/honest", `203.0.${at % 250}`);
  const before = [paths(1).size, paths(2).size];
  await later(0);
  const own = engine["recovered"].files.entries.filter(({ name }) => websiteOf(name) === 1);
  const bytes = own.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(bytes).toBeGreaterThan(100_000);
  disk.free = Math.ceil(engine["room"]["needed"]) + bytes / 2;
  for (let round = 0; round < 2; round++) {
    lines.length = 0;
    await later(2);
    expect([paths(1).size, paths(2).size]).toEqual(before);
    const text = "rare names could not be folded yet.*folding rare names needs \\d+ free bytes.*are free";
    expect(lines.filter((line) => line.includes("names"))).toEqual([
      expect.stringMatching(new RegExp(`^error ${text}`)),
    ]);
  }
  // New names are refused meanwhile, and hits are not.
  await send("/new", "198.51.100");
  expect(paths(1).has("/new")).toBe(false);
  disk.free = 1_000_000_000;
  await later(0);
  await send("/new", "198.51.100");
  expect(paths(1).has("/new")).toBe(true);
  expect(paths(1).size).toBeLessThan(before[0]!);
  expect(paths(2).size).toBe(before[1]!);
  await engine.stop();
});

test.each([
  ["one checkpoint where the disk has room for all of them", 6, 1],
  ["one each where it has room for one", 1.5, 5],
])("names of five websites that are folded need %s", async (_, websitesAtOnce, checkpoints) => {
  const disk = new MemoryDisk();
  const io = memoryIo(disk);
  let written = 0;
  const { engine, clock, send, paths } = await fullScene(6, disk, silentLogger, {
    ...io,
    writeCheckpoint: (...given) => (written++, io.writeCheckpoint(...given)),
  });
  // The first website has filled the half that is for whoever needs it, and its names stay in use.
  const fill = async () => {
    for (let at = 0; at < 250; at++) await send(junk(at), `203.0.${at}`);
  };
  const others = [1, 2, 3, 4, 5];
  await fill();
  for (const website of others) {
    for (let at = 0; at < 60; at++) await send(junk(at), `203.0.${at}`, website);
    for (let at = 0; at < 1_500; at++) await send("/honest", `203.0.${at % 250}`, website);
  }
  clock.advance(2 * dayMs);
  await fill();
  for (let round = 0; round < 2; round++) await engine.purge();
  const own = engine["recovered"].files.entries.filter(({ name }) => websiteOf(name) === 2);
  const bytes = own.reduce((sum, { bytes }) => sum + bytes, 0);
  disk.free = Math.ceil(engine["room"]["needed"] + websitesAtOnce * bytes);
  const sizes = () => others.map((website) => paths(website + 1).size);
  const before = sizes();
  written = 0;
  await engine["intake"]["upkeep"]?.folding.round();
  expect(sizes().map((size, at) => size < before[at]!)).toEqual(Array(5).fill(true));
  expect(written).toBe(checkpoints);
  await engine.stop();
});
