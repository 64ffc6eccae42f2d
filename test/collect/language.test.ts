import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { languageOf } from "../../src/collect/visitor/language.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

describe("languageOf", () => {
  test.each([
    ["en", "en"],
    ["en-GB", "en-GB"],
    ["EN-us", "en-US"],
    ["en-GB,en;q=0.9", "en-GB"],
    ["de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "de-DE"],
    ["en;q=0.8,de", "de"],
    ["en;q=0.8, de;q=0.9 , fr;q=0.1", "de"],
    ["en;q=0.8,de;q=0.8", "en"],
    ["en;q=0,de;q=0.1", "de"],
    ["en ; q = 0.5 , de", "de"],
    ["en;Q=0.5,de;q=0.6", "de"],
    ["zh-TW", "zh-TW"],
    ["zh-hant-tw", "zh-Hant-TW"],
    ["sr-Latn-RS", "sr-Latn-RS"],
    ["es-419", "es-419"],
    ["iw", "he"],
    ["en-US-u-ca-buddhist", "en-US"],
    ["en-US-x-private", "en-US"],
    ["de-CH-1996", "de-CH"],
    ["tlh", "tlh"],
    // Nothing that a visitor can make up stays.
    ["en-XZ", "en"],
    ["en-Abcd-GB", "en-GB"],
    // A weight that is none does not count.
    ["de;q=high,en;q=0.2", "en"],
    ["de;q=7,en;q=0.2", "en"],
    ["de;q=-1,en;q=0.2", "en"],
    [",,en", "en"],
  ])("%p is %p", (header, tag) => {
    expect(languageOf(header)).toBe(tag);
  });

  test.each([
    "",
    "*",
    "*,en;q=0.5",
    "en_US,en;q=0.5",
    "xx",
    "qaa-DE",
    "und",
    "C",
    "x-private",
    "en;q=0",
    ";q=1",
    "123",
    "en-",
    "\u0000",
  ])("%p is none", (header) => {
    expect(languageOf(header)).toBe("");
  });

  test("never throws, is canonical, and is a fixed point", () => {
    const headers = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}(;q=[01](\.\d)?)?(,[a-z]{2};q=0\.\d){0,3}$/),
    );
    fc.assert(
      fc.property(headers, (header) => {
        const tag = languageOf(header);
        expect(tag).toMatch(/^$|^[a-z]{2,8}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/);
        expect(languageOf(tag)).toBe(tag);
      }),
      { seed: seed(), numRuns: rounds(1_000) },
    );
  });
});
