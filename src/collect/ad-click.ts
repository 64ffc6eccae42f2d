/**
 * Tells clicks on advertisements by the identifiers that networks append to the address of a page. Google Ads and Microsoft
 * Advertising do so unless it is switched off, and an owner who relies on that writes no utm values: without this a paid click
 * is a search like any other. Only that there was an identifier counts: it names a single click, and is dropped with the query.
 */

export interface AdClick {
  readonly utm_source: string;
  readonly utm_medium: string;
  /** The number of the campaign in Google Ads; "" where the address has none. */
  readonly utm_campaign: string;
}

interface Network {
  /** The `utm_source` of its clicks: a name that `query/names/channels.ts` knows. */
  readonly source: string;
  /** Parameters that it appends to clicks on advertisements and to no others, as `fbclid` would be. */
  readonly parameters: readonly string[];
  /** The beginnings of its values, where another network has the same parameter. */
  readonly begins?: readonly string[];
}

/**
 * Each from the network's own help for advertisers, November 2026. The first that fits a query is taken. Exported for
 * tests.
 */
export const adNetworks: readonly Network[] = [
  // The last one is on the links of all its advertisements, and names no click: it stays where a browser removes the others.
  { source: "google", parameters: ["gclid", "gbraid", "wbraid", "gad_source"] },
  { source: "bing", parameters: ["msclkid"] },
  { source: "yahoo", parameters: ["yclid"], begins: ["YSS.", "YJAD."] },
  { source: "yandex", parameters: ["yclid"] },
  { source: "tiktok", parameters: ["ttclid"] },
  { source: "linkedin", parameters: ["li_fat_id"] },
  { source: "reddit", parameters: ["rdt_cid"] },
  { source: "x", parameters: ["twclid"] },
  { source: "snapchat", parameters: ["ScCid"] },
];

/** The medium by which Google Analytics and the rules of channels know a paid click. Exported for tests. */
export const adMedium = "cpc";

/** Returns the utm values that a click on an advertisement stands for; undefined if the query is of no such click. */
export function adClickOf(query: URLSearchParams): AdClick | undefined {
  const network = adNetworks.find(({ parameters, begins = [""] }) =>
    parameters.some((name) => {
      const value = query.get(name) ?? "";
      return value !== "" && begins.some((begin) => value.startsWith(begin));
    }),
  );
  if (network === undefined) return undefined;
  const campaign = query.get("gad_campaignid") ?? "";
  return {
    utm_source: network.source,
    utm_medium: adMedium,
    utm_campaign: /^\d{1,20}$/.test(campaign) ? campaign : "",
  };
}
