import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { failureWindowMs, freeFailures, Throttle, waitMsMax } from "../../src/accounts/login/throttle.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

let timeMs = 0;
let throttle: Throttle;

beforeEach(() => {
  timeMs = 1_000_000;
  throttle = new Throttle({ nowMs: () => 0, monotonicMs: () => timeMs });
});

function fail(times: number, key = "ada"): void {
  for (let time = 0; time < times; time++) throttle.failed(key);
}

describe("Throttle", () => {
  test("nine failures are free, the tenth makes the next one wait", () => {
    fail(freeFailures - 1);
    expect(throttle.waitS("ada")).toBe(0);
    fail(1);
    expect(throttle.waitS("ada")).toBe(2);
  });

  test("after these seconds the next one may try", () => {
    fail(freeFailures);
    timeMs += 1_500;
    expect(throttle.waitS("ada")).toBe(1);
    timeMs += 1_000;
    expect(throttle.waitS("ada")).toBe(0);
  });

  test("the wait doubles up to a minute", () => {
    fail(freeFailures);
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      waits.push(throttle.waitS("ada"));
      fail(1);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("asking while one waits makes the wait no longer", () => {
    fail(freeFailures);
    for (let round = 0; round < 50; round++) expect(throttle.waitS("ada")).toBe(2);
    timeMs += 2_000;
    expect(throttle.waitS("ada")).toBe(0);
  });

  test("another key has another count", () => {
    fail(freeFailures);
    expect(throttle.waitS("bob")).toBe(0);
  });

  test("success starts the count anew", () => {
    fail(freeFailures - 1);
    throttle.succeeded("ada");
    fail(freeFailures - 1);
    expect(throttle.waitS("ada")).toBe(0);
  });

  test("only the last fifteen minutes count", () => {
    fail(1);
    timeMs += failureWindowMs - 1;
    fail(freeFailures - 1);
    expect(throttle.waitS("ada")).toBe(2);
    timeMs += 1;
    expect(throttle.waitS("ada")).toBe(0);
  });

  test("many other keys push out the oldest", () => {
    fail(freeFailures);
    for (let key = 0; key < 10_000; key++) throttle.failed(`key ${key}`);
    expect(throttle.waitS("ada")).toBe(0);
  });

  test("whatever was tried, nobody waits longer than a minute, and few tries get through", () => {
    const property = fc.property(fc.array(fc.nat(20_000), { maxLength: 200, size: "max" }), (pausesMs) => {
      const fresh = new Throttle({ nowMs: () => 0, monotonicMs: () => timeMs });
      const triedMs: number[] = [];
      for (const pauseMs of pausesMs) {
        timeMs += pauseMs;
        if (fresh.waitS("ada") > 0) continue;
        fresh.failed("ada");
        triedMs.push(timeMs);
      }
      // Ten free ones, five while the wait grows, then one a minute.
      for (const [index, startMs] of triedMs.entries()) {
        const tries = triedMs.slice(index).filter((triedAt) => triedAt < startMs + failureWindowMs).length;
        expect(tries).toBeLessThanOrEqual(freeFailures + 5 + failureWindowMs / waitMsMax);
      }
      timeMs += waitMsMax;
      expect(fresh.waitS("ada")).toBe(0);
    });
    fc.assert(property, { seed: seed(), numRuns: rounds(50) });
  });
});
