/** The ids of events through hits: budgets, restarts and power cuts. None of them is on disk as it was sent. */
import { describe, expect, test } from "bun:test";
import { parseHit, type Sender } from "../../src/collect/hit.ts";
import type { HitAnswer, SentBy } from "../../src/engine/intake/hit-intake.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { hitTo } from "../support/hits.ts";
import { MemoryDisk, PowerCut } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load, someone } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { browser } from "../support/server.ts";
import { addWebsites } from "../support/websites.ts";

const headers = { userAgent: browser, acceptLanguage: "de" };
const u = "https://1.example/thanks";
const accepted: HitAnswer = { accepted: true };
const duplicate: HitAnswer = { accepted: false, reason: "duplicate" };
const byToken: SentBy = { atMs: null, maySend: () => true };
const idText = "order-4711-of-ada";

async function opened(disk = new MemoryDisk()): Promise<RunningEngine> {
  const engine = await openInMemory(disk);
  await addWebsites(engine, "1.example", "2.example");
  return engine;
}

function order(
  engine: RunningEngine,
  i: unknown,
  more: object = {},
  sender: Sender = someone,
  sentBy?: SentBy,
): Promise<HitAnswer> {
  return engine.hits.take(
    parseHit({ u, i, d: { order: "paid", amount: 1_000 }, ...more }),
    headers,
    sender,
    sentBy,
  );
}

/** The counts of a website's refused hits, of all days. */
function refused(engine: RunningEngine): object {
  return Object.assign({}, ...engine.hits.rejectionsOf(1).map(([, counts]) => counts));
}

describe("an event with an id", () => {
  test("counts once, whether it is sent again by the same page, a reloaded one, or at the same moment", async () => {
    const engine = await opened();
    const first = await Promise.all([1, 2, 3].map(() => order(engine, "4711", { b: "early" })));
    expect(first.filter((answer) => answer.accepted)).toHaveLength(1);
    await hitTo(engine, { b: "early", u, p: true });
    await hitTo(engine, { b: "reloaded", u, p: false });
    for (const more of [{ b: "early" }, { b: "reloaded" }, {}, { b: "reloaded", u: undefined }])
      expect(await order(engine, "4711", more)).toEqual(duplicate);
    expect(refused(engine)).toEqual({ duplicate: 6 });
    expect(await order(engine, 4711)).toEqual(duplicate);
    expect(await order(engine, "4712")).toEqual(accepted);
    expect(await order(engine, "4711", { u: "https://2.example/" })).toEqual(accepted);
    for (const i of ["", null, undefined]) expect(await order(engine, i)).toEqual(accepted);
    await engine.stop();
  });

  test("is counted as a duplicate where it waited for its page view", async () => {
    const engine = await opened();
    for (const b of ["a", "a", "b"]) expect(await order(engine, "7", { b, u: undefined })).toEqual(accepted);
    for (const b of ["a", "b"]) await hitTo(engine, { b, u, p: true });
    expect(engine.site(1)?.chunks.get(1)?.properties).toBe(2);
    expect(refused(engine)).toEqual({ duplicate: 2 });
    await engine.stop();
  });

  test("that waited is counted as a duplicate once, although a power cut has it replayed", async () => {
    const disk = new MemoryDisk();
    const engine = await opened(disk);
    for (const b of ["a", "a"]) await order(engine, "7", { b, u: undefined });
    await hitTo(engine, { b: "a", u, p: true });
    await engine["intake"].hits.rejections.log();
    const again = await openInMemory(disk.crash(randomBySeed()));
    await hitTo(again, { b: "b", u, p: true });
    expect(refused(again)).toEqual({ duplicate: 1 });
    await again.stop();
  });

  test("begins no visit, and adds no name, where it is a duplicate", async () => {
    const engine = await opened();
    await order(engine, "1");
    const visit = engine.site(1)!.lastVisit;
    const other = { ...someone, address: "198.51.100.9" };
    expect(await order(engine, "1", { d: { new: "name" } }, other)).toEqual(duplicate);
    expect(engine.site(1)!.lastVisit).toBe(visit);
    expect(engine.site(1)!.propertyNames.size).toBe(3);
    await engine.stop();
  });

  test("of a token counts though strangers have guessed the id", async () => {
    const engine = await opened();
    const account = { ...someone, account: 1 };
    expect(await order(engine, "1")).toEqual(accepted);
    expect(await order(engine, "1", {}, account, byToken)).toEqual(accepted);
    expect(await order(engine, "1", {}, account, byToken)).toEqual(duplicate);
    expect(await order(engine, "1")).toEqual(duplicate);
    await engine.stop();
  });

  test("counts as one without an id past what its network may have remembered, and others keep theirs", async () => {
    const engine = await opened();
    await hitTo(engine, { b: "a", u, p: true });
    const stranger = { ...someone, address: "198.51.100.9", network: "198.51.100.0" };
    expect(await order(engine, "honest")).toEqual(accepted);
    for (let at = 0; at < 10_000; at += 1_000)
      await Promise.all(
        Array.from({ length: 1_000 }, (_, more) => order(engine, `guess-${at + more}`, { b: "a" }, stranger)),
      );
    for (const round of [1, 2])
      expect([round, await order(engine, "one more", { b: "a" }, stranger)]).toEqual([round, accepted]);
    expect(await order(engine, "guess-9999")).toEqual(duplicate);
    expect(await order(engine, "honest")).toEqual(duplicate);
    expect(await order(engine, "one more")).toEqual(accepted);
    expect(await order(engine, "one more")).toEqual(duplicate);
    await engine.stop();
  });
});

