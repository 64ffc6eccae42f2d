import { expect, test } from "bun:test";
import { shown } from "../../src/core/refusal.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

/** Says what is shown of a text, by all of it. */
function shownOfAll(text: string): string {
  const safe = JSON.stringify(text)
    .replace(/[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/gu, "\ufffd")
    .toWellFormed();
  return safe.length <= 80 ? safe : `${safe.slice(0, 80).toWellFormed()}…"`;
}

test("of a long text the beginning is shown, without characters that are not seen", () => {
  const random = randomBySeed();
  const characters = ["a", '"', "\\", "\n", "\u0301", "é", "😀", "\u{e0001}", "\ud800", "\u{10ffff}"];
  for (let round = 0; round < rounds(5_000); round++) {
    const length = Math.floor(random() * 200);
    const few = characters.slice(Math.floor(random() * characters.length));
    const text = Array.from({ length }, () => few[Math.floor(random() * few.length)]).join("");
    expect(shown(text)).toBe(shownOfAll(text));
    // The dashboard looks its words up without what is quoted.
    expect(shown(text)).toMatch(/^"(?:[^"\\]|\\.)*"$/);
  }
});

test("a longer text takes no more time", () => {
  const long = "\u0301".repeat(60_000);
  const beforeMs = cpuMs();
  for (let time = 0; time < 100; time++) shown(long);
  expect(cpuMs() - beforeMs).toBeLessThan(100);
});
