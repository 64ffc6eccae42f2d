/** Visits through the engine: what is logged of them, what is written of those who made them, and where there are none. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { keyBytes } from "../../src/collect/visits/visitor-key.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite, changeWebsite } from "../../src/engine/admin/websites.ts";
import { openEngine } from "../../src/engine/opening/open.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { FileHandle } from "../../src/lib/disk/disk.ts";
import { silentLogger, type LogFields } from "../../src/lib/log.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { visitMax } from "../../src/core/hit.ts";
import { noVisitValues } from "../../src/core/questions/stored-dimension.ts";
import { importedVisitMax } from "../../src/engine/admission/visit-admission.ts";
import { hitTo } from "../support/hits.ts";
import { rounds } from "../support/rounds.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { memoryIo } from "../support/memory-io.ts";
import { imported, someone } from "../support/records.ts";
import { refusalOf } from "../support/refusals.ts";

const minuteMs = 60_000;
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const caller = { userId: 1, sessionId: "" };

/** A disk that remembers every byte that was ever written. */
class KeepingDisk extends MemoryDisk {
  readonly written: Uint8Array[] = [];

  override write(file: FileHandle, bytes: Uint8Array): void {
    this.written.push(Uint8Array.from(bytes));
    super.write(file, bytes);
  }
}

/** An engine whose folder, clock, chance and messages are the test's. */
class World {
  readonly disk = new KeepingDisk();
  readonly clock = new TestClock();
  /** The chance that was given away. */
  readonly given: Uint8Array[] = [];
  readonly warnings: { message: string; fields: LogFields | undefined }[] = [];
  engine!: RunningEngine;

  async open(seed = 1): Promise<RunningEngine> {
    const chance = seededRandom(seed);
    const bytes = (count: number) => {
      const taken = chance.bytes(count);
      this.given.push(Uint8Array.from(taken));
      return taken;
    };
    const warn = (message: string, fields?: LogFields) => void this.warnings.push({ message, fields });
    const { clock, disk } = this;
    const logger = { ...silentLogger, warn };
    const options = { folder: "/data", clock, random: { bytes }, logger, demo: false };
    this.engine = await openEngine({ ...options, io: memoryIo(disk), loadsPerNetwork: Infinity });
    return this.engine;
  }

  async begin(visits = true): Promise<RunningEngine> {
    const engine = await this.open();
    await addUser(engine, { username: "ada", password: "a good password" });
    await addWebsite(engine, caller, { hostname: "a.example", visits });
    return engine;
  }

  hit(body: object, sender = someone, userAgent = firefox) {
    return hitTo(this.engine, body, { ...sender, userAgent });
  }

  /** A page view that comes from the website itself. */
  view(b: string, more: object = {}, sender = someone) {
    return this.hit({ b, u: `https://a.example/${b}`, q: true, r: "https://a.example/", ...more }, sender);
  }

  /** The visit of each row, in the order of the rows. */
  get visits(): number[] {
    const chunks = [...(this.engine.site(1)?.chunks.values() ?? [])];
    return chunks.flatMap(({ visit, rows }) => [...visit.subarray(0, rows)]);
  }
}

async function begun(visits = true): Promise<World> {
  const world = new World();
  await world.begin(visits);
  return world;
}

