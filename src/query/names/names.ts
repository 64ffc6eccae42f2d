/** What languages and countries are called in English, from the runtime's own tables. */
import { unknownLabel } from "../../core/dimension.ts";
import { once } from "../../lib/lazy.ts";

const languageNames = once(
  () => new Intl.DisplayNames("en", { type: "language", languageDisplay: "dialect", fallback: "none" }),
);
const countryNames = once(() => new Intl.DisplayNames("en", { type: "region", fallback: "none" }));

/** `en-GB` -> `English`. */
export function languageName(tag: string): string {
  return nameOf(languageNames(), baseOf(tag));
}

/** `en-GB` -> `British English`; where nobody has a name for the dialect, `German (Luxembourg)`. */
export function dialectName(tag: string): string {
  return nameOf(languageNames(), tag);
}

/** `DE` -> `Germany`. */
export function countryName(code: string): string {
  return nameOf(countryNames(), code);
}

/** `en-GB` -> `en`. */
export function baseOf(tag: string): string {
  return tag.split("-", 1)[0] as string;
}

function nameOf(names: Intl.DisplayNames, code: string): string {
  return (code === "" ? undefined : names.of(code)) ?? unknownLabel;
}
