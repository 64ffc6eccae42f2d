/** Texts as they lie in a dictionary come in the order in which JavaScript has the same strings. */
import { expect, test } from "bun:test";
import { compareText, valueOrder } from "../../src/query/names/text-order.ts";
import { Dictionary } from "../../src/store/values/dictionary.ts";
import { randomBySeed } from "../support/seed.ts";

test("values of a dictionary are ordered as strings are", () => {
  const random = randomBySeed();
  // One of each length in UTF-8, and both sides of every place where UTF-8 and UTF-16 could differ.
  const letters = [
    "a",
    "b",
    "\u007f",
    "\u0080",
    "\u07ff",
    "\u0800",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\u{10000}",
    "\u{10ffff}",
  ];
  const pick = () => letters[Math.floor(random() * letters.length)] as string;
  const values = new Set([""]);
  while (values.size < 300) values.add(Array.from({ length: Math.floor(random() * 5) }, pick).join(""));
  const dictionary = new Dictionary(1_000);
  for (const value of values) dictionary.intern(value);
  const compare = valueOrder(dictionary);
  for (let a = 1; a < dictionary.size; a++)
    for (let b = 1; b < dictionary.size; b++)
      expect(Math.sign(compare(a, b))).toBe(compareText(dictionary.value(a), dictionary.value(b)));
});
