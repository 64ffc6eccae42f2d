/** The codes of countries by what people call them, for all countries that a time zone tells. */
import { countryByZone } from "../../collect/visitor/zones.ts";
import { unknownLabel } from "../../core/questions/dimension.ts";
import { once } from "../../lib/lazy.ts";
import { countryName } from "./names.ts";

const codeByName = once(() => {
  const codes = [...new Set(countryByZone().values())];
  const named = (code: string) =>
    [code, countryName(code)].map((name) => [name.toLowerCase(), code] as const);
  return new Map([...codes.flatMap(named), [unknownLabel.toLowerCase(), ""]]);
});

/**
 * Returns the code of a country that is given by its English name or its code, in any case: `germany` -> `DE`. `Unknown`
 * is "". Returns undefined for what is no country.
 */
export function countryCode(name: string): string | undefined {
  return codeByName().get(name.toLowerCase());
}
