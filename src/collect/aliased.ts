/** Turns a hit of one of a website's hostnames into a hit of the website. */
import { bareHost, hostOf, normalizeReferrer } from "../core/addresses/referrer.ts";
import type { Hit } from "./hit.ts";
import type { Page } from "./page.ts";

interface Hostnames {
  /** The name of the website. */
  readonly hostname: string;
  /** Its other hostnames, without `www.`. */
  readonly aliases: readonly string[];
  readonly visits: boolean;
}

/**
 * Returns what stands before the path of a page: a page of another hostname has it in its path, as a link without a scheme
 * would (`//shop.example.com/cart`, RFC 3986, 4.2). `host`: without `www.`.
 */
export function hostPathOf(host: string, aliases: readonly string[]): string {
  return aliases.includes(host) ? `//${host}` : "";
}

/**
 * Returns the hit as the website counts it. Browsers know of each hostname alone who was there: a visitor who is new to one
 * of them may be known to the website. A visit that goes on tells that, and without visits a link from one to the other.
 */
export function ofWebsite(hit: Hit, { hostname, aliases, visits }: Hostnames): Hit {
  if (aliases.length === 0 || hit.kind === "unload") return hit;
  const own = bareHost(hit.hostname);
  const hostPath = hostPathOf(own, aliases);
  const placed = (page: Page) => (hostPath === "" ? page : { ...page, path: hostPath + page.path });
  if (hit.kind === "event") return { ...hit, page: hit.page && placed(hit.page) };
  const before = hostOf(normalizeReferrer(hit.referrer) ?? "");
  const comesFromOther = before !== own && [bareHost(hostname), ...aliases].includes(before);
  const load = { ...hit, page: placed(hit.page) };
  return visits
    ? { ...load, mayBeKnown: hostPath !== "" || comesFromOther }
    : { ...load, unique: hit.unique && !comesFromOther };
}
