import { expect, test } from "bun:test";
import { Seldom } from "../../src/lib/seldom.ts";
import { TestClock } from "../support/clock.ts";

test("it is time at first, and again when the time has passed, whatever the wall clock does", () => {
  const clock = new TestClock();
  const seldom = new Seldom(clock, 60_000);
  expect([seldom.isDue(), seldom.isDue()]).toEqual([true, false]);
  clock.advance(59_999);
  clock.set(clock.nowMs() + 1_000_000);
  expect(seldom.isDue()).toBe(false);
  clock.advance(1);
  expect([seldom.isDue(), seldom.isDue()]).toEqual([true, false]);
});
