/**
 * Gives mails and webhooks their turn: so many go at once, and few of one account. Those that take long delay little but
 * others of their account. Next is the account that has the fewest under way, and of these the one that had least of the time;
 * accounts that had as little take turns.
 */
import type { Clock } from "../../lib/clock.ts";

/** How many go at once, of all accounts and of one. */
export interface Room {
  readonly all: number;
  readonly ofOne: number;
}

interface Call {
  readonly key: string;
  /** The first owner of the website. */
  readonly userId: number;
  /** Never rejects. */
  readonly act: () => Promise<void>;
}

export class Places {
  /** The keys of all calls that wait or are under way. */
  private readonly keys = new Set<string>();
  /** By owner, whose turn comes in this order. */
  private readonly waiting = new Map<number, Call[]>();
  /** Their owners. */
  private readonly underWay = new Map<Promise<void>, number>();
  /** How long the calls of an owner took, since there was a moment without any call. */
  private readonly usedMs = new Map<number, number>();

  constructor(
    private readonly room: Room,
    private readonly clock: Pick<Clock, "monotonicMs">,
  ) {}

  /** Makes a call once there is a place, unless one with its key waits or is under way. */
  add(call: Call): void {
    if (this.keys.has(call.key)) return;
    this.keys.add(call.key);
    const own = this.waiting.get(call.userId);
    if (own === undefined) this.waiting.set(call.userId, [call]);
    else own.push(call);
    this.fill();
  }

  get isIdle(): boolean {
    return this.underWay.size === 0;
  }

  /** Resolves when none waits or is under way. */
  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.underWay.keys());
  }

  private fill(): void {
    while (this.underWay.size < this.room.all) {
      const call = this.next();
      if (call === undefined) break;
      const { key, userId } = call;
      const beginMs = this.clock.monotonicMs();
      const done = call.act().finally(() => {
        this.underWay.delete(done);
        this.keys.delete(key);
        const tookMs = this.clock.monotonicMs() - beginMs;
        this.usedMs.set(userId, (this.usedMs.get(userId) ?? 0) + tookMs);
        this.fill();
      });
      this.underWay.set(done, userId);
    }
    if (this.isIdle) this.usedMs.clear();
  }

  private next(): Call | undefined {
    const counts = Map.groupBy(this.underWay.values(), (userId) => userId);
    let least: { readonly owner: number; readonly count: number; readonly usedMs: number } | undefined;
    for (const owner of this.waiting.keys()) {
      const count = counts.get(owner)?.length ?? 0;
      const usedMs = this.usedMs.get(owner) ?? 0;
      if (count >= this.room.ofOne) continue;
      if (least === undefined || count < least.count || (count === least.count && usedMs < least.usedMs))
        least = { owner, count, usedMs };
    }
    if (least === undefined) return undefined;
    const { owner } = least;
    const calls = this.waiting.get(owner) ?? [];
    const call = calls.shift();
    // Comes last now among those that had as little.
    this.waiting.delete(owner);
    if (calls.length > 0) this.waiting.set(owner, calls);
    return call;
  }
}
