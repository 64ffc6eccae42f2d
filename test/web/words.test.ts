/** The words of the dashboard: every language has all of them, and no other. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { languages } from "../../src/core/languages.ts";
import { allTexts, serverTexts, textsIn } from "../support/words.ts";

const source = join(import.meta.dir, "../../src");
const texts = allTexts();

function wordsOf(code: string): Record<string, string> {
  return JSON.parse(readFileSync(join(source, "core/words", `${code}.json`), "utf8")) as Record<
    string,
    string
  >;
}

function placesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\w+\}/g)].map(([place]) => place))].sort();
}

test("texts in code are found, and only those that are spelt out are allowed", () => {
  expect(textsIn('t("a"); rich("b {c}", {\n c: t(\n  "it\'s",\n ) }); at("no"); list.t("no");')).toEqual([
    "a",
    "b {c}",
    "it's",
  ]);
  expect(textsIn(`// t("no")\nt('say "a"')`)).toEqual(['say "a"']);
  expect(() => textsIn("t(label)")).toThrow("1 texts of 1 are not spelt out");
});

test("sentences of the server are those that it says", () => {
  const files = ["accounts", "core", "engine", "http", "query-worker"].flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(source, folder, name), "utf8")),
  );
  const said = files.join("\n").replaceAll(/\$\{[^}]*\}/g, "{}");
  for (const text of serverTexts) {
    // The field, and what was expected of it, are put together by badInput.
    const sentence = text.replace(/^[\w.]+: (?:expected )?/, "").replace(/, (?:got|try again in) .*$/, "");
    const parts = sentence.split(/\{\d\}/).filter((part) => part.trim() !== "");
    for (const part of parts) expect(said).toContain(part);
  }
});

test("the dashboard has many", () => {
  expect(texts.length).toBeGreaterThan(600);
});

describe.each(languages.filter((code) => code !== "en"))("%s", (code) => {
  const words = wordsOf(code);

  test("has every text of the dashboard", () => {
    expect(texts.filter((text) => !words[text])).toEqual([]);
  });

  test("has no text that the dashboard does not use", () => {
    expect(Object.keys(words).filter((text) => !texts.includes(text))).toEqual([]);
  });

  test("has the places of each text, and a form for each kind of number where there are forms", () => {
    const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories.length;
    for (const [english, own] of Object.entries(words)) {
      expect([english, placesOf(own)]).toEqual([english, placesOf(english)]);
      expect([english, own.split("|").length]).toEqual([english, english.includes("|") ? forms : 1]);
    }
    expect(["ltr", "rtl"]).toContain(words["ltr"] ?? "");
  });

  test("is named by a code that has numbers and dates of its own", () => {
    expect(Intl.DateTimeFormat.supportedLocalesOf(code)).toEqual([code]);
  });
});
