/**
 * A bounded queue that accounts share. They take turns, however much each of them asks for, and where all places are
 * taken the account with the most gives up its newest.
 */
import { assert } from "../lib/assert.ts";

export interface Queued {
  /** A text that is equal for the same thing. */
  readonly key: string;
  readonly account: number;
}

export class FairQueue<T extends Queued> {
  /** By account, the one whose turn it is first; none is empty. Within an account, in the order in which they came. */
  private readonly byAccount = new Map<number, Map<string, T>>();
  private count = 0;

  constructor(private readonly places: number) {}

  find({ account, key }: Queued): T | undefined {
    return this.byAccount.get(account)?.get(key);
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
    const own = this.byAccount.get(item.account) ?? new Map<string, T>();
    this.byAccount.set(item.account, own.set(item.key, item));
    this.count++;
    return out;
  }

  /** An equal one that waits in its place stays. */
  remove(item: T): void {
    const { account, key } = item;
    const own = this.byAccount.get(account);
    if (own?.get(key) !== item) return;
    own.delete(key);
    this.count--;
    if (own.size === 0) this.byAccount.delete(account);
  }

  /** The oldest of the account whose turn it is. */
  first(): T | undefined {
    const [own] = this.byAccount.values();
    return own?.values().next().value;
  }

  /** The account has had its turn. */
  endTurn(account: number): void {
    const own = this.byAccount.get(account);
    if (own === undefined) return;
    this.byAccount.delete(account);
    this.byAccount.set(account, own);
  }

  *values(): Generator<T, void> {
    for (const own of this.byAccount.values()) yield* own.values();
  }

  clear(): void {
    this.byAccount.clear();
    this.count = 0;
  }

  /** Returns the newest of the account that has the most; the one that comes, where several have as many. */
  private newestOfMost(coming: T): T {
    let [most, newest] = [(this.byAccount.get(coming.account)?.size ?? 0) + 1, coming];
    for (const own of this.byAccount.values())
      if (own.size > most) [most, newest] = [own.size, [...own.values()].at(-1) as T];
    return newest;
  }
}
