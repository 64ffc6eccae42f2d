import { expect, test } from "bun:test";
import { countryOfGoogle } from "../../../src/cli/import/formats/ga4/country.ts";

/** Names as Google writes them, or wrote them, by the code of the country. */
const countries: Readonly<Record<string, readonly string[]>> = {
  US: ["United States"],
  TR: ["Türkiye", "Turkey"],
  CZ: ["Czechia"],
  CI: ["Côte d'Ivoire"],
  HK: ["Hong Kong"],
  MO: ["Macao"],
  MM: ["Myanmar (Burma)"],
  MK: ["North Macedonia"],
  CD: ["Congo - Kinshasa", "Democratic Republic of the Congo"],
  CG: ["Congo - Brazzaville"],
  LC: ["St. Lucia"],
  VC: ["Saint Vincent and the Grenadines"],
  BA: ["Bosnia and Herzegovina"],
  TT: ["Trinidad & Tobago"],
  BS: ["The Bahamas"],
  SX: ["Sint Maarten"],
  MF: ["St. Martin", "Saint Martin"],
  GM: ["Gambia", "The Gambia"],
  SZ: ["Eswatini", "Swaziland"],
  FK: ["Falkland Islands (Islas Malvinas)"],
  CW: ["Curaçao"],
  ST: ["São Tomé & Príncipe", "Sao Tome and Principe"],
  TW: ["Taiwan"],
  MD: ["Moldova"],
  VI: ["U.S. Virgin Islands"],
  PS: ["Palestine"],
  XK: ["Kosovo"],
  RE: ["Réunion"],
  KR: ["South Korea"],
  "": ["(not set)", ""],
};

test("countries are known by Google's names", () => {
  for (const [code, own] of Object.entries(countries))
    expect(own.map((name) => countryOfGoogle(name))).toEqual(own.map(() => code));
});