test("an id is known after a clean stop, from a checkpoint and from the log, and is on no disk as a text", async () => {
  const disk = new MemoryDisk();
  let engine = await opened(disk);
  expect(await order(engine, idText)).toEqual(accepted);
  await engine.stop();
  engine = await openInMemory(disk);
  expect(await order(engine, idText)).toEqual(duplicate);
  expect(await order(engine, `${idText} too`)).toEqual(accepted);
  const after = disk.crash(randomBySeed());
  for (const { files } of [disk, after])
    for (const bytes of files.values()) expect(Buffer.from(bytes).includes(idText)).toBe(false);
  engine = await openInMemory(after);
  for (const text of [idText, `${idText} too`]) expect(await order(engine, text)).toEqual(duplicate);
  await engine.stop();
});

/** Two lives with orders, a checkpoint in each, and a clean stop. Returns which were answered as accepted. */
async function live(disk: MemoryDisk, acknowledged: string[]): Promise<void> {
  for (const round of [1, 2]) {
    let powerOff = () => {};
    const cut = new Promise<"cut">((resolve) => (powerOff = () => resolve("cut")));
    const engine = await openInMemory(disk, { io: memoryIo(disk, powerOff) });
    const work = async () => {
      for (const step of ["before", "after"]) {
        for (const id of [`${round}-${step}`, "in both"]) {
          const answer = await order(engine, id).catch(() => duplicate);
          if (answer.accepted) acknowledged.push(id);
        }
        if (step === "before") await engine.purge().catch(() => {});
      }
      await engine.stop();
      return "done";
    };
    if ((await Promise.race([work(), cut])) === "cut") throw new PowerCut("the power is cut");
  }
}

test("a power cut at every call lets no id count twice that was answered", async () => {
  const random = randomBySeed();
  const base = new MemoryDisk();
  const engine = await opened(base);
  await engine.commit(load("first"));
  await engine.stop();
  const whole = base.clone();
  const all: string[] = [];
  await live(whole, all);
  expect(all).toEqual(["1-before", "in both", "1-after", "2-before", "2-after"]);
  for (let call = 1; call <= whole.history.length; call += 1 + Math.floor(random() * 4)) {
    const disk = base.clone();
    disk.cutPowerAt(call);
    const acknowledged: string[] = [];
    try {
      await live(disk, acknowledged);
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
    }
    const next = await openInMemory(disk.crash(random));
    next.check();
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    for (const id of acknowledged) expect([call, id, await order(next, id)]).toEqual([call, id, duplicate]);
    const { properties } = next.site(1)!.chunks.get(1)!;
    expect(properties).toBeGreaterThanOrEqual(2 * acknowledged.length);
    await next.stop();
  }
});
