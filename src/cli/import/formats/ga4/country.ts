/** The codes of countries by the English names that Google Analytics has for them. */
import { countryCode } from "../../../../query/names/country-codes.ts";

/** Names, in lower case, that are neither those of the runtime nor forms of them. */
const codes: ReadonlyMap<string, string> = new Map([
  ["turkey", "TR"],
  ["czech republic", "CZ"],
  ["hong kong", "HK"],
  ["macao", "MO"],
  ["macau", "MO"],
  ["myanmar", "MM"],
  ["burma", "MM"],
  ["macedonia", "MK"],
  ["macedonia (fyrom)", "MK"],
  ["democratic republic of the congo", "CD"],
  ["republic of the congo", "CG"],
  ["ivory coast", "CI"],
  ["palestine", "PS"],
  ["swaziland", "SZ"],
  ["cabo verde", "CV"],
  ["east timor", "TL"],
  ["federated states of micronesia", "FM"],
  ["falkland islands (islas malvinas)", "FK"],
  ["reunion", "RE"],
  ["sao tome & principe", "ST"],
  ["st. barthelemy", "BL"],
  ["curacao", "CW"],
  ["aland islands", "AX"],
  ["pitcairn", "PN"],
  ["kosovo", "XK"],
]);

/** Returns "" for what is no country, such as `(not set)`. */
export function countryOfGoogle(name: string): string {
  return countryCode(name) ?? commonCode(name) ?? "";
}

function commonCode(name: string): string | undefined {
  const common = name
    .toLowerCase()
    .replaceAll("'", "’")
    .replace(/^the /, "")
    .replace(/^saint /, "st. ")
    .replace(/ (?:and|&) (?:the )?/, " & ");
  return codes.get(common) ?? countryCode(common);
}
