import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { failureWindowMs, freeFailures, Throttle, waitMsMax } from "../../src/accounts/throttle.ts";
import { refusalOf } from "../support/refusals.ts";
import { seed } from "../support/seed.ts";

let timeMs = 0;
let throttle: Throttle;

beforeEach(() => {
  timeMs = 1_000_000;
  throttle = new Throttle({ nowMs: () => 0, monotonicMs: () => timeMs });
});

function fail(times: number, username = "ada", address = "192.0.2.1"): void {
  for (let time = 0; time < times; time++) throttle.failed(username, address);
}

describe("Throttle", () => {
  test("nine failures are free, the tenth makes the next one wait", async () => {
    fail(freeFailures - 1);
    throttle.admit("ada", "192.0.2.1");
    fail(1);
    const { code, retryAfterS, message } = await refusalOf(() => throttle.admit("ada", "192.0.2.1"));
    expect(code).toBe(401);
    expect(retryAfterS).toBe(2);
    expect(message).toBe("too many failed logins: try again in 2 s");
  });

  test("after the seconds of Retry-After the next one may try", async () => {
    fail(freeFailures);
    timeMs += 1_500;
    const { retryAfterS } = await refusalOf(() => throttle.admit("ada", "192.0.2.1"));
    expect(retryAfterS).toBe(1);
    timeMs += 1_000;
    throttle.admit("ada", "192.0.2.1");
  });

  test("the wait doubles up to a minute", async () => {
    fail(freeFailures);
    const waits: (number | undefined)[] = [];
    for (let round = 0; round < 8; round++) {
      waits.push((await refusalOf(() => throttle.admit("ada", "192.0.2.1"))).retryAfterS);
      fail(1);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("asking while one waits makes the wait no longer", async () => {
    fail(freeFailures);
    for (let round = 0; round < 50; round++) await refusalOf(() => throttle.admit("ada", "192.0.2.1"));
    timeMs += 2_000;
    throttle.admit("ada", "192.0.2.1");
  });

  test("another name, another address: another count; case makes no other name", async () => {
    fail(freeFailures);
    throttle.admit("bob", "192.0.2.1");
    throttle.admit("ada", "192.0.2.2");
    expect((await refusalOf(() => throttle.admit("ADA", "192.0.2.1"))).code).toBe(401);
  });

  test("success starts the count anew", () => {
    fail(freeFailures - 1);
    throttle.succeeded("Ada", "192.0.2.1");
    fail(freeFailures - 1);
    throttle.admit("ada", "192.0.2.1");
  });

  test("only the last fifteen minutes count", async () => {
    fail(1);
    timeMs += failureWindowMs - 1;
    fail(freeFailures - 1);
    expect((await refusalOf(() => throttle.admit("ada", "192.0.2.1"))).retryAfterS).toBe(2);
    timeMs += 1;
    throttle.admit("ada", "192.0.2.1");
  });

  test("many other pairs push out the oldest", () => {
    fail(freeFailures);
    for (let pair = 0; pair < 10_000; pair++) throttle.failed(`name ${pair}`, "192.0.2.1");
    throttle.admit("ada", "192.0.2.1");
  });

  test("whatever was tried, nobody waits longer than a minute, and few tries get through", () => {
    const property = fc.property(fc.array(fc.nat(20_000), { maxLength: 200 }), (pausesMs) => {
      const fresh = new Throttle({ nowMs: () => 0, monotonicMs: () => timeMs });
      const triedMs: number[] = [];
      for (const pauseMs of pausesMs) {
        timeMs += pauseMs;
        try {
          fresh.admit("ada", "192.0.2.1");
        } catch {
          continue;
        }
        fresh.failed("ada", "192.0.2.1");
        triedMs.push(timeMs);
      }
      // Ten free ones, five while the wait grows, then one a minute.
      for (const [index, startMs] of triedMs.entries()) {
        const tries = triedMs.slice(index).filter((triedAt) => triedAt < startMs + failureWindowMs).length;
        expect(tries).toBeLessThanOrEqual(freeFailures + 5 + failureWindowMs / waitMsMax);
      }
      timeMs += waitMsMax;
      fresh.admit("ada", "192.0.2.1");
    });
    fc.assert(property, { seed: seed(), numRuns: 50 });
  });
});
