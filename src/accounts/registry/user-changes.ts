/** A user after a record; whether it is there, and who else has its name, is left to the registry. */
import type { Outcome } from "../../core/outcome.ts";
import type { RecordOf } from "../../record/record.ts";
import { isLive, type Session, type User } from "../account.ts";

type Changed = RecordOf<"userChanged">;
type FactorChanged = RecordOf<"secondFactorChanged">;

/** Returns the user after the record, or an outcome if that changes nothing. */
export function changedUser(user: User, record: Changed | FactorChanged): User | Outcome {
  if (record.kind === "secondFactorChanged") return withSecondFactor(user, record);
  return {
    ...user,
    username: record.username ?? user.username,
    passwordHash: record.passwordHash ?? user.passwordHash,
    language: record.language ?? user.language,
    scriptType: record.scriptType ?? user.scriptType,
    updatedMs: record.timeMs,
  };
}

/** Whether the other sessions of the account end with the change. */
export function endsSessions(record: Changed | FactorChanged): boolean {
  return (record.kind === "userChanged" ? record.passwordHash : record.secret) !== null;
}

/** Whether the session that stays may still ask for the change: one that comes with a secret may have ended in the same batch. */
export function mayComeFrom(session: Session | undefined, record: Changed | FactorChanged): boolean {
  if (record.kind === "userChanged" || record.secret === null) return true;
  return session?.userId === record.userId && isLive(session, record.timeMs);
}

function withSecondFactor(
  { secondFactor, ...user }: User,
  { timeMs, secret, usedStep }: FactorChanged,
): User | Outcome {
  if (secret === null) return secondFactor ? { ...user, updatedMs: timeMs } : "missing";
  return secondFactor ? "taken" : { ...user, updatedMs: timeMs, secondFactor: { secret, usedStep } };
}

/**
 * Returns the user for whom a code counts no more once it was used; "taken" if it does not count already. `usedStep` is null
 * without a code, which is "taken" if the account needs one.
 */
export function withUsedStep(user: User, usedStep: number | null): User | "taken" {
  const { secondFactor } = user;
  if (secondFactor === undefined) return usedStep === null ? user : "taken";
  if (usedStep === null || usedStep <= secondFactor.usedStep) return "taken";
  return { ...user, secondFactor: { ...secondFactor, usedStep } };
}