describe("the visit of a hit", () => {
  test("is logged with loads and with events that have rows, and goes on after others of the same visitor", async () => {
    const world = await begun();
    await world.view("a", { p: true, r: "https://news.example/" });
    world.clock.advance(20 * minuteMs);
    await world.hit({ b: "a", d: { plan: "pro" } });
    world.clock.advance(20 * minuteMs);
    await world.hit({ b: "a", m: 5 });
    world.clock.advance(20 * minuteMs);
    await world.view("b");
    await world.hit({ u: "https://a.example/b", d: { signup: "yes" } });
    await world.view("c", {}, { ...someone, address: "192.0.2.8" });
    world.clock.advance(31 * minuteMs);
    await world.view("d");
    expect(world.visits).toEqual([1, 1, 1, 2, 3]);
    await world.engine.stop();
  });

  test("is that of its page view also while that is being logged", async () => {
    const world = await begun();
    await world.view("a");
    // Another address: only the beacon says to whom it belongs.
    const moved = { ...someone, address: "203.0.113.1" };
    const answers = await Promise.all([
      world.view("b"),
      world.view("b", {}, moved),
      world.hit({ b: "b", u: "https://a.example/b", m: 5 }, moved),
    ]);
    expect(answers.map(({ accepted }) => accepted)).toEqual([true, false, true]);
    world.clock.advance(30 * minuteMs);
    await world.view("c");
    expect(world.visits).toEqual([1, 1, 1]);
    await world.engine.stop();
  });

  test("is a new one after a restart, of a greater number; what is not counted begins none", async () => {
    const world = await begun();
    const arrives = { p: true, r: "https://news.example/" };
    await world.view("a", arrives);
    await world.view("b");
    expect(await world.view("a", arrives)).toEqual({ accepted: false, reason: "duplicate" });
    expect(
      (await world.hit({ b: "x", u: "https://a.example/", p: true }, someone, "curl/8")).accepted,
    ).toBeFalse();
    await world.view("c");
    await world.engine.stop();
    const engine = await world.open(2);
    await world.view("d");
    expect(world.visits).toEqual([1, 1, 1, 2]);
    await engine.stop();
  });

  test("is forgotten if the hit that began it could not be logged", async () => {
    const world = await begun();
    await world.view("a");
    world.disk.failAt({ call: 1, code: "EIO" });
    const arrives = world.view("b", { p: true, r: "https://news.example/" });
    expect((await refusalOf(() => arrives)).code).toBe(500);
    world.disk.failAt(undefined);
    await world.view("c");
    expect(world.visits).toEqual([1, 1]);
    await world.engine.stop();
  });
});

describe("imported page views", () => {
  const loads = () =>
    imported([1, 2, 3, 4]).loads.map((load, at) => ({ ...load, visit: at < 2 ? 7 : 8, visitValues: [] }));

  test("have visits with numbers of the website, in order with those of hits", async () => {
    const world = await begun();
    await world.view("a");
    await world.engine.commit({ ...imported([]), loads: loads() });
    await world.view("b", { p: true, r: "https://news.example/" });
    expect(world.visits.toSorted()).toEqual([1, 2, 2, 3, 3, 4]);
    await world.engine.stop();
  });

  test("have none where the website has none", async () => {
    const world = await begun(false);
    await world.engine.commit({ ...imported([]), loads: loads() });
    expect(world.visits).toEqual([0, 0, 0, 0]);
    await world.engine.stop();
  });
});

describe("rows of an export", () => {
  /** Page views, each of a visit of its own. */
  const rows = (numbers: readonly number[]) => ({
    ...imported([]),
    loads: imported(numbers.map(() => 1)).loads.map((load, at) => ({
      ...load,
      visit: numbers[at]!,
      visitValues: noVisitValues,
      visitFlags: 3,
    })),
  });
  const numbers = (count: number, apart: number) => Array.from({ length: count }, (_, at) => 1 + at * apart);

  test.each([1, 100, 128])("keep their visits, with numbers %d apart", async (apart) => {
    const world = await begun();
    await world.engine.commit(rows(numbers(500, apart)));
    expect(new Set(world.visits).size).toBe(500);
    await world.engine.stop();
  });

  test("keep a few visits with numbers far from those of others, as after other imports", async () => {
    const world = await begun();
    await world.engine.commit(rows([5, 9_000_000, 4_000_000_000]));
    await world.view("a");
    expect(world.visits.filter((visit) => visit !== 0)).toHaveLength(4);
    await world.engine.stop();
  });

  test("leave half of the numbers to hits", async () => {
    const world = await begun();
    world.engine.site(1)!.lastVisit = importedVisitMax - 1;
    expect(await refusalOf(() => world.engine.commit(rows([1])))).toMatchObject({
      code: 400,
      message: "visit: the website has no room for so many numbers of visits",
    });
    await world.view("a");
    expect(world.visits).toEqual([importedVisitMax]);
    await world.engine.stop();
  });

  test("that took all numbers, as they once could, leave page views without visits", async () => {
    const world = await begun();
    world.engine.site(1)!.lastVisit = visitMax;
    expect(await world.view("a")).toEqual({ accepted: true });
    const loads = imported([1]).loads.map((load) => ({ ...load, visit: 7, visitValues: [] }));
    await world.engine.commit({ ...imported([]), loads });
    expect(world.visits).toEqual([0, 0]);
    await world.engine.stop();
  });
});

