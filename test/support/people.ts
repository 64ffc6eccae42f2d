/** Accounts for tests of use cases: all with one password, whose hash is made once, and logged in at once. */
import { hashPassword } from "../../src/accounts/password.ts";
import type { Caller } from "../../src/engine/admin/admin.ts";
import type { InstantEngine } from "./instant-engine.ts";
import { sessionStarted, userAdded } from "./account-records.ts";

export const password = "correct horse";
const passwordHash = await hashPassword(password);

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
