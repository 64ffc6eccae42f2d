/** Attempts: each failure of one message doubles the wait for the next, and nothing is remembered for good. */
import { expect, test } from "bun:test";
import type { Website } from "../../src/accounts/registry/registry.ts";
import { createLogger } from "../../src/lib/log.ts";
import { Attempts } from "../../src/notify/sending/attempts.ts";
import { SendError } from "../../src/notify/sending/webhook-target.ts";
import { TestClock } from "../support/clock.ts";
import { hourMs, minuteMs } from "../support/told.ts";

test("a message that is not tried any more is forgotten, with all its failures", async () => {
  const clock = new TestClock();
  const waits: number[] = [];
  const logger = createLogger({
    level: "warn",
    format: "json",
    nowMs: () => 0,
    write: (line) => waits.push((JSON.parse(line) as { minutes: number }).minutes),
  });
  const attempts = new Attempts({ clock, logger });
  const website = { hostname: "example.com" } as Website;
  const fail = (key: string) =>
    attempts.make(key, website, () => Promise.reject(new SendError("it is away", false)));
  for (let round = 0; round < 20; round++) {
    await fail("1 1");
    expect(attempts.mayTry("1 1")).toBe(false);
    clock.advance((waits.at(-1) ?? 0) * minuteMs);
    expect(attempts.mayTry("1 1")).toBe(true);
  }
  expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  // It is tried as soon as it may be, so one that is not is gone.
  clock.advance(hourMs - minuteMs);
  await fail("1 2");
  await fail("1 1");
  expect(waits.slice(-2)).toEqual([1, 60]);
  clock.advance(2 * hourMs + minuteMs);
  await fail("1 2");
  await fail("1 1");
  expect(waits.slice(-2)).toEqual([1, 1]);
});
