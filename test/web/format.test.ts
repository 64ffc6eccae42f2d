/** Figures as people read them. The language is that of the machine, so numbers are compared by Intl. */
import { expect, test } from "bun:test";
import {
  change,
  changeText,
  count,
  dateTime,
  duration,
  percent,
  shortCount,
} from "../../src/web/lib/format.ts";

const number = new Intl.NumberFormat();
const digits = (text: string) => text.replace(/\D/g, "");

test("counts are whole, and short from 10,000 on", () => {
  expect(count(1_234_567)).toBe(number.format(1_234_567));
  expect(shortCount(0)).toBe("0");
  expect(shortCount(9_999)).toBe(number.format(9_999));
  expect(digits(shortCount(12_345))).toBe("123");
  expect(shortCount(12_345).length).toBeLessThan(8);
});

test("percentages have a decimal below ten, and something is never nothing", () => {
  expect(digits(percent(0))).toBe("0");
  expect(digits(percent(2.345))).toBe("23");
  expect(digits(percent(42.42))).toBe("42");
  expect(digits(percent(100))).toBe("100");
  expect(digits(percent(-2.345))).toBe("23");
  for (const tiny of [0.01, 0.04]) {
    expect(percent(tiny)).toStartWith("<");
    expect(digits(percent(tiny))).toBe("01");
  }
  expect(percent(0.05)).not.toStartWith("<");
});

test("durations are to the second, in at most two units", () => {
  for (const [ms, text] of [
    [0, "0s"],
    [1, "<1s"],
    [499, "<1s"],
    [500, "1s"],
    [45_000, "45s"],
    [59_499, "59s"],
    [59_500, "1m 00s"],
    [125_000, "2m 05s"],
    [3_599_499, "59m 59s"],
    [3_599_500, "1h 00m"],
    [3_780_000, "1h 03m"],
    [360_000_000, "100h 00m"],
  ] as const)
    expect({ ms, text: duration(ms) }).toEqual({ ms, text });
});

test("a change is relative to what was before, if there was anything", () => {
  expect(change(150, 100)).toBe(50);
  expect(change(50, 100)).toBe(-50);
  expect(change(0, 100)).toBe(-100);
  expect(change(0, 0)).toBe(0);
  expect(change(5, 0)).toBeUndefined();
});

test("a change in words has its sign, and is in points for what is a percentage itself", () => {
  expect(changeText(150, 100, false)).toBe("+50%");
  expect(changeText(50, 100, false)).toBe("−50%");
  expect(changeText(100.2, 100, false)).toBe("±0%");
  expect(changeText(99.8, 100, false)).toBe("±0%");
  expect(changeText(5, 0, false)).toBeUndefined();
  expect(changeText(40, 42.4, true)).toBe("−2 points");
  expect(changeText(5, 0, true)).toBe("+5 points");
  expect(changeText(24, 23, true)).toBe("+1 point");
});

test("times are those of the zone", () => {
  const at = (timeZone: string) =>
    dateTime(Date.parse("2026-03-29T12:00:00Z"), { timeZone, hour: "2-digit", hourCycle: "h23" });
  expect(digits(at("Europe/Berlin"))).toBe("14");
  expect(digits(at("UTC"))).toBe("12");
});
