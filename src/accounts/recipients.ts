/**
 * The links of mails, by which the owner of an address confirms it or leaves: `<website>.<secret>`. Only hashes are kept of
 * the secret of a confirmation. That of leaving follows from the address and a key of the website, so that each mail has the
 * same, also where the address was removed and came back in between.
 */
import { isExpired, type Recipient } from "../core/website/subscription.ts";
import type { Website } from "./account.ts";
import { hashOf, sameSecret, signatureOf } from "./token.ts";

export interface Found {
  readonly website: Website;
  readonly recipient: Recipient;
}

/** Returns who is asked to confirm by this; undefined for what is not valid, or too old. */
export function foundToConfirm(
  websites: ReadonlyMap<number, Website>,
  token: string,
  nowMs: number,
): Found | undefined {
  return found(
    websites,
    token,
    (recipient, secret) =>
      !isExpired(recipient, nowMs) &&
      recipient.tokenHash !== null &&
      sameSecret(hashOf(secret), recipient.tokenHash),
  );
}

/** Returns who leaves by this; undefined for what is not valid, and for whoever has left. */
export function foundToLeave(websites: ReadonlyMap<number, Website>, token: string): Found | undefined {
  return found(websites, token, ({ address, tokenHash }, secret, { leavingKey }) =>
    // Mails were sent with the second before websites had a key.
    [leavingKey, tokenHash ?? ""].some(
      (key) => key !== "" && sameSecret(secret, leavingSecret(address, key)),
    ),
  );
}

/** Returns the words by which a recipient who was asked leaves. */
export function leavingToken({ websiteId, leavingKey }: Website, { address, tokenHash }: Recipient): string {
  return `${websiteId}.${leavingSecret(address, leavingKey || (tokenHash ?? ""))}`;
}

function leavingSecret(address: string, key: string): string {
  return signatureOf(`footfall unsubscribe ${address}`, key);
}

function found(
  websites: ReadonlyMap<number, Website>,
  token: string,
  isRight: (recipient: Recipient, secret: string, website: Website) => boolean,
): Found | undefined {
  const [, id, secret = ""] = /^(\d{1,15})\.([\w-]{43})$/.exec(token) ?? [];
  const website = websites.get(Number(id));
  const recipient = website?.recipients.find(
    (each) => each.tokenHash !== null && isRight(each, secret, website),
  );
  return website && recipient && { website, recipient };
}
