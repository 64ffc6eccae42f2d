/**
 * Limits what one network may send, in memory only. Each network has a bucket that fills at `rate` a second up to
 * `burst`, kept as one number: the time at which it will be full again (the generic cell rate algorithm, ITU-T I.371).
 */
import type { OldestFirst } from "../../lib/collections/oldest-first.ts";
import { ByNetwork } from "./by-network.ts";

/**
 * The bucket that was not used for longest is forgotten first. To forget a full one loses nothing: a new one is full
 * too.
 */
const networksMax = 65_536;

export interface BucketSize {
  /** The amount that comes back a second. */
  readonly rate: number;
  /** The amount that a network may take at once. */
  readonly burst: number;
}

const daySeconds = 86_400;

/** Returns the size of a bucket that has so much at once, and as much again each day. */
export function ofDay(burst: number): BucketSize {
  return { rate: burst / daySeconds, burst };
}

export class NetworkBuckets {
  /** By network: when its bucket is full again, milliseconds. Least recently used first. */
  private readonly fullAtMs = new ByNetwork<number>();
  /** The time of the buckets, which stands still where the clock goes back: what they lack stays the same. */
  private latestMs = -Infinity;
  /** How far the clock is behind that time. */
  private behindMs = 0;

  constructor(private readonly size: BucketSize) {}

  /** Takes `amount` out of a network's bucket, if it has that much. */
  take(network: string, clockMs: number, amount = 1): boolean {
    const { rate, burst } = this.size;
    if (rate === Infinity) return true;
    const nowMs = this.timeAt(clockMs);
    const known = this.fullAtMs.of(network);
    const fullAtMs = Math.max(known.get(network) ?? nowMs, nowMs) + (amount * 1_000) / rate;
    if (fullAtMs - nowMs > (burst * 1_000) / rate) return false;
    known.set(network, fullAtMs);
    if (known.size > networksMax) forget(known, nowMs);
    return true;
  }

  private timeAt(clockMs: number): number {
    this.behindMs = Math.max(this.behindMs, this.latestMs - clockMs);
    this.latestMs = clockMs + this.behindMs;
    return this.latestMs;
  }
}

/** Forgets the bucket that was not used for longest, and those after it that are full. */
function forget(fullAtMs: OldestFirst<string, number>, nowMs: number): void {
  let oldest = fullAtMs.oldest();
  do {
    if (oldest !== undefined) fullAtMs.delete(oldest[0]);
    oldest = fullAtMs.oldest();
  } while (oldest !== undefined && oldest[1] <= nowMs);
}
