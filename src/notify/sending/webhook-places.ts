/**
 * Calls webhooks beside the rounds of mails and alerts, so many at once and few for one account: those that do not answer
 * delay nothing but others of their account. Next is the account that has the fewest under way, and of these the one whose
 * last turn is longest ago.
 */

const placesMax = 16;
const perOwnerMax = 4;

interface Call {
  readonly key: string;
  /** The first owner of the website. */
  readonly userId: number;
  /** Never rejects. */
  readonly act: () => Promise<void>;
}

export class WebhookPlaces {
  /** The keys of all calls that wait or are under way. */
  private readonly keys = new Set<string>();
  /** By owner, whose turn comes in this order. */
  private readonly waiting = new Map<number, Call[]>();
  /** Their owners. */
  private readonly underWay = new Map<Promise<void>, number>();

  /** Makes a call once there is a place, unless one with its key waits or is under way. */
  add(call: Call): void {
    if (this.keys.has(call.key)) return;
    this.keys.add(call.key);
    const own = this.waiting.get(call.userId);
    if (own === undefined) this.waiting.set(call.userId, [call]);
    else own.push(call);
    this.fill();
  }

  /** Resolves when none waits or is under way. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay.keys());
  }

  private fill(): void {
    while (this.underWay.size < placesMax) {
      const call = this.next();
      if (call === undefined) return;
      const done = call.act().finally(() => {
        this.underWay.delete(done);
        this.keys.delete(call.key);
        this.fill();
      });
      this.underWay.set(done, call.userId);
    }
  }

  private next(): Call | undefined {
    const counts = Map.groupBy(this.underWay.values(), (userId) => userId);
    let [owner, least]: [number | undefined, number] = [undefined, perOwnerMax];
    for (const userId of this.waiting.keys()) {
      const count = counts.get(userId)?.length ?? 0;
      if (count < least) [owner, least] = [userId, count];
    }
    if (owner === undefined) return undefined;
    const calls = this.waiting.get(owner) ?? [];
    const call = calls.shift();
    this.waiting.delete(owner);
    if (calls.length > 0) this.waiting.set(owner, calls);
    return call;
  }
}
