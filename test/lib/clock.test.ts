import { expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";

test("the wall clock is in whole milliseconds since 1970", () => {
  const nowMs = systemClock.nowMs();
  expect(Number.isSafeInteger(nowMs)).toBe(true);
  expect(Math.abs(nowMs - new Date().getTime())).toBeLessThan(1_000);
});

test("the monotonic clock counts milliseconds and never goes back", async () => {
  const times = [systemClock.monotonicMs()];
  await Bun.sleep(20);
  for (let count = 0; count < 1_000; count++) times.push(systemClock.monotonicMs());
  expect(times.toSorted((a, b) => a - b)).toEqual(times);
  expect((times[1] as number) - (times[0] as number)).toBeWithin(15, 1_000);
});
