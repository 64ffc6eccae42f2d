import { expect, test } from "bun:test";
import { loadsOfBeaconMax } from "../../src/engine/admission/admission.ts";
import { RejectionCounter } from "../../src/engine/admission/rejections.ts";
import { beaconKnownMs, dayMs } from "../../src/core/hit.ts";
import { chunkPropertiesMax } from "../../src/store/chunks/chunk-head.ts";
import { TestClock } from "../support/clock.ts";
import { hitTo } from "../support/hits.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { addWebsites } from "../support/websites.ts";

test("what was counted is still known after a restart, with floods and names that are not kept apart", async () => {
  const disk = new MemoryDisk();
  const clock = new TestClock();
  const open = (loadsPerNetwork: number) => openInMemory(disk, { clock, loadsPerNetwork, nameBytes: 1_000 });
  let engine = await open(1);
  await addWebsites(engine, "a.example");
  const answers = new Map<string, number>();
  for (let at = 0; at < 100; at++) {
    const hit = { b: `b${at}`, u: `https://a.example/${"x".repeat(100)}/${at}`, p: true };
    const answer = await hitTo(engine, hit);
    const key = answer.accepted ? "accepted" : answer.reason;
    answers.set(key, (answers.get(key) ?? 0) + 1);
  }
  expect(answers).toEqual(
    new Map([
      ["accepted", 60],
      ["flood", 40],
    ]),
  );
  const before = engine.hits.rejectionsOf(1);
  expect(before).toHaveLength(1);
  expect(before[0]?.[1]).toMatchObject({ flood: 40 });
  expect(before[0]?.[1].limit).toBeGreaterThan(40);
  await engine.stop();
  engine = await open(1);
  expect(engine.hits.rejectionsOf(1)).toEqual(before);
  expect(engine.site(1)?.rows).toBe(60);
  await engine.stop();
});

test("an early hit whose page view never comes is counted when its time is over", async () => {
  const clock = new TestClock();
  const engine = await openInMemory(new MemoryDisk(), { clock });
  await addWebsites(engine, "a.example");
  const early = (b: string) => hitTo(engine, { b, u: "https://a.example/", m: 5 });
  await early("never");
  expect(engine.hits.rejectionsOf(1)).toEqual([]);
  clock.advance(11 * 60_000);
  await early("another");
  expect(engine.hits.rejectionsOf(1).map(([, counts]) => counts)).toEqual([{ early: 1 }]);
  await engine.stop();
});

test("a clock that was ten years ahead for one hit hides nothing, neither what was before nor what comes", async () => {
  const clock = new TestClock();
  const engine = await openInMemory(new MemoryDisk(), { clock });
  await addWebsites(engine, "a.example");
  let sent = 0;
  const refused = async () => {
    const hit = { b: `b${sent++}`, u: "https://a.example/", p: true };
    await hitTo(engine, hit, { userAgent: "Googlebot/2.1" });
    await engine["intake"].hits.rejections.log();
  };
  const today = Math.floor(clock.nowMs() / dayMs);
  await refused();
  clock.set(clock.nowMs() + 3_652 * dayMs);
  await refused();
  clock.set(clock.nowMs() - 3_651 * dayMs);
  await refused();
  const days = [
    [today, { crawler: 1 }],
    [today + 1, { crawler: 1 }],
  ];
  expect(engine.hits.rejectionsOf(1)).toEqual(days as never);
  await engine.stop();
});

test("counts that cannot be logged are kept, and logged later", async () => {
  let isFull = true;
  const logged: unknown[] = [];
  const counter = new RejectionCounter({
    nowMs: () => 5,
    commit: async (record) => {
      if (isFull) throw new Error("full");
      logged.push(record.counts);
    },
  });
  counter.note(1, "crawler");
  counter.note(0, "crawler");
  await counter.log();
  expect(counter.pendingOf(1)).toEqual({ crawler: 1 });
  isFull = false;
  await counter.stop();
  expect(logged).toEqual([[{ reason: "crawler", count: 1 }]]);
  expect(counter.pendingOf(1)).toEqual({});
});

test("only the latest unknown hostnames are kept", () => {
  const counter = new RejectionCounter({ nowMs: () => 0, commit: async () => {} });
  for (let at = 0; at < 1_000; at++) counter.noteUnknown(`h${at}.example`);
  counter.noteUnknown("h990.example");
  expect(counter.unknownHostnames).toHaveLength(20);
  expect(counter.unknownHostnames[0]).toEqual({ hostname: "h990.example", hits: 2 });
});

