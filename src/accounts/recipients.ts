/**
 * The links of mails, by which the owner of an address confirms it or leaves: `<website>.<secret>`. Only hashes are kept of
 * the secret of a confirmation; that of leaving follows from the hash, so that each mail has the same.
 */
import { unconfirmedMs, type Recipient } from "../core/website/subscription.ts";
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
    ({ tokenHash, addedMs }, secret) =>
      nowMs - addedMs < unconfirmedMs && tokenHash !== null && sameSecret(hashOf(secret), tokenHash),
  );
}

/** Returns who leaves by this; undefined for what is not valid, and for whoever has left. */
export function foundToLeave(websites: ReadonlyMap<number, Website>, token: string): Found | undefined {
  return found(websites, token, (recipient, secret) => sameSecret(secret, leavingSecret(recipient)));
}

/** Returns the words by which a recipient leaves. */
export function leavingToken({ websiteId }: Website, recipient: Recipient): string {
  return `${websiteId}.${leavingSecret(recipient)}`;
}

function leavingSecret({ address, tokenHash }: Recipient): string {
  return signatureOf(`footfall unsubscribe ${address}`, tokenHash ?? "");
}

function found(
  websites: ReadonlyMap<number, Website>,
  token: string,
  isRight: (recipient: Recipient, secret: string) => boolean,
): Found | undefined {
  const [, id, secret = ""] = /^(\d{1,15})\.([\w-]{43})$/.exec(token) ?? [];
  const website = websites.get(Number(id));
  const recipient = website?.recipients.find((each) => each.tokenHash !== null && isRight(each, secret));
  return website && recipient && { website, recipient };
}
