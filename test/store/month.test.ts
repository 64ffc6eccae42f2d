import { expect, test } from "bun:test";
import { monthEndMs, monthNumber, monthStartMs } from "../../src/store/chunks/month.ts";
import { randomBySeed } from "../support/seed.ts";

test("the month of a time is found, whichever was asked for before", () => {
  const random = randomBySeed();
  const endMs = Date.UTC(2031, 0);
  for (let step = 0; step < 2_000; step++) {
    const anyMs = Math.floor(random() * endMs);
    const edgeMs = monthEndMs(monthStartMs(anyMs));
    for (const timeMs of [anyMs, edgeMs, edgeMs - 1, edgeMs + 1]) {
      const startMs = Date.parse(`${new Date(timeMs).toISOString().slice(0, 7)}-01T00:00:00Z`);
      expect(monthStartMs(timeMs)).toBe(startMs);
      expect(monthNumber(startMs)).toBe(new Date(timeMs).toISOString().slice(0, 7));
    }
  }
});
