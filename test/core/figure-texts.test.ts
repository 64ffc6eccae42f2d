/** Figures and their changes in mails, webhooks and the dashboard, which write them by the same code. */
import { expect, test } from "bun:test";
import { wordsOf } from "../../src/core/words/translated-words.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const { write, changeText } = wordsOf("en");

test("figures read as in the dashboard", () => {
  expect([write.percentage(2.6), write.percentage(0.01), write.percentage(42.4)]).toEqual([
    "2.6%",
    "<0.1%",
    "42%",
  ]);
  expect([write.ratio(2), write.duration(400), write.duration(3_780_000)]).toEqual(["2.0", "<1s", "1h 03m"]);
  const german = wordsOf("de");
  expect([german.write.amount(1234.5), german.write.percentage(2.6)]).toEqual(["1.234,50", "2,6\u00a0%"]);
  expect(german.changeText(2.6, 2.5, "percentage")).toMatch(/^\+0,1\s%\u2011Pkt\.$/);
});

test("words of mails have no soft hyphens", () => {
  expect(wordsOf("de").translated("Bounce rate")).toBe("Absprungrate");
});

test("a change is that of the exact figures, and none where both are written the same", () => {
  expect(changeText(1.15, 1.04, "ratio")).toBe("+11%");
  expect(changeText(50, 100, "count")).toBe("−50%");
  expect(changeText(15_400, 14_600, "duration")).toBe("±0%");
  expect(changeText(1.04, 1.0, "ratio")).toBe("±0%");
  expect(changeText(40.4, 39.6, "percentage")).toBe("±0 points");
});

test("points are those between the two percentages as they are written", () => {
  // 25% and 27%, 11% and 10%: the exact figures are 1.1 and 0.2 points from each other.
  expect(changeText(25.4, 26.5, "percentage")).toBe("−2 points");
  expect(changeText(10.6, 10.4, "percentage")).toBe("+1 point");
  expect(changeText(9.94, 10.4, "percentage")).toBe("−0.1 points");
  const random = randomFrom(seed());
  for (let round = 0; round < 5_000; round++) {
    const figure = () => Math.round(random() * (round % 2 === 0 ? 10_000 : 2_000)) / 100;
    const [now, before] = [figure(), figure()];
    const [is, was] = [now, before].map((value) => Number.parseFloat(write.percentage(value)));
    if (is === undefined || was === undefined || Number.isNaN(is) || Number.isNaN(was)) continue;
    const text = changeText(now, before, "percentage") ?? "";
    const moved = Number.parseFloat(text.replace("−", "-").replace("±", ""));
    // A change of ten or more has no decimal, whatever a percentage below ten has.
    const exact = Math.abs(is - was) < 9.95;
    const off = Math.abs(moved - (is - was));
    expect({ now, before, text, is: off < (exact ? 0.01 : 0.51) }).toEqual({ now, before, text, is: true });
  }
});

test("there is none without a base", () => {
  expect(changeText(5, 0, "count")).toBeUndefined();
  expect(changeText(5, 0, "percentage")).toBe("+5 points");
});

test("an amount has cents where it has some, and a sum of refunds is no base", () => {
  expect([1234, 1234.5, -7].map((sum) => write.amount(sum))).toEqual(["1,234", "1,234.50", "-7"]);
  expect(changeText(150, 100, "amount")).toBe("+50%");
  expect(changeText(150, -100, "amount")).toBeUndefined();
});
