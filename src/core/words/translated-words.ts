/** The texts of all languages within the program: for the dashboard, which loads them, and for what the server itself writes. */
import { languages } from "../languages.ts";
import type { Names } from "../word-files.ts";
import { embeddedWordFiles } from "../word-files.ts" with { type: "macro" };
import { embedded } from "../embedded.ts";
import { once } from "../../lib/lazy.ts";
import { changeWriter, figureWriters, type Writers } from "./figure-texts.ts";
import { filler, type Places } from "./filler.ts";

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
  return tables.getOrInsertComputed(language, () => tableIn(wordTexts().get(language)));
}

export interface Words {
  readonly language: string;
  /** Returns a text, which is spelt out where this is called, with its {places} filled, and in the form for `n`. */
  readonly t: (text: string, places?: Places<never>) => string;
  /** Returns a text that a table has, such as the name of a country. */
  readonly translated: (text: string) => string;
  readonly write: Writers;
  readonly changeText: ReturnType<typeof changeWriter>;
}

/** Returns the words of a language, as the dashboard has them (`web/lib/texts/words.ts`). */
export function wordsOf(wanted: string): Words {
  const language = languages.includes(wanted) ? wanted : "en";
  const table = tableOf(language);
  // Only pages break words at soft hyphens: terminals and some mail programs show them.
  const translated = (text: string) => (table[text] ?? text).replaceAll("\u00ad", "");
  const fill = filler(language);
  const t: Words["t"] = (text, places = {}) => fill(translated(text), places).join("");
  return {
    language,
    translated,
    t,
    write: figureWriters(language, t),
    changeText: changeWriter(language, t),
  };
}
