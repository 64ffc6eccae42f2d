/** The English names of languages and countries, from the runtime's own tables. */
import { unknownLabel } from "../../core/questions/dimension.ts";
import { once } from "../../lib/lazy.ts";

const languageNames = once(
  () => new Intl.DisplayNames("en", { type: "language", languageDisplay: "dialect", fallback: "none" }),
);
const countryNames = once(() => new Intl.DisplayNames("en", { type: "region", fallback: "none" }));

/** Browsers of Norwegians send `nb` or `no`, and mean one language. */
const norwegian = /^(?:nb|no)(?=-|$)/;

/** Returns the name of a tag's language: `en-GB` -> `English`. */
export function languageName(tag: string): string {
  return nameOf(languageNames(), baseOf(commonTag(tag)));
}

/**
 * Returns the name of a dialect: `en-GB` -> `British English`. A dialect without a name of its own becomes `German
 * (Luxembourg)`.
 */
export function dialectName(tag: string): string {
  return nameOf(languageNames(), commonTag(tag));
}

/** Returns the name of a country: `DE` -> `Germany`. */
export function countryName(code: string): string {
  return nameOf(countryNames(), code);
}

/** Returns the language of a tag: `en-GB` -> `en`. */
export function baseOf(tag: string): string {
  return tag.split("-", 1)[0]!;
}

/** Returns the tag, and those that mean the same. */
export function sameTags(tag: string): string[] {
  return norwegian.test(tag) ? ["nb", "no"].map((language) => tag.replace(norwegian, language)) : [tag];
}

function commonTag(tag: string): string {
  return tag.replace(norwegian, "no");
}

/** Rows of older imports may have texts that are no codes, for which the runtime throws. */
function nameOf(names: Intl.DisplayNames, code: string): string {
  if (code === "") return unknownLabel;
  try {
    return names.of(code) ?? unknownLabel;
  } catch {
    return unknownLabel;
  }
}
