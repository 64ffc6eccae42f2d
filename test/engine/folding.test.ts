import { expect, test } from "bun:test";
import { parseHit } from "../../src/collect/hit.ts";
import { dayMs } from "../../src/core/hit.ts";
import { addUser, addWebsite } from "../../src/engine/admin/admin.ts";
import type { Question } from "../../src/core/query.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";

const nameBytes = 60_000;
const headers = { userAgent: "Mozilla/5.0 Firefox/140.0", acceptLanguage: "" };

test.each([
  ["in a chunk that still changes", 2],
  ["in files of sealed chunks", 60],
])("later there is room for honest names, though junk filled the budget: %s", async (_, days) => {
  const disk = new MemoryDisk();
  const clock = new TestClock();
  const open = () => openInMemory(disk, { clock, nameBytes });
  let engine = await open();
  const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
  await addWebsite(engine, { userId, sessionId: "" }, { hostname: "a.example" });
  let beacons = 0;
  const send = (path: string) =>
    engine.hit(parseHit({ b: `b${beacons++}`, u: `https://a.example${path}`, p: true }), headers, {
      address: "192.0.2.7",
      network: `192.0.${beacons % 250}`,
      isUnnamedProxy: false,
    });
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
  await engine["intake"]["upkeep"]?.folding.check();
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
  await engine["intake"]["upkeep"]?.folding.check();
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
