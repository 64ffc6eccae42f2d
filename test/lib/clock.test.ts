import { expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";

test("the wall clock is in whole milliseconds since 1970", () => {
  const beforeMs = Date.now();
  const nowMs = systemClock.nowMs();
  expect(Number.isSafeInteger(nowMs)).toBe(true);
  expect(nowMs).toBeWithin(beforeMs, Date.now() + 1);
});

test("the monotonic clock counts milliseconds and never goes back", async () => {
  const startNs = Bun.nanoseconds();
  const times = [systemClock.monotonicMs()];
  await Bun.sleep(20);
  for (let count = 0; count < 1_000; count++) times.push(systemClock.monotonicMs());
  expect(times.toSorted((a, b) => a - b)).toEqual(times);
  const passedMs = (Bun.nanoseconds() - startNs) / 1e6;
  expect((times[1] as number) - (times[0] as number)).toBeWithin(15, passedMs + 1);
});
