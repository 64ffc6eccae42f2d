/** Accounts for tests of use cases: all with one password, whose hash is made once, and logged in at once. */
import type { Hasher } from "../../src/accounts/login/hasher.ts";
import type { Caller } from "../../src/engine/admin/caller.ts";
import type { InstantEngine } from "./instant-engine.ts";
import { sessionStarted, userAdded } from "./account-records.ts";

export const password = "correct horse";
const passwordHash = await quickHash(password);

/**
 * Returns an argon2id hash that takes a hundredth of the usual time to check, for tests of what comes after the check.
 */
export function quickHash(text: string): Promise<string> {
  return Bun.password.hash(text, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
}

/** Gives passwords that a test sets such hashes. The password of no account still takes the usual time. */
export const quickHasher: Hasher = {
  hash: quickHash,
  verify: (text, hash) => Bun.password.verify(text, hash),
};

export async function addPerson(engine: InstantEngine, username: string): Promise<Caller> {
  const { nextUserId: userId } = engine.registry;
  const sessionId = `session of ${username}`;
  const timeMs = engine.nowMs();
  await engine.commit(userAdded(userId, username, { timeMs, passwordHash }));
  await engine.commit(sessionStarted(sessionId, { timeMs, userId }));
  return { userId, sessionId };
}

/** The operator in the name of that account. */
export function operatorFor({ userId }: Caller): Caller {
  return { userId, sessionId: "" };
}