describe("a website without visits", () => {
  test("has no visit in any record, and no key is ever made", async () => {
    const world = await begun(false);
    const keys = () => world.given.filter(({ length }) => length === keyBytes).length;
    const before = keys();
    for (let at = 0; at < 100; at++) {
      await world.view(`b${at}`, { p: at % 2 === 0 }, { ...someone, address: `192.0.2.${at}` });
      await world.hit({ u: "https://a.example/", d: { a: at } });
      await world.hit({ b: `b${at}`, m: 5 });
    }
    expect(keys()).toBe(before);
    expect(new Set(world.visits)).toEqual(new Set([0]));
    expect(world.visits).toHaveLength(200);
    await changeWebsite({ engine: world.engine, caller, hostname: "a.example" }, { visits: true });
    await world.view("on");
    expect(keys()).toBe(before + 1);
    await changeWebsite({ engine: world.engine, caller, hostname: "a.example" }, { visits: false });
    await world.view("off");
    expect(world.visits.slice(200)).toEqual([1, 0]);
    await world.engine.stop();
  });

  test("is one of before there were visits, until its owner chooses", async () => {
    const world = new World();
    const engine = await world.open();
    await addUser(engine, { username: "ada", password: "a good password" });
    const website = { websiteId: 1, userId: 1, hostname: "a.example" };
    await engine.commit({ kind: "websiteAdded", timeMs: engine.nowMs(), ...website } as LogRecord);
    await world.view("a");
    await engine.purge();
    await engine.stop();
    const again = await world.open();
    expect(again.registry.websiteByHost("a.example")?.visits).toBeFalse();
    await world.view("b");
    await changeWebsite({ engine: again, caller, hostname: "a.example" }, { visits: true });
    await world.view("c");
    await again.stop();
    expect((await world.open()).registry.websiteByHost("a.example")?.visits).toBeTrue();
    expect(world.visits).toEqual([0, 0, 1]);
    await world.engine.stop();
  });
});

describe("a proxy that hides visitors", () => {
  test("which no setting names: no visit is made, and it is said once an hour, with a private address only", async () => {
    const world = await begun();
    const inner = { address: "10.0.0.2", network: "10.0.0", isUnnamedProxy: true };
    for (let at = 0; at < 20; at++) {
      await world.view(`b${at}`, { p: true }, inner);
      await world.hit({ u: "https://a.example/", d: { a: at } }, inner);
      world.clock.advance(4 * minuteMs);
    }
    expect(new Set(world.visits)).toEqual(new Set([0]));
    expect(world.warnings.map(({ fields }) => fields)).toEqual([
      { website: "a.example", proxy: "10.0.0.2" },
      { website: "a.example", proxy: "10.0.0.2" },
    ]);
    expect(world.warnings[0]?.message).toContain("--trust-proxy");
    const website = world.engine.registry.websiteByHost("a.example");
    expect(website && world.engine.hidingProxyOf(website)).toEqual({ address: "10.0.0.2" });
    // A hit that does not come through it has its visit.
    await world.view("direct");
    expect(world.visits.at(-1)).toBe(1);
    await world.engine.stop();
  });

  test("from which nearly all loads of an hour come: no more visits are made, until others come", async () => {
    const world = await begun();
    const proxy = { address: "172.17.0.1", network: "172.17.0", isUnnamedProxy: false };
    for (let at = 0; at < 60; at++) await world.view(`b${at}`, {}, at === 7 ? someone : proxy);
    expect(world.visits.slice(0, 8)).toEqual([1, 1, 1, 1, 1, 1, 1, 2]);
    expect(new Set(world.visits.slice(49))).toEqual(new Set([0]));
    expect(world.warnings).toHaveLength(1);
    // The next hours know it from their beginning.
    world.clock.advance(61 * minuteMs);
    await world.view("later", {}, proxy);
    expect(world.visits.at(-1)).toBe(0);
    for (let at = 0; at < 60; at++) await world.view(`c${at}`, {}, { ...proxy, address: `172.17.0.${at}` });
    expect(world.visits.at(-1)).toBeGreaterThan(0);
    await world.engine.stop();
  });

  test("is no visitor who sends the header, and no address of one is told", async () => {
    const world = await begun();
    for (let at = 0; at < 9; at++) await world.view(`b${at}`, {}, { ...someone, address: `192.0.2.${at}` });
    await world.view("liar", {}, { address: "203.0.113.5", network: "203.0.113", isUnnamedProxy: true });
    expect(world.visits.at(-1)).toBe(0);
    expect(world.warnings).toEqual([]);
    for (let at = 0; at < 9; at++)
      await world.view(`c${at}`, {}, { address: "203.0.113.5", network: "203.0.113", isUnnamedProxy: true });
    expect(world.warnings.map(({ fields }) => fields)).toEqual([{ website: "a.example" }]);
    await world.engine.stop();
  });
});