test("pages under one beacon are counted up to a bound, after which each costs nothing", async () => {
  const clock = new TestClock();
  const engine = await openInMemory(new MemoryDisk(), { clock });
  await addWebsites(engine, "a.example");
  const send = (body: object) => hitTo(engine, body);
  const view = (at: number, b = "one") =>
    send({ e: "load", b, u: `https://a.example/${at % 2}`, p: at === 0 });
  for (let at = 0; at < loadsOfBeaconMax; at++) expect(await view(at)).toEqual({ accepted: true });
  expect(await view(loadsOfBeaconMax)).toEqual({ accepted: false, reason: "flood" });
  expect(engine.site(1)?.rows).toBe(loadsOfBeaconMax);
  // The page view that is open goes on, and so does everybody else.
  expect(await send({ e: "unload", b: "one", m: 7_000 })).toEqual({ accepted: true });
  expect(await send({ e: "custom", b: "one", g: "a.example", d: { signup: "pro" } })).toEqual({
    accepted: true,
  });
  expect(await view(0, "another")).toEqual({ accepted: true });
  // Beacons are known for two days at least, and those before them for as long.
  clock.advance(2 * beaconKnownMs + 2);
  expect(await view(0, "later")).toEqual({ accepted: true });
  clock.advance(beaconKnownMs + 1);
  expect(await view(0, "last")).toEqual({ accepted: true });
  expect(await view(0)).toEqual({ accepted: true });
  await engine.stop();
});

/** A website, and a sender whose network is named. */
async function website(loadsPerNetwork: number) {
  const clock = new TestClock();
  const engine = await openInMemory(new MemoryDisk(), { clock, loadsPerNetwork });
  await addWebsites(engine, "a.example");
  const send = (network: string, body: object) => hitTo(engine, body, { address: `${network}.1`, network });
  return { clock, engine, send };
}

test("events of a page view that takes no more of them are within what its network may send", async () => {
  const { clock, engine, send } = await website(1);
  const u = "https://a.example/";
  expect(await send("198.51.100", { b: "old", u, p: true })).toEqual({ accepted: true });
  clock.advance(25 * 3_600_000);
  const answers = new Map<string, number>();
  for (let at = 0; at < 200; at++) {
    const answer = await send("198.51.100", { b: "old", u, d: { at: `${at % 3}` } });
    const key = answer.accepted ? "accepted" : answer.reason;
    answers.set(key, (answers.get(key) ?? 0) + 1);
  }
  expect([...answers]).toEqual([
    ["accepted", 60],
    ["flood", 140],
  ]);
  // It names no page, and waits for no page view.
  expect(await send("198.51.100", { b: "old", d: { at: "0" } })).toEqual({ accepted: false, reason: "late" });
  expect(engine.site(1)?.rows).toBe(61);
  await engine.stop();
});

test("one network does not take the room for events away from everybody's page views", async () => {
  const { engine, send } = await website(100);
  const [u, other] = ["https://a.example/", "203.0.113"];
  await send(other, { b: "honest", u, p: true });
  await send("198.51.100", { b: "own", u, p: true });
  const d = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`name${at}`, true]));
  let taken = 0;
  for (let at = 0; at < 9_000; at++) if ((await send("198.51.100", { b: "own", d })).accepted) taken += 30;
  const half = chunkPropertiesMax / 2;
  expect(taken).toBeGreaterThan(half);
  expect(taken).toBeLessThan(half + half / 10 + 60);
  // Nor by loads that bring properties, which are within their budget of loads.
  expect(await send("198.51.100", { b: "second", u, d })).toEqual({ accepted: false, reason: "flood" });
  expect(await send("198.51.100", { b: "third", u })).toEqual({ accepted: true });
  expect(await send(other, { b: "honest", u, d: { signup: "pro" } })).toEqual({ accepted: true });
  expect(engine.site(1)?.rows).toBe(3);
  // An office whose visitors all have private addresses is no single sender.
  for (let at = 0; at < half / 10 / 30 + 10; at++)
    expect(await send("10.1.1", { b: `inside${at}`, u, d })).toEqual({ accepted: true });
  await engine.stop();
});
