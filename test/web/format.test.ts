/** Figures as people read them. The language is that of the machine, so numbers are compared by Intl. */
import { describe, expect, test } from "bun:test";
import {
  changeText,
  count,
  dateFormat,
  dateTime,
  duration,
  narrowCount,
  percent,
  ratio,
  shortCount,
  shortDate,
} from "../../src/web/lib/texts/format.ts";
import { languages } from "../../src/core/languages.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const number = new Intl.NumberFormat();
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const digits = (text: string) => text.replace(/\D/g, "");

test("a format of dates is made once for its options and its language", () => {
  const options = { dateStyle: "medium", timeZone: "UTC" } as const;
  const made = dateFormat(options, "de");
  expect(dateFormat({ ...options }, "de")).toBe(made);
  expect(made.format(0)).toBe("01.01.1970");
  expect(dateFormat(options, "en-GB").format(0)).toBe("1 Jan 1970");
  expect(dateFormat({ ...options, timeZone: "Asia/Tokyo" }, "de").format(-1)).toBe("01.01.1970");
});

test("the words of a date fit a narrow column of a table in every language", () => {
  const noon = Date.parse("2026-11-24T12:00:00Z") / 1_000;
  expect(shortDate(noon, "en-US")).toBe("Nov 24, 2026");
  expect(shortDate(noon, "de")).toBe("24. Nov. 2026");
  for (const code of languages)
    expect(
      Math.max(
        ...shortDate(noon, code)
          .split(/\s/)
          .map(({ length }) => length),
      ),
    ).toBeLessThan(6);
});

test("a narrow window writes counts in full below a million, and short from there on", () => {
  expect(narrowCount(999_999)).toBe(number.format(999_999));
  expect(narrowCount(12_345_678).length).toBeLessThan(number.format(12_345_678).length);
  expect(narrowCount(1_234_567)).toStartWith(decimal.format(1.2));
});

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

describe("a change", () => {
  test("has its sign, and is in points for what is a percentage itself", () => {
    expect(changeText(150, 100, "count")).toBe("+50%");
    expect(changeText(50, 100, "count")).toBe("−50%");
    // A loss has no share.
    expect(changeText(-10, -5, "amount")).toBeUndefined();
    expect(changeText(-10, 5, "amount")).toBe("−300%");
    expect(changeText(100, 100, "count")).toBe("±0%");
    expect(changeText(40, 42.4, "percentage")).toBe("−2 points");
    expect(changeText(8.3, 5.9, "percentage")).toBe(`+${decimal.format(2.4)} points`);
    expect(changeText(24, 23, "percentage")).toBe("+1 point");
  });
  test("is missing without a base; percentages need none", () => {
    expect(changeText(5, 0, "count")).toBeUndefined();
    expect(changeText(0, 0, "count")).toBeUndefined();
    expect(changeText(5, 0, "percentage")).toBe("+5 points");
  });
  test("is that of the exact figures, and none where they are written the same", () => {
    // 1.0 and 1.2.
    expect(changeText(1.15, 1.04, "ratio")).toBe("+11%");
    // 16s and 15s.
    expect(changeText(15_500, 15_490, "duration")).toBe(`+${decimal.format(0.1)}%`);
    expect(changeText(50.6, 40.4, "percentage")).toBe("+11 points");
    expect(changeText(15_490, 14_510, "duration")).toBe("±0%");
    expect(changeText(2.249, 2.151, "ratio")).toBe("±0%");
    expect(changeText(9.6, 9.64, "percentage")).toBe("±0 points");
    expect(changeText(10, 9.6, "percentage")).toBe(`+${decimal.format(0.4)} points`);
  });
  test("that is small has a decimal, and one that is smaller keeps its sign", () => {
    expect(changeText(1_002, 1_000, "count")).toBe(`+${decimal.format(0.2)}%`);
    expect(changeText(999_999, 1_000_000, "count")).toBe(`−${decimal.format(0.1).replace("1", "0")}%`);
    expect(changeText(0.04, 0, "percentage")).toBeUndefined();
    expect(changeText(400, 0, "duration")).toBeUndefined();
  });
  test("is ±0 where both figures read the same, and only there", () => {
    const random = randomFrom(seed());
    const writers = { count, ratio, percentage: percent, duration };
    const formats = ["count", "ratio", "percentage", "duration"] as const;
    for (let round = 0; round < 20_000; round++) {
      const format = formats[round % 4] as (typeof formats)[number];
      const scale = 10 ** Math.floor(random() * (format === "duration" ? 7 : 4));
      const whole = format === "count" || format === "duration";
      const figure = () => (whole ? Math.floor(random() * scale) : Math.round(random() * scale * 100) / 100);
      const before = format === "percentage" ? figure() % 100 : figure();
      const near = before * (1 + (random() - 0.5) / 50);
      const now = random() < 0.5 ? (whole ? Math.round(near) : near) : figure() % 100;
      const text = changeText(now, before, format);
      const [is, was] = [writers[format](now), writers[format](before)];
      if (text === undefined) continue;
      expect({ format, now, before, same: text.startsWith("±") }).toEqual({
        format,
        now,
        before,
        same: is === was,
      });
    }
  });
});

test("times are those of the zone", () => {
  const at = (timeZone: string) =>
    dateTime(Date.parse("2026-03-29T12:00:00Z"), { timeZone, hour: "2-digit", hourCycle: "h23" });
  expect(digits(at("Europe/Berlin"))).toBe("14");
  expect(digits(at("UTC"))).toBe("12");
});
