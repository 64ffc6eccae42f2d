/**
 * The one way to have a password checked: whoever guesses is slowed down (throttle.ts), and whoever waits takes turns
 * (check-queue.ts), whether a login or a change of the account asks. `codes` bounds what comes after a right one.
 */
import type { Refusal } from "../../core/refusal.ts";
import type { Clock } from "../../lib/clock.ts";
import { CodeGuard } from "./code-guard.ts";
import type { Asker } from "./check-queue.ts";
import { passwordQueue, verifyPassword } from "./password.ts";
import { Throttle } from "./throttle.ts";
import { hashOf } from "../token.ts";
import { usernameKey } from "../username.ts";

export interface Attempt {
  readonly username: string;
  readonly password: string;
  /** Returns the hash to compare with, undefined for no account; asked when the turn has come. */
  readonly passwordHash: () => string | undefined;
  readonly from: Asker;
  /** Makes the error for a password that is not checked now; `message` ends with the seconds to wait. */
  readonly refusal: (message: string, retryAfterS: number) => Refusal;
}

/** The wrong passwords for a name from one network that are free: in IPv6 it has more addresses than anybody can guess from. */
const freeOfNetwork = 100;
/** Somebody who has waited this long is told to try again, before the connection is cut for its silence. */
const patienceMs = 10_000;

export class PasswordGuard {
  private readonly throttle: Throttle;
  private readonly ofNetworks: Throttle;
  readonly codes: CodeGuard;

  constructor(private readonly clock: Clock) {
    this.throttle = new Throttle(clock);
    this.ofNetworks = new Throttle(clock, freeOfNetwork);
    this.codes = new CodeGuard(clock);
  }

  /** Whether the password is right. Throws the attempt's Refusal where it is not checked. */
  async check(attempt: Attempt): Promise<boolean> {
    this.admit(attempt);
    const lateMs = this.clock.monotonicMs() + patienceMs;
    const isLate = () => this.clock.monotonicMs() > lateMs;
    const right = await passwordQueue.runFor(attempt.from, () => this.verify(attempt), isLate);
    if (right === undefined) throw refusalOf(attempt, "too many password checks at once", 1);
    return right;
  }

  private async verify(attempt: Attempt): Promise<boolean> {
    // Others have failed meanwhile: no burst gets past the throttle.
    this.admit(attempt);
    const right = await verifyPassword(attempt.password, attempt.passwordHash());
    for (const [throttle, key] of this.countsOf(attempt))
      if (right) throttle.succeeded(key);
      else throttle.failed(key);
    return right;
  }

  private admit(attempt: Attempt): void {
    const counts = this.countsOf(attempt);
    const deciding = attempt.from.known === undefined ? counts : counts.slice(0, 1);
    const waitS = Math.max(...deciding.map(([throttle, key]) => throttle.waitS(key)));
    if (waitS > 0) throw refusalOf(attempt, "too many wrong passwords", waitS);
  }

  /**
   * Returns what failures are counted for. A session or device that is known comes first, and alone decides about its own, so
   * that nobody else slows it down; a stranger counts as the name at the address, and as the name in the network.
   */
  private countsOf({ username, from: { address, network, known } }: Attempt): [Count, ...Count[]] {
    // Names have no length limit here, and nobody who looks at the memory needs to see addresses.
    const ofName = (throttle: Throttle, place: string): Count => [
      throttle,
      hashOf(`${place}\n${usernameKey(username)}`),
    ];
    const strangers: [Count, Count] = [ofName(this.throttle, address), ofName(this.ofNetworks, network)];
    return known === undefined
      ? strangers
      : [[this.throttle, hashOf(`known\n${known.userId}\n${known.id}`)], ...strangers];
  }
}

/** A key, and the throttle that counts its failures. */
type Count = readonly [Throttle, string];

function refusalOf({ refusal }: Attempt, why: string, retryAfterS: number): Refusal {
  return refusal(`${why}, try again in ${retryAfterS} s`, retryAfterS);
}
