/**
 * Tells whether a page of this server had a browser ask for a change, or somebody else's that relies on the cookie being
 * sent along. `SameSite=Lax` keeps the cookie from other sites, not from sibling subdomains. What is no browser sends neither
 * `Origin` nor `Sec-Fetch-Site`, and is not asked.
 */
import { Refusal, shown } from "../../core/refusal.ts";
import { parseUrl } from "../../core/addresses/url.ts";
import type { VisitorCall } from "../transport/route.ts";

/** The values of `Sec-Fetch-Site` for a page of this origin, and for no page at all. */
const ownSites = ["same-origin", "none"];

/**
 * Throws a Refusal of that code where `Sec-Fetch-Site` or `Origin` is there and not ours. Ours is the host that the
 * request came to: `Host`, and `X-Forwarded-Host` where the peer is a trusted proxy.
 */
export function requireOwnOrigin({ request, services }: VisitorCall, code: 400 | 403): void {
  const { headers } = request;
  const site = headers.get("sec-fetch-site");
  if (site !== null && !ownSites.includes(site))
    throw new Refusal(code, `Sec-Fetch-Site: expected ${ownSites.join(" or ")}, got ${shown(site)}`);
  // The browser itself says so, and no page can: it needs no look at names that a proxy may have changed.
  if (site !== null) return;
  const origin = headers.get("origin");
  if (origin === null) return;
  const forwarded = services.senderOf(request).isPeerTrusted ? headers.get("x-forwarded-host") : null;
  const host = headers.get("host") ?? URL.parse(request.url)?.host ?? "";
  if ([host, ...(forwarded?.split(",") ?? [])].some((own) => isOf(origin, own.trim()))) return;
  throw new Refusal(
    code,
    `Origin: expected a page of ${shown(host)}, got ${shown(origin)}; a proxy has to pass on Host or X-Forwarded-Host`,
  );
}

/** Whether an origin is that of a page on a host; the default port of the scheme may be left out. */
function isOf(origin: string, host: string): boolean {
  const { protocol, host: asked } = parseUrl(origin) ?? {};
  const isPage = protocol === "http:" || protocol === "https:";
  return isPage && parseUrl(`${protocol}//${host}`)?.host === asked;
}
