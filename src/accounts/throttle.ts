/**
 * Slows down guessing of passwords. After 10 failed logins in 15 minutes for a name and an address, each further one
 * has to wait, longer and longer up to a minute. Nobody is locked out: after the wait the right password works.
 * Failures are kept in memory only, by hash, and bounded in number.
 */
import { Refusal } from "../core/refusal.ts";
import type { Clock } from "../lib/clock.ts";
import { Lru } from "../lib/lru.ts";
import { hashOf } from "./token.ts";
import { usernameKey } from "./username.ts";

export const freeFailures = 10;
export const failureWindowMs = 15 * 60_000;
const waitMsMin = 2_000;
export const waitMsMax = 60_000;
/** The number of failures to keep: further ones in the window would not make the wait longer. */
const failuresKept = freeFailures + Math.ceil(Math.log2(waitMsMax / waitMsMin));
const pairsMax = 10_000;

export class Throttle {
  /** The monotonic times of the latest failures, by name and address. */
  private readonly failures = new Lru<string, readonly number[]>(pairsMax);

  constructor(private readonly clock: Clock) {}

  /** Throws a Refusal 401 with the seconds to wait if this name has to wait at this address. */
  admit(username: string, address: string): void {
    const times = this.recent(pairOf(username, address));
    if (times.length < freeFailures) return;
    const waitMs = Math.min(waitMsMin * 2 ** (times.length - freeFailures), waitMsMax);
    const leftMs = (times.at(-1) as number) + waitMs - this.clock.monotonicMs();
    if (leftMs <= 0) return;
    const seconds = Math.ceil(leftMs / 1_000);
    throw new Refusal(401, `too many failed logins: try again in ${seconds} s`, seconds);
  }

  failed(username: string, address: string): void {
    const pair = pairOf(username, address);
    this.failures.set(pair, [...this.recent(pair), this.clock.monotonicMs()].slice(-failuresKept));
  }

  succeeded(username: string, address: string): void {
    this.failures.delete(pairOf(username, address));
  }

  private recent(pair: string): readonly number[] {
    const sinceMs = this.clock.monotonicMs() - failureWindowMs;
    return (this.failures.get(pair) ?? []).filter((timeMs) => timeMs > sinceMs);
  }
}

/** Returns a hash, because names have no length limit here, and memory should show no addresses. */
function pairOf(username: string, address: string): string {
  return hashOf(`${address}\n${usernameKey(username)}`);
}
