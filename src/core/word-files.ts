/**
 * Runs as a macro, when the code is bundled or loaded: the words of the dashboard in other languages than English become
 * texts in the program. A language is a JSON file in `words/`, named by its code, from English texts to those of the language.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { embed, type Embedded } from "./embedded.ts";
import { once } from "../lib/lazy.ts";
import { definitions, otherDefinitions } from "./definition.ts";

type Words = Readonly<Record<string, string>>;
type WordFiles = Readonly<
  Record<string, { readonly names: string; readonly words: string; readonly definitions: string }>
>;

const folder = join(import.meta.dir, "words");
const ending = ".json";

/** Returns the codes of all languages, such as `de` or `pt-BR`, English first. */
export function languageCodes(): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(ending));
  return ["en", ...files.map((name) => name.slice(0, -ending.length)).sort()];
}

function wordsOf(code: string): Words {
  return code === "en" ? {} : (JSON.parse(readFileSync(join(folder, code + ending), "utf8")) as Words);
}

/** Returns the English texts of which the languages have words. */
export function translatedTexts(): string[] {
  return [...new Set(languageCodes().flatMap((code) => Object.keys(wordsOf(code))))];
}

const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const pairs = letters.flatMap((first) => letters.map((second) => first + second));
const triples = pairs.flatMap((pair) => letters.map((third) => pair + third));
/** Dialects that have a name of their own; others have the names of a language and a country. */
const dialects =
  "en-GB en-US en-CA en-AU fr-CA fr-CH es-ES es-MX es-419 pt-BR pt-PT de-AT de-CH nl-BE zh-Hans zh-Hant";

const tags = {
  language: [...pairs, ...triples, ...dialects.split(" ")],
  region: pairs.map((pair) => pair.toUpperCase()),
};

function namesOf(code: string, type: keyof typeof tags): (tag: string) => string | undefined {
  const names = new Intl.DisplayNames(code, { type, fallback: "none" });
  return (tag) => names.of(tag);
}

/** The few tags that have a name in English. Asking for that of one which has none takes longest, so they are asked once. */
const named = once(() =>
  (["language", "region"] as const).map((type) => {
    const english = namesOf("en", type);
    const names = tags[type].flatMap((tag) => {
      const name = english(tag);
      return name === undefined ? [] : [[tag, name] as const];
    });
    return { type, names };
  }),
);

/** The names by dimension, from English ones to those of a language: some languages are called as a country. */
export type Names = Readonly<Record<"language" | "country", Words>>;

/** Returns the names of languages and countries, from the runtime's own tables. */
function namesIn(code: string): Names {
  const byDimension = named().map(({ type, names }) => {
    const own = namesOf(code, type);
    const entries = names.flatMap(([tag, name]) => {
      const ownName = own(tag);
      return ownName === undefined ? [] : [[name, ownName] as const];
    });
    return [type === "region" ? "country" : type, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(byDimension) as Names;
}

/**
 * Returns what the page loads, as JSON by language: the names, the words, and the definitions, which are long, by term.
 * English needs no words: they are in the page.
 */
function wordFiles(): WordFiles {
  return Object.fromEntries(
    languageCodes().map((code) => {
      const all = wordsOf(code);
      const inLanguage = (text: string) => all[text] ?? text;
      const terms = [
        ...Object.entries(definitions).map(([term, text]) => [term, { text: inLanguage(text) }] as const),
        ...Object.entries(otherDefinitions).map(
          ([term, { label, text }]) => [term, { label: inLanguage(label), text: inLanguage(text) }] as const,
        ),
      ];
      const texts = [
        ...Object.values(definitions),
        ...Object.values(otherDefinitions).map(({ text }) => text),
      ];
      const words = Object.entries(all).filter(([english]) => !texts.includes(english));
      return [
        code,
        {
          names: JSON.stringify(namesIn(code)),
          words: JSON.stringify(Object.fromEntries(words)),
          definitions: JSON.stringify(Object.fromEntries(terms)),
        },
      ];
    }),
  );
}

export function embeddedWordFiles(): Embedded<WordFiles> {
  return embed(wordFiles());
}

/**
 * Returns a text that is another one whenever one of these files is: it is part of their addresses. `texts`: those that
 * the page loads first.
 */
export function wordsVersion(texts: readonly string[]): string {
  const files = JSON.stringify([wordFiles(), texts]);
  return new Bun.CryptoHasher("sha256").update(files).digest("hex").slice(0, 8);
}
