/** Passwords: the rule for accepting one, and argon2id to store and verify them. */
import { Refusal } from "../../core/refusal.ts";
import { CheckQueue, type Known } from "./check-queue.ts";
import { cost, sharedThreads, type Hasher } from "./hasher.ts";

export const passwordCharactersMin = 8;
export const passwordCharactersMax = 128;

/** All hashing in the process takes turns here. */
export const passwordQueue = new CheckQueue();

let hasher = sharedThreads;

/** Lets another hasher do the work from now on, for the whole process. */
export function hashBy(other: Hasher): void {
  hasher = other;
}

// A salt and a digest of zeros, which no password has: checking against it takes the time of a real check.
const zeros = "A".repeat(43);
const nobodysHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$${zeros}$${zeros}`;

/**
 * Returns the password unchanged if it has 8 to 128 characters (code points). Else throws a Refusal 400 that does not
 * repeat it.
 */
export function parsePassword(text: string): string {
  const { length } = [...text];
  if (length >= passwordCharactersMin && length <= passwordCharactersMax) return text;
  const expected = `${passwordCharactersMin} to ${passwordCharactersMax} characters`;
  throw new Refusal(400, `password: expected ${expected}, got ${length}`);
}

/** Returns an argon2id hash in PHC form, with a salt of its own. For whoever was checked just now, or is the operator. */
export function hashPassword(password: string): Promise<string> {
  return passwordQueue.run(() => hasher.hash(password));
}

/** The same for a session that was not checked: it takes turns with others. Returns undefined where there is no place. */
export function hashInTurn(password: string, known: Known): Promise<string | undefined> {
  return passwordQueue.runFor({ address: "", network: "", known }, () => hasher.hash(password));
}

/**
 * Verifies a password. It takes the same time for every password, and for no account (undefined). Call it in a turn of
 * `passwordQueue`.
 */
export function verifyPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  // Bun answers an empty password at once; a single character is wrong too and takes the usual time.
  return hasher.verify(password === "" ? " " : password, passwordHash ?? nobodysHash);
}
