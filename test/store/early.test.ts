import { describe, expect, test } from "bun:test";
import { dayMs, earlyWaitMs } from "../../src/core/hit.ts";
import { bytesOf, earlyBytesMax, EarlyHits, hitBytes, type Early } from "../../src/store/state/early.ts";

function unload(timeMs: number, websiteId = 1): Early {
  return { kind: "unload", timeMs, websiteId, visibleMs: 5 };
}

/** Counts the hits of website 1 that find no load from now on. */
function unfoundOf(early: EarlyHits): { count: number } {
  const unfound = { count: 0 };
  early.onRefused = (websiteId, reason) => {
    expect([websiteId, reason]).toEqual([1, "early"]);
    unfound.count++;
  };
  return unfound;
}

describe("EarlyHits", () => {
  test("gives a load what waits for it, once, in the order in which it came", () => {
    const early = new EarlyHits();
    early.add("a", unload(1));
    early.add("b", unload(2));
    early.add("a", unload(3));
    expect(early.claim("a", 1, 4)).toEqual([unload(1), unload(3)]);
    expect(early.claim("a", 1, 4)).toEqual([]);
    expect(early.claim("b", 1, 4)).toEqual([unload(2)]);
  });

  test("keeps for another website what is not this one's; 0 is of any", () => {
    const early = new EarlyHits();
    early.add("a", unload(1, 1));
    early.add("a", unload(2, 2));
    early.add("a", unload(3, 0));
    expect(early.claim("a", 2, 4)).toEqual([unload(2, 2), unload(3, 0)]);
    expect(early.claim("a", 1, 4)).toEqual([unload(1, 1)]);
  });

  test("keeps its order for a load that claims nothing", () => {
    const early = new EarlyHits();
    early.add("a", unload(1, 2));
    early.add("b", unload(2, 2));
    expect(early.claim("a", 1, 3)).toEqual([]);
    expect([...early.save().waiting].map(([beacon]) => beacon)).toEqual(["a", "b"]);
  });

  test("forgets after ten minutes", () => {
    const early = new EarlyHits();
    early.add("a", unload(0));
    early.add("b", unload(1));
    expect(early.claim("a", 1, earlyWaitMs + 1)).toEqual([]);
    expect(early.claim("b", 1, earlyWaitMs + 1)).toEqual([unload(1)]);
  });

  test("keeps none for long, however often one beacon is sent again", () => {
    const early = new EarlyHits();
    const unfound = unfoundOf(early);
    const againMs = earlyWaitMs - 1;
    for (let round = 0; round < 20; round++) {
      early.add("again", unload(round * againMs));
      for (let at = 1; at <= 10; at++) early.add(`${round}-${at}`, unload(round * againMs + at));
    }
    const waiting = early.save().waiting.flatMap(([, list]) => list.map(({ timeMs }) => timeMs));
    expect(Math.min(...waiting)).toBeGreaterThanOrEqual(19 * againMs - 2 * earlyWaitMs);
    expect(early.bytes).toBe(waiting.length * hitBytes);
    expect(unfound.count).toBe(20 * 11 - waiting.length);
    const others = new Array(10).fill(0).map((_, at) => `19-${at + 1}`);
    expect(others.flatMap((beacon) => early.claim(beacon, 1, 20 * againMs))).toHaveLength(10);
  });

  test("keeps none for long behind one that came while the clock was a year ahead", () => {
    const early = new EarlyHits();
    const unfound = unfoundOf(early);
    early.add("ahead", unload(365 * dayMs));
    for (let at = 1; at <= 1_000; at++) early.add(`${at}`, unload(at * 60_000));
    const waiting = early.save().waiting.map(([beacon]) => beacon);
    expect(waiting).toEqual(new Array(11).fill(0).map((_, at) => `${990 + at}`));
    expect(early.bytes).toBe(11 * hitBytes);
    expect(unfound.count).toBe(990);
  });

  test("lets others go after ten minutes where a load leaves one of its beacon to another website", () => {
    const early = new EarlyHits();
    early.add("a", unload(0, 1));
    early.add("b", unload(1));
    early.add("a", unload(earlyWaitMs, 2));
    expect(early.claim("a", 1, earlyWaitMs)).toHaveLength(1);
    early.add("c", unload(earlyWaitMs + 2));
    expect(early.save().waiting.map(([beacon]) => beacon)).toEqual(["a", "c"]);
  });

  test("forgets what came before a time, and what it took of the bounds", () => {
    const early = new EarlyHits();
    const unfound = unfoundOf(early);
    const value = "x".repeat((earlyBytesMax - 1_000) / 2);
    early.add("a", { kind: "event", timeMs: 1, websiteId: 1, properties: [["x", value]] });
    early.add("a", unload(2));
    early.removeBefore(2);
    early.add("b", { kind: "event", timeMs: 3, websiteId: 1, properties: [["x", value]] });
    expect(early.claim("a", 1, 4)).toEqual([unload(2)]);
    expect(early.claim("b", 1, 4)).toHaveLength(1);
    expect(unfound.count).toBe(0);
  });

  test("is bounded in bytes of memory: the oldest go first and are counted", () => {
    const early = new EarlyHits();
    const unfound = unfoundOf(early);
    const value = "v".repeat(2_000);
    const event: Early = { kind: "event", timeMs: 1, websiteId: 1, properties: [["n", value]] };
    for (const one of [unload(1), event]) {
      const most = Math.floor(earlyBytesMax / bytesOf(one));
      early.removeBefore(Infinity);
      unfound.count = 0;
      for (let count = 0; count < most + 10; count++) early.add(`b${count}`, one);
      expect(unfound.count).toBe(10);
      expect(early.claim("b9", 1, 100)).toEqual([]);
      expect(early.claim("b10", 1, 100)).toHaveLength(1);
    }
  });

  test("saves and loads", () => {
    const early = new EarlyHits();
    early.add("a", unload(1));
    early.add("b", { kind: "event", timeMs: 2, websiteId: 0, properties: [["__proto__", "x"]] });
    early.add("a", { kind: "bare", timeMs: 3, websiteId: 1, chunkNumber: 1, first: 0, count: 2 });
    const saved = early.save();
    const loaded = EarlyHits.load(JSON.parse(JSON.stringify(saved)));
    expect(loaded.save()).toEqual(saved);
    expect(loaded.claim("b", 9, 3)).toEqual(early.claim("b", 9, 3));
  });

  test("a removed website takes its own along", () => {
    const early = new EarlyHits();
    early.add("a", unload(1, 1));
    early.add("a", unload(2, 2));
    early.removeWebsite(1);
    expect(early.claim("a", 1, 3)).toEqual([]);
    expect(early.claim("a", 2, 3)).toEqual([unload(2, 2)]);
  });
});
