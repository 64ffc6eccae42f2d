import { expect, test } from "bun:test";
import { SharedTexts } from "../../src/lib/collections/shared-texts.ts";
import { randomBySeed } from "../support/seed.ts";

test("each text is there once, under one number, as long as somebody holds it", () => {
  const random = randomBySeed();
  const texts = new SharedTexts();
  const held: { text: string; number: number }[] = [];
  for (let step = 0; step < 5_000; step++) {
    if (random() < (step % 1_000 < 500 ? 0.7 : 0.3)) {
      const text = `text ${Math.floor(random() ** 2 * 200)}`;
      held.push({ text, number: texts.hold(text) });
    } else {
      const [gone] = held.splice(Math.floor(random() * held.length), 1);
      texts.release(gone?.number ?? 0);
    }
    const numbers = new Map(held.map(({ text, number }) => [text, number]));
    expect(texts.size).toBe(numbers.size);
    expect(new Set(numbers.values()).size).toBe(numbers.size);
    const some = held[Math.floor(random() * held.length)];
    if (some !== undefined)
      expect([texts.textOf(some.number), numbers.get(some.text)]).toEqual([some.text, some.number]);
  }
  for (const { number } of held) texts.release(number);
  expect(texts.size).toBe(0);
});
