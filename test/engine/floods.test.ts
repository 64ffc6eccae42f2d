import { describe, expect, test } from "bun:test";
import { sentNetwork } from "../../src/collect/hit.ts";
import { NetworkBuckets } from "../../src/engine/admission/floods.ts";
import { cpuMs } from "../support/cpu-time.ts";

/** How many of `count` are taken at that time. */
function taken(buckets: NetworkBuckets, network: string, nowMs: number, count: number): number {
  return Array.from({ length: count }, () => buckets.take(network, nowMs)).filter(Boolean).length;
}

describe("the bucket of a network", () => {
  test("gives its burst at once, then its rate", () => {
    const buckets = new NetworkBuckets({ rate: 100, burst: 6_000 });
    expect(taken(buckets, "192.0.2", 0, 10_000)).toBe(6_000);
    expect(taken(buckets, "192.0.2", 1_000, 1_000)).toBe(100);
    expect(taken(buckets, "192.0.2", 3_000, 1_000)).toBe(200);
    expect(taken(buckets, "198.51.100", 3_000, 10_000)).toBe(6_000);
    expect(taken(buckets, "192.0.2", 3_600_000, 10_000)).toBe(6_000);
  });

  test("counts amounts", () => {
    const buckets = new NetworkBuckets({ rate: 10, burst: 100 });
    expect([60, 60, 40, 1].map((amount) => buckets.take("a", 0, amount))).toEqual([true, false, true, false]);
  });

  test("is no emptier for a clock that was set back", () => {
    const buckets = new NetworkBuckets({ rate: 1, burst: 10 });
    taken(buckets, "a", 1_000_000, 10);
    expect(taken(buckets, "a", 0, 10)).toBe(0);
    expect(taken(buckets, "a", 5_000, 10)).toBe(5);
  });

  test("has lost nothing when the clock was set back, by however much", () => {
    const buckets = new NetworkBuckets({ rate: 100, burst: 6_000 });
    const [noonMs, hourMs] = [1_000_000_000, 3_600_000];
    expect(taken(buckets, "a", noonMs, 20)).toBe(20);
    expect(taken(buckets, "a", noonMs - 3 * hourMs, 10_000)).toBe(5_980);
    expect(taken(buckets, "a", noonMs - 3 * hourMs + 1_000, 10_000)).toBe(100);
    expect(taken(buckets, "a", noonMs, 10_000)).toBe(6_000);
  });

  test("is forgotten when very many others come, but not while it is empty and in use", () => {
    const buckets = new NetworkBuckets({ rate: 1, burst: 2 });
    taken(buckets, "idle", 0, 2);
    for (let at = 0; at < 70_000; at++) {
      if (at % 1_000 === 0) expect(taken(buckets, "busy", at, 10)).toBeLessThan(4);
      buckets.take(`n${at}`, at);
    }
    expect(taken(buckets, "idle", 70_000, 10)).toBe(2);
  });

  test("is not forgotten for networks that a token names", () => {
    const buckets = new NetworkBuckets({ rate: 1 / 3_600, burst: 2 });
    taken(buckets, "idle", 0, 2);
    for (let at = 0; at < 70_000; at++) buckets.take(sentNetwork(7, `n${at}`), at);
    expect(taken(buckets, "idle", 70_000, 2)).toBe(0);
    // The network of the same name is another one.
    buckets.take(sentNetwork(7, "new"), 70_000, 2);
    expect(taken(buckets, "new", 70_000, 3)).toBe(2);
  });

  test("is found as fast for the network with most hits as for all in turn", () => {
    const buckets = new NetworkBuckets({ rate: 1e6, burst: 1e9 });
    const networks = Array.from({ length: 40_000 }, (_, number) => `n${number}`);
    const msOf = (networkOf: (at: number) => string) => {
      const beganMs = cpuMs();
      for (let at = 0; at < networks.length; at++) buckets.take(networkOf(at), at);
      return cpuMs() - beganMs;
    };
    const inTurn = (at: number) => networks[at]!;
    msOf(inTurn);
    expect(msOf(() => networks[2]!)).toBeLessThan(5 * msOf(inTurn) + 50);
  });

  test("has no end without a rate", () => {
    const buckets = new NetworkBuckets({ rate: Infinity, burst: Infinity });
    expect(taken(buckets, "a", 0, 100)).toBe(100);
  });
});
