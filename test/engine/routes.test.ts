/** Medama's tracker in hash mode sends all routes of a visit under one beacon. */
import { expect, test } from "bun:test";
import type { AnyRow } from "../../src/core/questions/answer.ts";
import type { Question } from "../../src/core/questions/query.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { TestClock } from "../support/clock.ts";
import { hitTo } from "../support/hits.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { addWebsites } from "../support/websites.ts";

const duplicate = { accepted: false, reason: "duplicate" } as const;
const accepted = { accepted: true } as const;

const clock = new TestClock();

const open = (disk: MemoryDisk, checkpointRecords = 1_000) =>
  openInMemory(disk, { clock, checkpointRecords });

async function withWebsite(disk: MemoryDisk, checkpointRecords?: number): Promise<RunningEngine> {
  const engine = await open(disk, checkpointRecords);
  await addWebsites(engine, "a.example");
  return engine;
}

/** `q` is true on a first visit there. In hash mode `p` stays what it was for the first route. */
const route = (name: string, more: object = {}) => ({
  ...{ b: "m1", e: "load", u: `https://a.example/app/#/${name}`, p: true, q: name === "one" },
  ...more,
});
const unload = (m: number) => ({ b: "m1", e: "unload", m });

async function send(engine: RunningEngine, body: object) {
  clock.advance(1_000);
  return hitTo(engine, body);
}

const everything = { period: { startMs: -Infinity, endMs: Infinity }, filters: [], limit: 100, offset: 0 };
const [pages, time] = [
  { ...everything, list: "pages", summary: false, grouped: true, locale: false },
  { ...everything, list: "time", summary: false },
] as const satisfies Question[];

async function rowsOf(engine: RunningEngine, question: Question): Promise<AnyRow[]> {
  return JSON.parse((await engine.ask(1, question)).json) as AnyRow[];
}

test("three routes are three page views of one visitor, and an unload ends the latest", async () => {
  const disk = new MemoryDisk();
  const engine = await withWebsite(disk);
  for (const name of ["one", "two", "three"])
    expect([name, await send(engine, route(name))]).toEqual([name, accepted]);
  expect(await send(engine, route("three"))).toEqual(duplicate);
  expect(await send(engine, unload(7_000))).toEqual(accepted);
  expect(await send(engine, route("one"))).toEqual(accepted);
  expect(await send(engine, unload(3_000))).toEqual(accepted);

  const asked = { period: everything.period, filters: [], previous: false, timezone: "UTC" };
  const summary = await engine.ask(1, { ...asked, list: "summary", nowMs: clock.nowMs() });
  expect(JSON.parse(summary.json)).toMatchObject({ current: { visitors: 1, pageviews: 4 } });
  const rows = await rowsOf(engine, pages);
  expect(rows).toMatchObject([
    { path: "/app/#/one", pageviews: 2 },
    { path: "/app/#/three", pageviews: 1, duration: 7_000 },
    { path: "/app/#/two", pageviews: 1, duration: 0 },
  ]);
  expect(await rowsOf(engine, time)).toMatchObject([
    { path: "/app/#/three", duration: 7_000 },
    { path: "/app/#/one", duration: 3_000 },
  ]);

  // The log alone says so, and a checkpoint too.
  const replayed = await open(disk.clone());
  replayed.check();
  expect(await rowsOf(replayed, pages)).toEqual(rows);
  expect(await send(replayed, route("one"))).toEqual(duplicate);
  await replayed.stop();
  await engine.stop();
  const restarted = await open(disk);
  expect(await rowsOf(restarted, pages)).toEqual(rows);
  expect(await send(restarted, route("one"))).toEqual(duplicate);
  expect(await send(restarted, route("four"))).toEqual(accepted);
  expect(await send(restarted, unload(9_000))).toEqual(accepted);
  expect(await rowsOf(restarted, time)).toContainEqual(
    expect.objectContaining({ path: "/app/#/four", duration: 9_000 }),
  );
  restarted.check();
  await restarted.stop();
});

test("three routes of one batch are three too, also around checkpoints", async () => {
  const disk = new MemoryDisk();
  const engine = await withWebsite(disk, 2);
  const hits = ["one", "two", "two", "three"].map((name) => send(engine, route(name)));
  expect(await Promise.all(hits)).toEqual([accepted, accepted, duplicate, accepted]);
  expect(await send(engine, route("four"))).toEqual(accepted);
  const rows = await rowsOf(engine, pages);
  expect(rows).toHaveLength(4);
  const replayed = await open(disk.clone());
  expect(await rowsOf(replayed, pages)).toEqual(rows);
  await replayed.stop();
  await engine.stop();
});

test("our own tracker makes a beacon for each page view: another path under it is a retry all the same", async () => {
  const engine = await withWebsite(new MemoryDisk());
  const load = (name: string) => ({ b: "f1", u: `https://a.example/${name}`, p: true });
  expect(await send(engine, load("one"))).toEqual(accepted);
  expect(await send(engine, load("two"))).toEqual(duplicate);
  await engine.stop();
});
