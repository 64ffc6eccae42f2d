/**
 * Finds out who reads a website: its account by a session or an API token, or the holder of a link. A request with a link
 * has its rights and no others, whatever cookies come with it. An API token goes before a link: a browser sends none by
 * itself, and a client with one secret for every way in sends it as a link, too.
 */
import { roleOf } from "../../accounts/members.ts";
import { findLink, openLink } from "../../engine/admin/website/links.ts";
import { websiteFor } from "../../engine/admin/websites.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Call, Reader, ReaderRoute } from "../transport/route.ts";
import { requireAccount, secretOf } from "./login.ts";

/** `<id>.<token>` of a link, or the name of a public one. */
export const linkHeader = "footfall-link";
/** The grant that the password of a link was exchanged for. */
export const grantHeader = "footfall-grant";

/** Returns who reads. Throws Refusal 400 for a hostname that is none, 401 without a session or a link's password, and 404. */
export async function requireReader(call: Call, route: ReaderRoute): Promise<Reader> {
  const { request, services } = call;
  const { engine } = services;
  const hostname = call.params["hostname"] ?? "";
  const secret = linkOf(request);
  if (secret !== undefined) {
    const open = () => openLink(engine, hostname, { secret, grant: request.headers.get(grantHeader) ?? "" });
    const { website, link } = open();
    return {
      website,
      filters: link.filters,
      isByLink: true,
      streamsOf: website.userId,
      isAllowed: () => holds(() => open().link === link),
    };
  }
  const { caller, isLive } = await requireAccount(call, "read", route);
  const { userId } = caller;
  const website = websiteFor({ engine, caller, hostname }, "viewer");
  const isMember = () => {
    const now = engine.registry.websites.get(website.websiteId);
    return now !== undefined && roleOf(now, userId) !== undefined;
  };
  return {
    website,
    filters: [],
    isByLink: false,
    streamsOf: userId,
    isAllowed: () => isLive() && isMember(),
  };
}

/** Returns the link of a request, whose password may be missing. Throws Refusal 404. */
export function requireLink({ request, services, params }: Call): ReturnType<typeof findLink> {
  return findLink(services.engine, params["hostname"] ?? "", request.headers.get(linkHeader) ?? "");
}

/** Returns the link by which a request comes, which many strangers may have; undefined for none, and beside a token. */
function linkOf(request: Request): string | undefined {
  return secretOf(request) === undefined ? (request.headers.get(linkHeader) ?? undefined) : undefined;
}

export function isByLink({ request }: Call): boolean {
  return linkOf(request) !== undefined;
}

/** Refuses a request that comes by a link where only accounts may be. `code`: 403 where the route has it. */
export function refuseLink(call: Call, code: 401 | 403): void {
  if (isByLink(call))
    throw new Refusal(code, `${linkHeader}: a link reads the statistics of its website, and nothing else`);
}

/** Returns what `check` says, and false where it refuses. */
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
