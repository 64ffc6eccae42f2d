/**
 * The token of a device: what a browser keeps of a login after it, so that its next login goes before those of strangers.
 * It is a claim that the server has signed, and nothing is kept of it: `<user>.<seconds>.<device>.<signature>`, where the
 * device is the id of the session that it came with, 128 random bits, and the key of the signature is the hash of the account's
 * password, with the secret of a second factor after it. So another password or second factor ends it, as does the end of the
 * account; a backup of the data is no way in, for all that it opens is a place in a queue, and codes to guess that no stranger
 * can use up.
 */
import type { User } from "../account.ts";
import type { Known } from "./check-queue.ts";
import { sameSecret, signatureOf } from "../token.ts";

/** The time that a device is known after a login; also the cookie's `Max-Age`. */
export const deviceLifetimeMs = 180 * 86_400_000;

const base64url = { alphabet: "base64url", omitPadding: true } as const;
const form = /^((\d{1,15})\.(\d{1,12})\.([\w-]{22}))\.([\w-]{43})$/;

/** Another token in the same session is the same device: a new one would have guesses of its own. `sessionId`: 32 hex digits. */
export function newDevice(user: User, nowMs: number, sessionId: string): string {
  const id = Uint8Array.fromHex(sessionId).toBase64(base64url);
  const claim = `${user.userId}.${Math.floor(nowMs / 1_000)}.${id}`;
  return `${claim}.${signedBy(user, claim)}`;
}

/**
 * Returns whose device it is; undefined for a token that this server did not sign, that is too old, or that is from before
 * another password.
 */
export function deviceOf(token: string, users: ReadonlyMap<number, User>, nowMs: number): Known | undefined {
  const [, claim = "", user, seconds, id = "", signed = ""] = form.exec(token) ?? [];
  const userId = Number(user);
  const known = users.get(userId);
  if (known === undefined || nowMs - Number(seconds) * 1_000 >= deviceLifetimeMs) return undefined;
  if (!sameSecret(signed, signedBy(known, claim))) return undefined;
  return { userId, id: Uint8Array.fromBase64(id, base64url).toHex() };
}

function signedBy({ passwordHash, secondFactor }: User, claim: string): string {
  return signatureOf(`footfall device ${claim}`, passwordHash + (secondFactor?.secret ?? ""));
}
