/** Secrets that a browser holds: 256 random bits. Only their hash is ever stored. */
import type { Random } from "../lib/random.ts";

/** Returns 43 characters of base64url. */
export function newToken(random: Random): string {
  return random.bytes(32).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Returns the SHA-256 in hex. */
export function hashOf(text: string): string {
  return sha256(text).toHex();
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return crypto.timingSafeEqual(sha256(a), sha256(b));
}

/** Returns 43 characters of base64url: the HMAC-SHA-256 of a claim. */
export function signatureOf(claim: string, key: string): string {
  const hash = new Bun.CryptoHasher("sha256", key).update(claim).digest();
  return hash.toBase64({ alphabet: "base64url", omitPadding: true });
}

function sha256(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
