/**
 * The countries that Natural Earth's atlas and the API name differently, or divide differently. Every other country has
 * one name in both.
 */

export type Point = readonly [x: number, y: number];

/**
 * The shapes that the map leaves out. Antarctica would take a fifth of it for a few stations; the other is one shape
 * for two countries, which are among `territories`.
 */
export const leftOut: readonly string[] = ["Antarctica", "Indian Ocean Ter."];

/** The ISO 3166-1 alpha-2 code by the atlas's name. */
export const codes: Readonly<Record<string, string>> = {
  "Antigua and Barb.": "AG",
  "Bosnia and Herz.": "BA",
  "Br. Indian Ocean Ter.": "IO",
  "British Virgin Is.": "VG",
  "Cabo Verde": "CV",
  "Cayman Is.": "KY",
  "Central African Rep.": "CF",
  Congo: "CG",
  "Cook Is.": "CK",
  "Côte d'Ivoire": "CI",
  "Dem. Rep. Congo": "CD",
  "Dominican Rep.": "DO",
  "Eq. Guinea": "GQ",
  eSwatini: "SZ",
  "Faeroe Is.": "FO",
  "Falkland Is.": "FK",
  "Fr. Polynesia": "PF",
  "Fr. S. Antarctic Lands": "TF",
  "Heard I. and McDonald Is.": "HM",
  "Hong Kong": "HK",
  Macao: "MO",
  Macedonia: "MK",
  "Marshall Is.": "MH",
  Myanmar: "MM",
  "N. Mariana Is.": "MP",
  Palestine: "PS",
  "Pitcairn Is.": "PN",
  "S. Geo. and the Is.": "GS",
  "S. Sudan": "SS",
  "Saint Helena": "SH",
  "Saint Lucia": "LC",
  "Solomon Is.": "SB",
  "St-Barthélemy": "BL",
  "St-Martin": "MF",
  "St. Kitts and Nevis": "KN",
  "St. Pierre and Miquelon": "PM",
  "St. Vin. and Gren.": "VC",
  "São Tomé and Principe": "ST",
  "Trinidad and Tobago": "TT",
  Turkey: "TR",
  "Turks and Caicos Is.": "TC",
  "U.S. Virgin Is.": "VI",
  "United States of America": "US",
  Vatican: "VA",
  "W. Sahara": "EH",
  "Wallis and Futuna Is.": "WF",
  Åland: "AX",
  // These have no code of their own: their visitors are counted with the country that has their time zone.
  "Ashmore and Cartier Is.": "AU",
  "N. Cyprus": "CY",
  "Siachen Glacier": "IN",
  Somaliland: "SO",
};

/**
 * Points, in degrees east and north, within territories that have a code of their own but belong to another country in
 * the atlas or are not in it. The polygons around the points are cut from that country; if there are none, the first
 * point becomes a dot.
 */
export const territories: Readonly<Record<string, readonly Point[]>> = {
  BQ: [[-68.3, 12.2]],
  BV: [[3.4, -54.4]],
  CC: [[96.8, -12.2]],
  CX: [[105.6, -10.5]],
  GF: [[-53, 4]],
  GI: [[-5.35, 36.14]],
  GP: [[-61.5, 16.2]],
  MQ: [[-61, 14.7]],
  RE: [[55.5, -21.1]],
  SJ: [
    [16, 78.5],
    [22, 80],
    [22.5, 78],
  ],
  TK: [[-171.8, -9.2]],
  TV: [[179.2, -8.5]],
  UM: [[-177.4, 28.2]],
  YT: [[45.2, -12.8]],
};
