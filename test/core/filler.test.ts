/** Texts with places and forms, as the dashboard and mails have them. */
import { expect, test } from "bun:test";
import { filler } from "../../src/core/words/filler.ts";

test("numbers are written as the locale does, and texts as they are", () => {
  expect(filler("de")("{sum} von {name}", { sum: 1_234.5, name: "{sum} $&" }).join("")).toBe(
    "1.234,5 von {sum} $&",
  );
  expect(filler("de", "en-GB")("{sum}", { sum: 1_234 }).join("")).toBe("1,234");
});

test("an element stays what it is", () => {
  const element = { tag: "b" };
  expect(filler("en")("{a} and {b}", { a: element, b: 2 })).toEqual(["", element, " and ", "2", ""]);
});

test("each number has the form of its plural, in the order of those that the language has", () => {
  const forms = "{n} wizyta|{n} wizyty|{n} wizyt|{n} wizyty";
  const fill = filler("pl");
  expect([1, 3, 5, 1.5].map((n) => fill(forms, { n }).join(""))).toEqual([
    "1 wizyta",
    "3 wizyty",
    "5 wizyt",
    "1,5 wizyty",
  ]);
  expect(filler("en")("{n} visit|{n} visits", { n: "1" }).join("")).toBe("1 visit");
});

test("a place without a value stays, and so do forms without a number or without one for it", () => {
  const fill = filler("en");
  expect(fill("{a} of {b}", { b: 2 }).join("")).toBe("{a} of 2");
  expect(fill("{n} visit|{n} visits", {}).join("")).toBe("{n} visit|{n} visits");
  expect(fill("all {n}", { n: 2 }).join("")).toBe("all 2");
});
