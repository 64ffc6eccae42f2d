/** Changes in mails and webhooks: those of the exact figures, as the dashboard says them. */
import { expect, test } from "bun:test";
import { wordsOf } from "../../src/core/words/translated-words.ts";
import { changeText, figureText } from "../../src/notify/figure-text.ts";

const words = wordsOf("en");

test("a change is that of the exact figures, and none where both are written the same", () => {
  expect(changeText(words, "ratio", 1.15, 1.04)).toBe("+11%");
  expect(changeText(words, "count", 50, 100)).toBe("−50%");
  expect(changeText(words, "percentage", 42.4, 40.4)).toBe("+2 points");
  expect(changeText(words, "duration", 15_400, 14_600)).toBe("±0%");
  expect(changeText(words, "ratio", 1.04, 1.0)).toBe("±0%");
  expect(changeText(words, "percentage", 40.4, 39.6)).toBe("±0 points");
});

test("there is none without a base", () => {
  expect(changeText(words, "count", 5, 0)).toBe("");
  expect(changeText(words, "count", undefined, 5)).toBe("");
  expect(changeText(words, "percentage", 5, 0)).toBe("+5 points");
});

test("an amount has cents where it has some, and a sum of refunds is no base", () => {
  expect(["1234", "1234.5", "-7"].map((sum) => figureText(words, "amount", Number(sum)))).toEqual([
    "1,234",
    "1,234.50",
    "-7",
  ]);
  expect(changeText(words, "amount", 150, 100)).toBe("+50%");
  expect(changeText(words, "amount", 150, -100)).toBe("");
});
