/** Fills the texts of a language, in browsers as in the server: {places} get values, and of forms for a number one is taken. */

export type Places<T> = Readonly<Record<string, T | string | number>>;

/**
 * Returns a function that fills the places of a text in `language`, with whole numbers as `locale` writes them. It returns
 * the text in pieces, which may be elements. Forms between bars, {n} visit|{n} visits, are in the order of the plurals that
 * the language has. A place without a value stays, and so do forms without `n`.
 */
export function filler(language: string, locale = language) {
  const whole = new Intl.NumberFormat(locale);
  const plural = new Intl.PluralRules(language);
  const { pluralCategories } = plural.resolvedOptions();
  const categories = ["zero", "one", "two", "few", "many", "other"].filter((name) =>
    pluralCategories.some((known) => known === name),
  );
  const formOf = (text: string, n: number) => text.split("|")[categories.indexOf(plural.select(n))] ?? text;
  return <T = never>(text: string, places: Places<T>): (T | string)[] => {
    const form = "n" in places ? formOf(text, Number(places["n"])) : text;
    return form.split(/[{}]/).map((piece, at) => {
      const value = at % 2 === 0 ? piece : (places[piece] ?? `{${piece}}`);
      return typeof value === "number" ? whole.format(value) : value;
    });
  };
}
