/**
 * The codes of a second factor: TOTP, RFC 6238, as every app has them without being told more than the secret: HMAC-SHA-1, six
 * digits, a new one every 30 s. The code of the step before and of the one to come count, too, since clocks differ.
 */
import type { Random } from "../../lib/random.ts";
import { sameSecret } from "../token.ts";

const stepMs = 30_000;
const digits = 6;
const stepsAround = [-1, 0, 1];
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A secret in base32 (RFC 4648): 160 bits, as many as SHA-1 has. */
export const secretForm = /^[A-Z2-7]{32}$/;

export function newSecret(random: Random): string {
  const bits = Array.from(random.bytes(20), (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replaceAll(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)]!);
}

/** Returns the step of a time in milliseconds since 1970. */
function stepAt(timeMs: number): number {
  return Math.floor(timeMs / stepMs);
}

/** Returns the code of a secret at a time in milliseconds since 1970. Exported for tests. */
export function codeAt(secret: string, timeMs: number): string {
  const message = Buffer.alloc(8);
  message.writeBigInt64BE(BigInt(stepAt(timeMs)));
  const hash = new Bun.CryptoHasher("sha1", keyOf(secret)).update(message).digest();
  const number = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/**
 * Returns the step of a code that is right at this time, and of no step up to `usedStep`; undefined for a wrong one. Spaces in it
 * do not count. The time that it takes says nothing about the codes that are right.
 */
export function stepOf(code: string, secret: string, timeMs: number, usedStep: number): number | undefined {
  const typed = code.replaceAll(" ", "");
  const times = stepsAround.map((steps) => timeMs + steps * stepMs);
  const right = times.filter((time) => sameSecret(typed, codeAt(secret, time)));
  return right.map(stepAt).find((step) => step > usedStep);
}

function keyOf(secret: string): Buffer {
  const bits = Array.from(secret, (sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  return Buffer.from(Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2)));
}
