/**
 * A bounded queue that accounts share by time: the account whose turns have taken least is next, however much each of them
 * asks for. Where all places are taken, the account with the most gives up its newest. An account that comes begins with
 * what the one has whose turn it is: it neither makes up for time in which it asked nothing, nor pays for time that nobody
 * else wanted (start-time fair queueing: Goyal, Vin and Cheng, 1996). A number is remembered for each account that asked
 * since the queue was last empty.
 */
import { assert } from "../lib/assert.ts";

export interface Queued {
  /** A text that is equal for the same thing. */
  readonly key: string;
  readonly account: number;
}

interface Share<T> {
  /** In the order in which they came. */
  readonly waiting: Map<string, T>;
  /** The time of its turns, counted from what it began with. */
  tookMs: number;
}

export class FairQueue<T extends Queued> {
  /** By account, the one whose last turn is longest ago first. */
  private readonly shares = new Map<number, Share<T>>();
  /** The time that the account had whose turn it was last. None that waits has less. */
  private leastMs = 0;
  private count = 0;

  constructor(private readonly places: number) {}

  find({ account, key }: Queued): T | undefined {
    return this.shares.get(account)?.waiting.get(key);
  }

  /**
   * Returns what has no place any more: undefined, the newest of the account with the most, or the item itself. No equal
   * one may wait.
   */
  add(item: T): T | undefined {
    assert(this.find(item) === undefined, "equal items wait as one");
    const out = this.count < this.places ? undefined : this.newestOfMost(item);
    if (out === item) return item;
    if (out !== undefined) this.remove(out);
    const share = this.shareOf(item.account);
    if (share.waiting.size === 0) share.tookMs = Math.max(share.tookMs, this.leastMs);
    share.waiting.set(item.key, item);
    this.count++;
    return out;
  }

  /** An equal one that waits in its place stays. */
  remove(item: T): void {
    const { account, key } = item;
    const waiting = this.shares.get(account)?.waiting;
    if (waiting?.get(key) !== item) return;
    waiting.delete(key);
    this.count--;
  }

  /** Begins a turn: returns the oldest of the account whose turn it is. */
  first(): T | undefined {
    let next: Share<T> | undefined;
    for (const share of this.shares.values())
      if (share.waiting.size > 0 && share.tookMs < (next?.tookMs ?? Infinity)) next = share;
    this.leastMs = next?.tookMs ?? this.leastMs;
    return next?.waiting.values().next().value;
  }

  /** Returns whether another account would be next if the turn of this one ended after so long. */
  isDue(account: number, ms: number): boolean {
    const tookMs = (this.shares.get(account)?.tookMs ?? this.leastMs) + ms;
    return this.shares
      .entries()
      .some(([other, share]) => other !== account && share.waiting.size > 0 && share.tookMs < tookMs);
  }

  /** The account has had its turn. */
  endTurn(account: number, ms: number): void {
    const share = this.shareOf(account);
    share.tookMs += ms;
    this.shares.delete(account);
    this.shares.set(account, share);
    for (const [other, { waiting, tookMs }] of this.shares)
      if (waiting.size === 0 && (this.count === 0 || tookMs <= this.leastMs)) this.shares.delete(other);
  }

  *values(): Generator<T, void> {
    for (const { waiting } of this.shares.values()) yield* waiting.values();
  }

  clear(): void {
    this.shares.clear();
    this.count = 0;
  }

  private shareOf(account: number): Share<T> {
    const known = this.shares.get(account);
    if (known !== undefined) return known;
    const share = { waiting: new Map<string, T>(), tookMs: this.leastMs };
    this.shares.set(account, share);
    return share;
  }

  /** Returns the newest of the account that has the most; the one that comes, where several have as many. */
  private newestOfMost(coming: T): T {
    let [most, newest] = [(this.shares.get(coming.account)?.waiting.size ?? 0) + 1, coming];
    for (const { waiting } of this.shares.values())
      if (waiting.size > most) [most, newest] = [waiting.size, [...waiting.values()].at(-1) as T];
    return newest;
  }
}