/** Over 27 hours, so that there are two keys. */
const manyHits = rounds(100_000, 5_000);

test(`${manyHits} hits: no file has an address, a user agent, a hash of a visitor or a key`, async () => {
  const world = await begun();
  const agents = Array.from({ length: 200 }, (_, at) => `${firefox} Known/${at}`);
  const addressOf = (at: number) =>
    at % 4 === 0 ? `2001:db8:${at.toString(16)}::7` : `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
  const visitors: { address: string; userAgent: string }[] = [];
  for (let from = 0; from < manyHits; from += 500) {
    const hits = Array.from({ length: 500 }, (_, step) => {
      const at = from + step;
      const address = addressOf(at % (0.75 * manyHits));
      const userAgent = agents[at % 200] as string;
      visitors.push({ address, userAgent });
      const sender = { address, network: address.slice(0, 8), isUnnamedProxy: false };
      return world.hit(
        { b: `b${at}`, u: `https://a.example/${at % 50}`, p: at % 3 === 0 },
        sender,
        userAgent,
      );
    });
    expect((await Promise.all(hits)).every(({ accepted }) => accepted)).toBeTrue();
    world.clock.advance((27 * 60 * minuteMs * 500) / manyHits);
  }
  expect(new Set(world.visits).size).toBeGreaterThan(manyHits / 2);
  await world.engine.purge();
  await world.engine.stop();
  const keys = world.given.filter(({ length }) => length === keyBytes);
  expect(keys.length).toBeGreaterThan(1);
  const everything = Buffer.concat(world.disk.written);
  const found = (needle: string | Uint8Array) => everything.includes(needle);
  // The search finds what is there.
  expect(found("a.example")).toBeTrue();
  expect(
    found("198.18.") || found("198.19.") || found("2001:db8") || found("Known/") || found("Gecko"),
  ).toBeFalse();
  expect(keys.some((key) => found(key) || found(Buffer.from(key).toString("hex")))).toBeFalse();
  const hashes = new Set<bigint>();
  for (const { address, userAgent } of visitors.slice(0, 4_000)) {
    const place = address.includes(":")
      ? `20010db8${address.split(":")[2]?.padStart(4, "0")}0000::/64`
      : address;
    for (const key of keys) {
      const hash = createHmac("sha256", key).update(`1\n${place}\n${userAgent}\nde`).digest();
      hashes.add(hash.readBigUInt64LE(0)).add(hash.readBigUInt64BE(0));
    }
  }
  expect(hashes.size).toBeGreaterThan(8_000);
  let written = 0;
  for (let at = 0; at + 8 <= everything.length; at++)
    if (hashes.has(everything.readBigUInt64LE(at))) written++;
  expect(written).toBe(0);
});
