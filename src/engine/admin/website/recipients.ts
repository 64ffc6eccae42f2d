/** The use cases of people who own a mail address: they confirm it, or leave. A link in a mail is all that they have. */
import { foundToConfirm, foundToLeave, type Found } from "../../../accounts/recipients.ts";
import type { Engine } from "../../engine.ts";
import { purge } from "../purge-files.ts";

/** Returns who is asked to confirm by this token; undefined if it is not valid any more. */
export function recipientToConfirm(engine: Engine, token: string): Found | undefined {
  return foundToConfirm(engine.registry.websites, token, engine.nowMs());
}

export function recipientToLeave(engine: Engine, token: string): Found | undefined {
  return foundToLeave(engine.registry.websites, token);
}

/** Returns whether the address gets what it is subscribed to from now on. */
export async function confirmAddress(engine: Engine, token: string): Promise<boolean> {
  const found = recipientToConfirm(engine, token);
  if (found === undefined) return false;
  if (found.recipient.confirmedMs !== null) return true;
  const { websiteId } = found.website;
  const { address } = found.recipient;
  const record = { kind: "addressConfirmed", websiteId, recipient: address } as const;
  return (await engine.commit(record)) === "done";
}

/**
 * The address leaves with all its subscriptions of the website. Resolves when no file contains it any more, with false if the
 * token finds nobody.
 */
export async function leave(engine: Engine, token: string): Promise<boolean> {
  const found = recipientToLeave(engine, token);
  if (found === undefined) return false;
  return removeAddress(engine, found.website.websiteId, found.recipient.address);
}

/** Removes an address of a website from every file. Resolves with whether it was there. */
export async function removeAddress(engine: Engine, websiteId: number, address: string): Promise<boolean> {
  const outcome = await engine.commit({ kind: "addressRemoved", websiteId, recipient: address });
  if (outcome !== "done") return false;
  await purge(engine);
  return true;
}
