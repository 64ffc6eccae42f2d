/** The addresses of the views as text: no state, no browser. */
import { base } from "./set-up/base.ts";

export type Route =
  | { readonly view: "websites" | "settings" | "definitions" | "invitation" | "unknown" }
  | { readonly view: "website" | "live" | "install"; readonly hostname: string }
  /** `link`: the id of a link of the website. */
  | { readonly view: "shared"; readonly hostname: string; readonly link: string };

export const websitesHref = `${base}/`;
export const settingsHref = `${base}/dashboard/settings`;

export const definitionsHref = `${base}/dashboard/definitions`;

/** Returns where the definition of a figure stands among all of them. */
export function definitionHref(term: string): string {
  return `${definitionsHref}#${term}`;
}

/** Returns the address of an invitation. The token is after the hash, which no server log sees. */
export function invitationHref(token: string): string {
  return `${base}/dashboard/invitation#${token}`;
}

export function websiteHref(hostname: string): string {
  return `${base}/dashboard/websites/${encodeURIComponent(hostname)}`;
}

/** Returns the address of a website's set-up view. */
export function installHref(hostname: string): string {
  return `${websiteHref(hostname)}/install`;
}

/** The fragment that leads to the links in a website's set-up view. */
export const shareId = "share";

/** Returns the address of the view of what just happened on a website. */
export function liveHref(hostname: string): string {
  return `${websiteHref(hostname)}/live`;
}

/** Returns the address of a link, without its token. */
export function sharedHref(hostname: string, link: string): string {
  return `${base}/share/${encodeURIComponent(hostname)}/${encodeURIComponent(link)}`;
}

export function routeOf(path: string): Route {
  const parts = path
    .slice(base.length)
    .split("/")
    .filter((part) => part !== "");
  const [dashboard, list, hostname, page] = parts;
  if (dashboard === undefined) return { view: "websites" };
  if (dashboard === "share") return sharedRoute(parts.slice(1));
  if (dashboard !== "dashboard" || parts.length > 4) return { view: "unknown" };
  if (list === undefined) return { view: "websites" };
  if ((list === "settings" || list === "definitions" || list === "invitation") && hostname === undefined)
    return { view: list };
  if (list !== "websites" || hostname === undefined) return { view: "unknown" };
  const decoded = decodedPart(hostname);
  if (decoded === undefined) return { view: "unknown" };
  if (page === undefined) return { view: "website", hostname: decoded };
  return page === "install" || page === "live" ? { view: page, hostname: decoded } : { view: "unknown" };
}

function sharedRoute([host = "", id = "", ...more]: readonly string[]): Route {
  const [hostname, link] = [decodedPart(host), decodedPart(id)];
  if (!hostname || !link || more.length > 0) return { view: "unknown" };
  return { view: "shared", hostname, link };
}

/** Returns what percent-encoding stands for; undefined for what is no such text. */
export function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns a query as people would write it: characters that need no escape stay as they are. Half a surrogate pair,
 * which strangers can send as the name of a property, has no encoding: it becomes the replacement character.
 */
export function encodeSearch(pairs: Iterable<readonly [name: string, value: string]>): string {
  const encode = (text: string) =>
    /^[\w.~/:[\],@-]*$/.test(text)
      ? text
      : encodeURIComponent(text.toWellFormed()).replace(/%(2F|3A|5B|5D|2C|40)/g, (code) =>
          decodeURIComponent(code),
        );
  const text = [...pairs].map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  return text === "" ? "" : `?${text}`;
}
