/** Finds the tag of a language that is given by its English names: `English` and `British English` are `en-GB`. */
import { countryByZone } from "../../../collect/zones.ts";
import { unknownLabel } from "../../../core/dimension.ts";
import { once } from "../../../lib/lazy.ts";
import { dialectName, languageName } from "../../../query/names/names.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";

/** The tags of all languages with two letters, by their names in lower case. */
const tagByLanguage = once(() => {
  const codes = [...letters].flatMap((first) => [...letters].map((second) => first + second));
  const named = codes.filter((code) => languageName(code) !== unknownLabel);
  return new Map(named.map((code) => [languageName(code).toLowerCase(), code]));
});

const regions = once(() => ["Hans", "Hant", ...new Set(countryByZone().values()), "419"]);
const tagByDialect = new Map<string, string>();

/** Returns "" for names of no language. */
export function languageTag(language: string, dialect: string): string {
  const base = tagByLanguage().get(language.toLowerCase()) ?? "";
  if (base === "" || dialect === "" || dialect === language) return base;
  const key = `${base} ${dialect.toLowerCase()}`;
  const known = tagByDialect.get(key);
  if (known !== undefined) return known;
  const region = regions().find(
    (region) => dialectName(`${base}-${region}`).toLowerCase() === dialect.toLowerCase(),
  );
  const tag = region === undefined ? base : `${base}-${region}`;
  tagByDialect.set(key, tag);
  return tag;
}
