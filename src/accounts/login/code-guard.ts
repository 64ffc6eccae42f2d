/**
 * Bounds how often the code of a second factor is guessed by somebody who knows the password. It is strict where the throttle of
 * passwords (throttle.ts) is patient: six digits are few. A browser that has logged in before has a bound of its own, so
 * that others who use up theirs do not keep the owner out. What was wrong is kept in memory only.
 */
import type { Clock } from "../../lib/clock.ts";
import { Lru } from "../../lib/collections/lru.ts";
import type { User } from "../account.ts";
import type { Known } from "./check-queue.ts";
import { stepOf } from "./totp.ts";

/** The wrong codes within the window after which no code counts. Exported for tests. */
export const wrongCodesMax = 10;
/** Exported for tests. */
export const codesWindowMs = 3_600_000;
/** An account's ids are of sessions that began by a code, but for the one that switched it on. */
const idsMax = 100;
const accountsMax = 10_000;

/** A code that somebody gives for an account with a second factor, whose password was right. */
export interface GivenCode {
  readonly user: User;
  readonly code: string;
  /** A session or device of the account that the request proves. */
  readonly known: Known | undefined;
  /** By the log's clock. */
  readonly nowMs: number;
}

export class CodeGuard {
  /**
   * The monotonic times of wrong codes, the oldest first, by account and by the id of whoever is known, "" for strangers. A
   * right code takes none away, nor does another account: only a command of the operator makes one.
   */
  private readonly wrong = new Lru<number, Lru<string, readonly number[]>>(accountsMax);

  constructor(private readonly clock: Clock) {}

  /** Returns the whole seconds until a code may be given, 0 for none. */
  waitS({ user, known }: Pick<GivenCode, "user" | "known">): number {
    const times = this.recent(user, known);
    if (times.length < wrongCodesMax) return 0;
    return Math.ceil((times[0]! + codesWindowMs - this.clock.monotonicMs()) / 1_000);
  }

  /** Returns the step of a right code; undefined for one that is wrong or was used, which counts. */
  check({ user, code, known, nowMs }: GivenCode): number | undefined {
    const { secret = "", usedStep = 0 } = user.secondFactor ?? {};
    const step = stepOf(code, secret, nowMs, usedStep);
    if (step === undefined) this.note(user, known);
    return step;
  }

  private note(user: User, known: Known | undefined): void {
    const ofUser = this.wrong.get(user.userId) ?? new Lru(idsMax);
    ofUser.set(known?.id ?? "", [...this.recent(user, known), this.clock.monotonicMs()]);
    this.wrong.set(user.userId, ofUser);
  }

  private recent({ userId }: User, known: Known | undefined): readonly number[] {
    const sinceMs = this.clock.monotonicMs() - codesWindowMs;
    return (this.wrong.get(userId)?.get(known?.id ?? "") ?? []).filter((timeMs) => timeMs > sinceMs);
  }
}
