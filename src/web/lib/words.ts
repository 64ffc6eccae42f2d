/**
 * The words of the page in its language. The English text in the code is the key to the text in another language, whose
 * table (core/words) is loaded before anything else runs: every text is a constant of the page, and another language
 * begins with a page of its own. A text may have {places}, and forms for the number `n` between bars: {n} visit|{n} visits.
 */

/** The page itself has them; without one, as in tests of texts, everything is in English. */
const inPage = typeof document !== "undefined";
const { languages: codes = "en", words: version = "" } = inPage ? document.documentElement.dataset : {};
export const languages = codes.split(" ");
const key = "footfall.language";

function chosen(): string {
  // A browser may forbid storage. Links are for everybody: their pages follow the browser.
  let own: string | null = null;
  try {
    if (!location.pathname.startsWith("/share/")) own = localStorage.getItem(key);
  } catch {}
  const wanted = [own ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((code) => languages.includes(code)) ?? "en";
}

export const language = inPage ? chosen() : "en";

/** The form of numbers and dates: that of the browser, if it has one of the language, such as `en-GB`. */
export const locale = inPage
  ? (navigator.languages.find((tag) => tag.startsWith(language)) ?? language)
  : "en";

/** Returns the address of a file that the language has. */
export function wordsPath(file: "words" | "definitions"): string {
  return `/dashboard/${file}/${language}.json?${version}`;
}

const words = new Map<string, string>(
  language === "en"
    ? []
    : // The page is better in English than not there.
      await fetch(wordsPath("words"))
        .then(async (answer) => Object.entries((await answer.json()) as Record<string, string>))
        .catch(() => []),
);

const whole = new Intl.NumberFormat(locale);
const plural = new Intl.PluralRules(language);
const categories = ["zero", "one", "two", "few", "many", "other"].filter((name) =>
  plural.resolvedOptions().pluralCategories.some((known) => known === name),
);

/** Returns a text that a table has, such as the label of a metric, in the language of the page. */
export function translated(text: string): string {
  return words.get(text) ?? text;
}

type Places<T> = Readonly<Record<string, T | string | number>>;

/** Returns a sentence with elements in its places, as children of an element. */
export function rich<T>(text: string, places: Places<T>): (T | string)[] {
  const forms = translated(text).split("|");
  const form = forms[categories.indexOf(plural.select(Number(places["n"])))] ?? forms[0] ?? "";
  return form.split(/[{}]/).map((piece, at) => {
    const value = at % 2 === 0 ? piece : (places[piece] ?? "");
    return typeof value === "number" ? whole.format(value) : value;
  });
}

/** Returns a text, which is spelt out where this is called, in the language of the page. */
export function t(text: string, places: Places<never> = {}): string {
  return rich(text, places).join("");
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

if (inPage) {
  document.documentElement.lang = language;
  document.documentElement.dir = t("ltr");
}
