/** Turns a hit of one of a website's other hostnames into a hit of the website. */
import { bareHost, normalizeReferrer } from "../core/addresses/referrer.ts";
import type { Hit } from "./hit.ts";
import { hostOf } from "./spam.ts";

interface Hostnames {
  /** The name of the website. */
  readonly hostname: string;
  /** Its other hostnames, without `www.`. */
  readonly aliases: readonly string[];
}

/**
 * Returns the hit as the website counts it. A page of another hostname has it in its path, as a link without a scheme would
 * (`//shop.example.com/cart`, RFC 3986, 4.2). Browsers keep what they know of a visitor apart for each site: whoever comes
 * from one of the website's hostnames to another is no new visitor, though the browser knows nothing there.
 */
export function ofWebsite(hit: Hit, { hostname, aliases }: Hostnames): Hit {
  if (aliases.length === 0 || hit.kind === "unload") return hit;
  const own = bareHost(hit.hostname);
  const isAlias = aliases.includes(own);
  const page = hit.page && isAlias ? { ...hit.page, path: `//${own}${hit.page.path}` } : hit.page;
  if (hit.kind === "event") return { ...hit, page };
  const before = hostOf(normalizeReferrer(hit.referrer) ?? "");
  const comesFromOther = before !== own && [bareHost(hostname), ...aliases].includes(before);
  return { ...hit, page: page ?? hit.page, unique: hit.unique && !comesFromOther };
}

/** Returns the hostname by which a tracker asks whether a browser is new, which is the same for all that a website has. */
export function askedAs(asked: string, website: Hostnames | undefined): string {
  return website?.aliases.includes(bareHost(asked)) ? website.hostname.replace(/^www\./, "") : asked;
}
