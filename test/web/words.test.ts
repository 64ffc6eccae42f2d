/** The words of the dashboard: every language has all of them, and no other. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { languages } from "../../src/core/languages.ts";
import { bestOf } from "../../src/web/lib/texts/words.ts";
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

test("German has one word for a thing: alerts and hits are called the same everywhere", () => {
  expect(Object.values(wordsOf("de")).filter((text) => /Alarm|\bHits?\b/.test(text))).toEqual([]);
});

test("a unit of time stays in the line of its number", () => {
  const times = Object.entries(wordsOf("de")).filter(([text]) =>
    /^\{[hms]\}[hms]( \{[ms]\}[ms])?$/.test(text),
  );
  expect(times).toHaveLength(5);
  expect(times.filter(([, german]) => german.includes("} "))).toEqual([]);
});

/** The code of the dashboard's elements. */
function elementsCode(): string {
  const files = readdirSync(join(source, "web"), { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => name.endsWith(".tsx"))
    .map((name) => readFileSync(join(source, "web", name), "utf8"))
    .join("\n");
}

test("German has the case that “Es gab ein Problem mit …” asks for", () => {
  const objects = [...elementsCode().matchAll(/<(?:Pending|Failed)\b[^<]*?\bwhat=\{t\("([^"]*)"/g)].map(
    ([, text = ""]) => text,
  );
  expect(objects.length).toBeGreaterThan(15);
  const german = objects.map((text) => wordsOf("de")[text] ?? text);
  expect(german.filter((text) => !/^(?:de[mnr]|diese[mr]|Ihrem) /.test(text))).toEqual([]);
  expect(wordsOf("de")["the tokens"]).toBe("den Token");
});

test.each(languages)("who says the words on a button finds them in its name: %s", (code) => {
  const words = code === "en" ? {} : wordsOf(code);
  const named = /label=\{t\("([^"]+)"[^<]*?(?:\btext=|>\s*)\{t\("([^"]+)"\)\}/g;
  const buttons = [...elementsCode().matchAll(named)].map(([, name = "", text = ""]) =>
    [words[name] ?? name, words[text] ?? text].map((one) => one.toLowerCase()),
  );
  expect(buttons.length).toBeGreaterThanOrEqual(6);
  const asWords = (text: string) => ` ${text.split(/[^\p{L}]+/u).join(" ")} `;
  expect(buttons.filter(([name = "", text = ""]) => !asWords(name).includes(asWords(text)))).toEqual([]);
});

test("texts in code are found, and only those that are spelt out are allowed", () => {
  expect(textsIn('t("a"); rich("b {c}", {\n c: t(\n  "it\'s",\n ) }); at("no"); list.t("no");')).toEqual([
    "a",
    "b {c}",
    "it's",
  ]);
  expect(textsIn(`// t("no")\nt('say "a"')`)).toEqual(['say "a"']);
  expect(() => textsIn("t(label)")).toThrow("1 texts of 1 are not spelt out");
});

/** The folders whose refusals people meet, without those of requests that only trackers and operators send. */
const spoken = ["accounts", "cli/import", "core", "engine", "http", "notify", "query", "query-worker"];
const unheard = /event|pixel|service|own-statistics|client-address|hit-intake|medama|origin/;

/** The code of the server that says something, with `{}` for what it puts into texts. */
function serverCode(folders: readonly string[], isHeard = (_: string) => true): string {
  const files = folders.flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && isHeard(name))
      .map((name) => readFileSync(join(source, folder, name), "utf8")),
  );
  return files
    .join("\n")
    .replaceAll(/\$\{[^}]*\}/g, "{}")
    .replaceAll(/["`] \+\s+["`]/g, "");
}

/** Returns whether the code's text, with `{}` for anything, can say the sentence, or what was expected in it. */
function canSay(text: string, sentence: string): boolean {
  const bare = (said: string) => said.replace(/^[\w.{}]+: /, "").replace(/^expected /, "");
  const patternOf = (said: string) =>
    new RegExp(`^${RegExp.escape(said.replaceAll(/\d+/g, "{}")).replaceAll("\\{\\}", ".+")}$`);
  const pattern = patternOf(bare(text));
  return (
    patternOf(text).test(sentence) ||
    pattern.test(bare(sentence)) ||
    pattern.test(bare(sentence).replace(/, (?:got|try again in) .*$/, ""))
  );
}

/** Whether a text has words of its own, and not only places for others. */
function hasOwnWords(text: string): boolean {
  return /[a-z]{2,}/.test(text.replaceAll(/expected|got|\{\}/g, "")) && text.includes(" ");
}

test("sentences of the server are those that it says", () => {
  const literals = [...serverCode(spoken).matchAll(/["`]([^"`\n]*)["`]/g)].map(([, text = ""]) => text);
  const said = [...new Set(literals)].filter(hasOwnWords);
  const isSaid = (sentence: string) => said.some((text) => canSay(text, sentence));
  expect(serverTexts.filter((sentence) => !isSaid(sentence))).toEqual([]);
});

test("sentences of the server have a place for each number, as the dashboard looks them up", () => {
  expect(serverTexts.filter((sentence) => /\d/.test(sentence.replaceAll(/\{\d\}/g, "")))).toEqual([
    // The name of a format, which is looked up as it is.
    "the events of Google Analytics 4 in BigQuery",
  ]);
});

test("every sentence with which the server refuses what people do is there", () => {
  const code = serverCode(
    ["accounts", "engine/admin", "query-worker", "engine"],
    (name) => !unheard.test(name),
  );
  const found = [
    ...code.matchAll(/new Refusal\(\s*\w+,\s*["`]([^"`]*)["`]/g),
    ...code.matchAll(/badInput\([^;]*?,\s*["`]([^"`]*)["`],?\s*\)/g),
  ].map(([, text = ""]) => text);
  expect(found.length).toBeGreaterThan(40);
  // Uploads and questions are refused by others. A sentence with a line for the terminal is for the command only.
  const uploaded = serverCode(
    ["cli/import/formats", "cli/import/sums", "http/resources/website", "query/answers"],
    (name) => !unheard.test(name),
  );
  const refused = [...uploaded.matchAll(/new Refusal\(\s*\w+,\s*["`]([^"`]*)["`]/g)].map(
    ([, text = ""]) => text,
  );
  expect(refused.length).toBeGreaterThan(12);
  found.push(...refused.filter((text) => !/\| footfall|Pipe it: /.test(text)));
  const isThere = (text: string) => serverTexts.some((sentence) => canSay(text, sentence));
  const missing = [...new Set(found)].filter((text) => hasOwnWords(text) && !isThere(text));
  expect(missing.toSorted()).toEqual([
    // It lists names of the API, as other refusals do that say nothing else.
    "a filter of {}",
    // The dashboard names no format, and gives no filters to a download.
    "the first line is no header of {}: expected the columns {}",
    "{}: a download takes no filters",
  ]);
});

test.each([
  ["de", ["de-AT", "en"]],
  ["pt-BR", ["pt-BR"]],
  ["pt-BR", ["PT"]],
  ["pt-BR", ["fr", "pt-PT", "de"]],
  ["zh-Hant", ["zh-Hant-TW", "zh"]],
  ["zh", ["zh-TW"]],
  ["fil", ["fil-PH", "en"]],
  ["en", ["fi", "en-GB"]],
  [undefined, ["fi", "", "x"]],
] as const)("%p serves %p", (code, wanted) => {
  expect(bestOf(["en", "de", "fil", "pt-BR", "zh", "zh-Hant"], wanted)).toBe(code);
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
