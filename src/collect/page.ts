/**
 * Takes from the `u` of a hit what is kept of it: hostname, path and utm values. The rest of the query, an ordinary
 * fragment, the port and any credentials are dropped here.
 */
import { utmNames, type UtmName } from "../core/questions/dimension.ts";
import { pathCharactersMax, urlCharactersMax, utmCharactersMax } from "../core/hit.ts";
import { badInput, Refusal } from "../core/refusal.ts";
import { withoutRoot } from "../core/addresses/hostname.ts";
import { isPlainUrl, parseUrl } from "../core/addresses/url.ts";
import { remembering } from "../lib/collections/lru.ts";
import { ownText } from "../lib/texts/own-text.ts";
import { adClickOf } from "./ad-click.ts";

export interface Page {
  /** Lower case, without port. Whether a website has this name is checked elsewhere. */
  readonly hostname: string;
  readonly path: string;
  /** By dimension; "" for none. */
  readonly utm: Readonly<Record<UtmName, string>>;
}

/** The number of pages to cache, and the characters of the longest URL. */
const pagesMax = 4_096;
const cachedCharactersMax = 256;
const cachedPage = remembering(readPage, pagesMax, cachedCharactersMax);

/** Throws Refusal 400 for anything that is not an http or https URL within the limits. */
export function parsePage(text: string): Page {
  return isPlainUrl(text) ? cachedPage(text) : readPage(text);
}

function readPage(text: string): Page {
  if (text.length > urlCharactersMax)
    throw badInput("u", text, `a URL of at most ${urlCharactersMax} characters`);
  const url = parseUrl(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw badInput("u", text, "an http or https URL");
  const path = pathOf(url);
  if (path.length > pathCharactersMax)
    throw badInput("u", path, `a URL whose path has at most ${pathCharactersMax} characters`);
  // `example.com.` with the dot of the root is the same website.
  const hostname = withoutRoot(url.hostname);
  if (hostname === "") throw badInput("u", text, "a URL with a host");
  return { hostname, path, utm: utmOf(url.search) };
}

/** Returns the same; undefined in place of a Refusal. */
export function pageOf(text: string): Page | undefined {
  try {
    return parsePage(text);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Drops one trailing slash. A fragment that a router uses as path (`#/about`, `#!/about`) is part of the path. */
function pathOf({ pathname, hash }: URL): string {
  const routed = hash.startsWith("#/") || hash.startsWith("#!/");
  // A query or a fragment inside the fragment is as private as one before it.
  const path = routed ? pathname + hash.replace(/(?!^)[?#].*$/s, "") : pathname;
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

const utmWhere = (value: (name: UtmName) => string) =>
  Object.fromEntries(utmNames.map((name) => [name, value(name)])) as Page["utm"];
/** The utm values of most pages. */
export const noUtm: Page["utm"] = Object.freeze(utmWhere(() => ""));

function utmOf(search: string): Page["utm"] {
  if (search === "") return noUtm;
  const query = new URLSearchParams(search);
  const utm = utmWhere((name) => ownText((query.get(name) ?? "").slice(0, utmCharactersMax)));
  return utm.utm_medium === "" ? ofAdClick(utm, query) : utm;
}

/** Adds what the identifier of an advertisement's click says. An owner's own tags say more than that, and stay. */
function ofAdClick(utm: Page["utm"], query: URLSearchParams): Page["utm"] {
  const click = adClickOf(query);
  if (click === undefined) return utm;
  const source = utm.utm_source || click.utm_source;
  if (source.toLowerCase() !== click.utm_source) return utm;
  return {
    ...utm,
    ...click,
    utm_source: source,
    utm_campaign: utm.utm_campaign || ownText(click.utm_campaign),
  };
}
