/** The texts of all languages within the program: for the dashboard, which loads them, and for what the server itself writes. */
import { languages } from "../languages.ts";
import type { Names } from "../word-files.ts";
import { embeddedWordFiles } from "../word-files.ts" with { type: "macro" };
import { embedded } from "../embedded.ts";
import { once } from "../../lib/lazy.ts";

/** The files of each language, by its code. The macro is called when somebody asks, so that the texts are read only then. */
export const wordTexts = once(() => new Map(Object.entries(embedded(embeddedWordFiles()))));

/** Returns the words and the names of a language as one table; an empty one without a language. */
function tableIn(texts?: {
  readonly names: string;
  readonly words: string;
}): Readonly<Record<string, string>> {
  const { language, country } = JSON.parse(texts?.names ?? "{}") as Partial<Names>;
  return { ...language, ...country, ...JSON.parse(texts?.words ?? "{}") };
}

const tables = new Map<string, Readonly<Record<string, string>>>();

function tableOf(language: string): Readonly<Record<string, string>> {
  const known = tables.get(language) ?? tableIn(wordTexts().get(language));
  tables.set(language, known);
  return known;
}

export interface Words {
  readonly language: string;
  /** Returns a text, which is spelt out where this is called, with its {places} filled, and in the form for `n`. */
  readonly t: (text: string, places?: Readonly<Record<string, string | number>>) => string;
  /** Returns a text that a table has, such as the name of a country. */
  readonly translated: (text: string) => string;
  readonly number: (value: number) => string;
}

/** Returns the words of a language, as the dashboard has them (`web/lib/texts/words.ts`). */
export function wordsOf(wanted: string): Words {
  const language = languages.includes(wanted) ? wanted : "en";
  const table = tableOf(language);
  const translated = (text: string) => table[text] ?? text;
  const whole = new Intl.NumberFormat(language);
  const plural = new Intl.PluralRules(language);
  const { pluralCategories } = plural.resolvedOptions();
  const categories = ["zero", "one", "two", "few", "many", "other"].filter((name) =>
    pluralCategories.some((known) => known === name),
  );
  return {
    language,
    translated,
    number: (value) => whole.format(value),
    t: (text, places = {}) => {
      const own = translated(text);
      const form =
        "n" in places ? (own.split("|")[categories.indexOf(plural.select(Number(places["n"])))] ?? own) : own;
      return form.replace(/\{(\w+)\}/g, (place, name: string) => {
        const value = places[name] ?? place;
        return typeof value === "number" ? whole.format(value) : value;
      });
    },
  };
}
