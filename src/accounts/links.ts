/** How records change the links of a website, and what opens a link. */
import { linkGrantMs, linksMax, type Link } from "../core/website/link.ts";
import type { RecordOf } from "../record/record.ts";
import type { Changes, Website } from "./account.ts";
import { hashOf, sameSecret, signatureOf } from "./token.ts";

/** A link is "taken" if another one has its id, or there are too many. */
export function withLink({ links }: Website, record: RecordOf<"linkAdded">): Changes {
  const { kind, websiteId, timeMs: createdMs, ...link } = record;
  if (links.length >= linksMax || links.some(({ linkId }) => linkId === link.linkId)) return "taken";
  return { links: [...links, { ...link, createdMs }] };
}

export function withoutLink({ links }: Website, { linkId }: RecordOf<"linkRemoved">): Changes {
  const kept = links.filter((link) => link.linkId !== linkId);
  return kept.length === links.length ? "missing" : { links: kept };
}

/** Returns the link that an id and a token open; undefined for a token that is not the link's own. */
export function openedLink(links: readonly Link[], linkId: string, token: string): Link | undefined {
  const link = links.find((each) => each.linkId === linkId);
  if (link === undefined) return undefined;
  return link.tokenHash === null || sameSecret(hashOf(token), link.tokenHash) ? link : undefined;
}

const grantForm = /^(\d{1,12})\.([\w-]{43})$/;

/**
 * Returns what whoever knows the password of a link sends instead of it: `<seconds>.<signature>`. The key of the signature is
 * the hash of the password, so the grant ends with the link, and nothing is kept of it. The link has a password.
 */
export function newGrant(link: Link, nowMs: number): string {
  const seconds = String(Math.floor(nowMs / 1_000));
  return `${seconds}.${signatureOf(claimOf(link, seconds), link.passwordHash ?? "")}`;
}

/** Whether a link can be read with this grant; one without a password needs none. */
export function isGranted(link: Link, grant: string, nowMs: number): boolean {
  if (link.passwordHash === null) return true;
  const [, seconds = "", signed = ""] = grantForm.exec(grant) ?? [];
  const ageMs = nowMs - Number(seconds) * 1_000;
  return (
    seconds !== "" &&
    ageMs < linkGrantMs &&
    sameSecret(signed, signatureOf(claimOf(link, seconds), link.passwordHash))
  );
}

function claimOf({ linkId }: Link, seconds: string): string {
  return `footfall link ${linkId} ${seconds}`;
}
