/** Turns a referrer's URL into the value that is stored and filtered by. Nothing else does. */
import { withoutRoot } from "./hostname.ts";
import { parseUrl } from "./url.ts";
import { referrerCharactersMax } from "../hit.ts";

const protocols = new Set(["http:", "https:", "android-app:"]);

/**
 * Returns host and path of a referrer without scheme, port, query, `www.` and trailing slash (`google.com`,
 * `news.ycombinator.com/item`); undefined for anything that is not an http, https or android-app URL. A text of more
 * than 2,048 characters is cut first.
 */
export function normalizeReferrer(text: string): string | undefined {
  const url = parseUrl(text.slice(0, referrerCharactersMax).toWellFormed());
  if (url === null || !protocols.has(url.protocol)) return undefined;
  const host = bareHost(url.hostname);
  return host === "" ? undefined : host + (url.pathname === "/" ? "" : url.pathname.replace(/\/$/, ""));
}

/** Returns the host in lower case, without a leading `www.` and the dots at its end. `www.com` stays: it is no `com`. */
export function bareHost(hostname: string): string {
  const host = withoutRoot(hostname.toLowerCase());
  return host.startsWith("www.") && host.includes(".", 4) ? host.slice(4) : host;
}

/** Returns the host of a normalised referrer. */
export function hostOf(referrer: string): string {
  const slash = referrer.indexOf("/");
  return slash < 0 ? referrer : referrer.slice(0, slash);
}
