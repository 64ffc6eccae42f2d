/** Checks the code of a second factor, which somebody gives after the right password. */
import type { GivenCode } from "../../../accounts/login/code-guard.ts";
import type { PasswordGuard } from "../../../accounts/login/password-guard.ts";
import { Refusal, type RefusalCode } from "../../../core/refusal.ts";
import type { Engine } from "../../engine.ts";

/** The code that came with a right password, and from whom. */
interface GivenWithPassword extends Pick<GivenCode, "user" | "known"> {
  /** Missing or "" where none was given. */
  readonly code: string | undefined;
}

/**
 * Returns the step of a code that is right; null for an account without a second factor. Throws a Refusal with `refusalCode`
 * whose message begins with the field `code`, by which a login knows that one is asked for.
 */
export function usedStepOf(
  engine: Engine,
  { codes }: PasswordGuard,
  { user, known, code = "" }: GivenWithPassword,
  refusalCode: RefusalCode,
): number | null {
  if (user.secondFactor === undefined) return null;
  if (code === "") throw new Refusal(refusalCode, "code: expected the code of the second factor");
  const given = { user, known, code, nowMs: engine.nowMs() };
  const waitS = codes.waitS(given);
  if (waitS > 0)
    throw new Refusal(refusalCode, `code: too many wrong codes, try again in ${spoken(waitS)}`, waitS);
  const step = codes.check(given);
  if (step !== undefined) return step;
  const { username } = user;
  engine.logger.warn("somebody gave the right password of an account and a wrong code", { username });
  throw wrongCode(refusalCode);
}

/** Returns a time of whole seconds, or of minutes where seconds say nothing. */
function spoken(seconds: number): string {
  return seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`;
}

export function wrongCode(refusalCode: RefusalCode): Refusal {
  return new Refusal(
    refusalCode,
    "code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server",
  );
}
