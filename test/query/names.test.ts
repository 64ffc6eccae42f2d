import { expect, test } from "bun:test";
import { formsOf } from "../../src/query/names/forms.ts";
import { baseOf, countryName, dialectName, languageName } from "../../src/query/names/names.ts";

test("a language has a base name and a dialect name, in English", () => {
  const table = [
    ["en", "English", "English"],
    ["en-GB", "English", "British English"],
    ["pt-BR", "Portuguese", "Brazilian Portuguese"],
    ["de-LU", "German", "German (Luxembourg)"],
    ["zh-Hans", "Chinese", "Simplified Chinese"],
    ["sr-Latn-RS", "Serbian", "Serbian (Latin, Serbia)"],
    ["nb", "Norwegian", "Norwegian"],
    ["no", "Norwegian", "Norwegian"],
    ["nb-NO", "Norwegian", "Norwegian (Norway)"],
    ["no-NO", "Norwegian", "Norwegian (Norway)"],
    ["nn-NO", "Norwegian Nynorsk", "Norwegian Nynorsk (Norway)"],
    ["nbl", "South Ndebele", "South Ndebele"],
    ["", "Unknown", "Unknown"],
  ] as const;
  for (const [tag, base, dialect] of table) {
    expect(languageName(tag)).toBe(base);
    expect(dialectName(tag)).toBe(dialect);
  }
});

test("the base of a tag is its first part", () => {
  expect(["en-GB", "en", "zh-Hant-TW", ""].map(baseOf)).toEqual(["en", "en", "zh", ""]);
});

test("both tags of Norwegian are one language to a filter", () => {
  for (const tag of ["nb-NO", "no-NO"])
    expect(formsOf("language")(tag)).toEqual([
      ...["nb-no", "nb", "no-no", "no"],
      ...["norwegian", "norwegian (norway)"],
    ]);
  expect(formsOf("language")("en-GB")).toEqual(["en-gb", "en", "english", "british english"]);
});

test("a country has its English name, Unknown where there is none", () => {
  expect(["DE", "BR", "GB", "", "QQ"].map(countryName)).toEqual([
    "Germany",
    "Brazil",
    "United Kingdom",
    "Unknown",
    "Unknown",
  ]);
});

test("a text that is no code of a country and no tag of a language is unknown", () => {
  const texts = ["Germany", "en_GB", "d", "de-", "*", "a b", "-", "é"];
  expect(texts.map(countryName)).toEqual(texts.map(() => "Unknown"));
  expect(texts.map(dialectName)).toEqual(texts.map(() => "Unknown"));
  expect(["en_GB", "d", "*", "-"].map(languageName)).toEqual(["Unknown", "Unknown", "Unknown", "Unknown"]);
  expect(formsOf("country")("Germany")).toEqual(["unknown"]);
  expect(formsOf("language")("en_GB")).toEqual(["en_gb", "en_gb", "unknown", "unknown"]);
});
