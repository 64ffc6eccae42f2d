/**
 * The words of the page in its language. The English text in the code is the key to the text in another language, whose
 * table (core/words) comes in two files. The first has the texts of this script and is loaded before anything else runs:
 * each text is then a constant, since another language reloads the page. The second has the names of countries and
 * languages, the texts of the second script, and sentences of the server. It is loaded meanwhile: figures, the second
 * script and errors wait for it. A text may have {places}, and forms for the number `n` between bars: {n} visit|{n} visits.
 */
import { signal } from "@preact/signals";
import { filler, type Places } from "../../../core/words/filler.ts";
import { base } from "../set-up/base.ts";

/** The page itself has them; without one, as in tests of texts, everything is in English. */
const inPage = typeof document !== "undefined";
const { languages: codes = "en", words: version = "" } = inPage ? document.documentElement.dataset : {};
export const languages = codes.split(" ");
const key = "footfall.language";

function chosen(): string {
  // A browser may forbid storage. Links are for everybody: their pages follow the browser.
  let own: string | null = null;
  try {
    if (!location.pathname.startsWith(`${base}/share/`)) own = localStorage.getItem(key);
  } catch {}
  const wanted = own === null ? navigator.languages : [own, ...navigator.languages];
  return bestOf(languages, wanted) ?? "en";
}

/**
 * Returns the language that serves the first of the wanted tags that one serves. Subtags are dropped from the end until
 * there is one, as RFC 4647 looks up: `zh-Hant-TW` gets `zh-Hant`, else `zh`. Then any of the same language does: `pt` and
 * `pt-PT` get `pt-BR` rather than another language. Exported for tests.
 */
export function bestOf(codes: readonly string[], wanted: readonly string[]): string | undefined {
  for (const tag of wanted) {
    for (let part = tag; part !== ""; part = part.slice(0, Math.max(0, part.lastIndexOf("-")))) {
      const found = codes.find((code) => code.toLowerCase() === part.toLowerCase());
      if (found !== undefined) return found;
    }
    const near = codes.find((code) => baseOf(code) === baseOf(tag));
    if (near !== undefined) return near;
  }
  return undefined;
}

function baseOf(tag: string): string {
  return tag.toLowerCase().split("-", 1)[0] ?? "";
}

/** Returns the address of a file that a language has. */
function pathOf(file: string, code: string): string {
  return `/dashboard/${file}/${code}.json?${version}`;
}

type Words = Readonly<Record<string, string>>;
type Table = ReadonlyMap<string, string>;

function tableOf(words: Words = {}): Table {
  return new Map(Object.entries(words));
}

/** Returns a file of a language; an empty one if it does not come: the page is better in English than not there. */
async function loaded<T>(file: "words" | "more", code: string): Promise<Partial<T>> {
  try {
    const response = await fetch(base + pathOf(file, code));
    return response.ok ? ((await response.json()) as T) : {};
  } catch {
    return {};
  }
}

const wanted = inPage ? chosen() : "en";
const words = tableOf(wanted === "en" ? {} : ((await loaded<Words>("words", wanted)) as Words));
/** The second file: the names by dimension, and all other words. */
const more = signal({ words: tableOf(), country: tableOf(), language: tableOf() });

export const language = words.size === 0 ? "en" : wanted;

let loading: Promise<void> | undefined;

/** Loads the words that the first script does not have itself. If they did not come, another call tries again. */
export async function moreWords(): Promise<void> {
  if (language === "en" || more.value.words.size > 0) return;
  loading ??= loaded<Record<keyof typeof more.value, Words>>("more", language).then((own) => {
    loading = undefined;
    more.value = {
      words: tableOf(own.words),
      country: tableOf(own.country),
      language: tableOf(own.language),
    };
  });
  return loading;
}

void moreWords();

/** The form of numbers and dates: that of the browser, if it has one of the language, such as `en-GB`. */
export const locale = inPage
  ? (navigator.languages.find((tag) => `${tag}-`.startsWith(`${language}-`)) ?? language)
  : "en";

export const definitionsPath = pathOf("definitions", language);

/** Returns a text that a table has, such as the label of a metric, in the language of the page. */
export function translated(text: string): string {
  const { words: others, country, language } = more.value;
  return words.get(text) ?? others.get(text) ?? country.get(text) ?? language.get(text) ?? text;
}

/** Returns the English names of countries or languages, each with that in the language of the page. */
export function namesOf(what: "country" | "language"): readonly (readonly [english: string, own: string])[] {
  return [...more.value[what]];
}

/** Fills the places of a sentence that is translated already. */
export const fill = filler(language, locale);

/** Returns a sentence, which is spelt out where this is called, with elements in its places: children of an element. */
export function rich<T>(text: string, places: Places<T>): (T | string)[] {
  return fill(translated(text), places);
}

/** Returns a text, which is spelt out where this is called, in the language of the page. */
export function t(text: string, places: Places<never> = {}): string {
  return rich(text, places).join("");
}

/** Returns a name as it stands within a sentence: in small letters, unless the language gives nouns capitals. */
export function noun(name: string): string {
  return t("lower case") === "lower case" ? name.toLocaleLowerCase(locale) : name;
}

/** Shows the page in the language of the account, if it is another one, from now on. */
export function follow(wanted: string): void {
  try {
    if (localStorage.getItem(key) === wanted) return;
    localStorage.setItem(key, wanted);
    if (wanted !== language) location.reload();
  } catch {
    // The browser forbids storage: its own language stays.
  }
}

/** Whether the language is written from right to left: its word for `ltr` says so. */
export const isRightToLeft = t("ltr") === "rtl";

if (inPage) {
  document.documentElement.lang = language;
  document.documentElement.dir = t("ltr");
}
