/** Finds the tag of a language that is given by its English names: `English` and `British English` are `en-GB`. */
import { languageOf } from "../../../collect/visitor/language.ts";
import { countryByZone } from "../../../collect/visitor/zones.ts";
import { unknownLabel } from "../../../core/questions/dimension.ts";
import { once } from "../../../lib/lazy.ts";
import { dialectName, languageName } from "../../../query/names/names.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";

/** Languages of browsers whose code has three letters. */
const longer = ["ckb", "fil", "gsw", "yue"] as const;

/** The tags of languages by their names in lower case. */
const tagByLanguage = once(() => {
  const codes = [...letters].flatMap((first) => [...letters].map((second) => first + second));
  const named = [...codes, ...longer].filter((code) => languageName(code) !== unknownLabel);
  // Hebrew has an older code too: a hit has the one that is now.
  const tags = named.map((code) => [languageName(code).toLowerCase(), languageOf(code)] as const);
  // Go's tables have this name for all Norwegian that is not Nynorsk.
  return new Map([...tags, ["norwegian bokmål", "nb"]]);
});

const regions = once(() => ["Hans", "Hant", ...new Set(countryByZone().values()), "419"]);

/** The tags of a language's dialects, by their names in lower case; of those with one name, the first. */
const tagsByDialect = new Map<string, ReadonlyMap<string, string>>();

/** Returns "" for names of no language. */
export function languageTag(language: string, dialect: string): string {
  const base = tagByLanguage().get(language.toLowerCase()) ?? "";
  if (base === "" || dialect === "" || dialect === language) return base;
  return dialectsOf(base).get(dialect.toLowerCase()) ?? base;
}

/** There are as many as languages, whatever a file says. */
function dialectsOf(base: string): ReadonlyMap<string, string> {
  const known = tagsByDialect.get(base);
  if (known !== undefined) return known;
  const tags = regions().map((region) => `${base}-${region}`);
  const named = new Map(tags.toReversed().map((tag) => [dialectName(tag).toLowerCase(), tag]));
  tagsByDialect.set(base, named);
  return named;
}
