/**
 * A node that has the lease reads what is there, and tries to begin an epoch behind it. One that cannot for as long as a lease
 * lasts lets the lease go, and leaves it to the others for as long: the trouble may be its own. One
 * that may take the lease, and cannot ask for it, says so.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { isFatal } from "./fatal.ts";
import type { Lease } from "./lease.ts";

export class Candidacy {
  /** When this node began to try, while it has the lease. */
  private sinceMs: number | undefined;
  private nextMs = -Infinity;
  /** Since when the lease cannot be asked for although this node may take it. */
  private failingMs: number | undefined;
  /** That it is so for long, in words. */
  trouble: string | undefined;

  constructor(
    private readonly lease: Lease,
    private readonly leaseMs: number,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Whether this node may take the lease. */
  get mayTake(): boolean {
    return this.clock.monotonicMs() >= this.nextMs;
  }

  /** Settles as a round of the lease does. */
  async round(isAppending: boolean, mayTake: boolean): Promise<string | undefined> {
    let holder: string | undefined;
    try {
      return (holder = await this.lease.round(isAppending, mayTake));
    } finally {
      // A round that was not to take it does not know whether it could.
      if (isAppending || mayTake || holder !== undefined)
        this.note(isAppending ? undefined : this.lease.failure);
    }
  }

  /** Tells that this node has begun, or has no lease. */
  end(): void {
    this.sinceMs = undefined;
  }

  /** Settles as `act` does, which is a step on the way to an epoch. */
  async attempt<T>(act: () => Promise<T>): Promise<T> {
    if (this.lease.isMine) this.sinceMs ??= this.clock.monotonicMs();
    try {
      return await act();
    } catch (error) {
      // One that has lapsed is left to others already.
      if (!this.lease.isMine) this.end();
      if (!isFatal(error) && this.isOverdue) await this.leave(String(error));
      throw error;
    }
  }

  private note(failure: string | undefined): void {
    const nowMs = this.clock.monotonicMs();
    this.failingMs = failure === undefined ? undefined : (this.failingMs ?? nowMs);
    const isLong = this.failingMs !== undefined && nowMs - this.failingMs >= 2 * this.leaseMs;
    const trouble = isLong ? `NATS does not let it have the lease (${failure})` : undefined;
    if (trouble !== undefined && this.trouble === undefined)
      this.logger.warn("this node cannot begin to take hits and changes", { reason: trouble });
    this.trouble = trouble;
  }

  private get isOverdue(): boolean {
    return this.sinceMs !== undefined && this.clock.monotonicMs() - this.sinceMs >= this.leaseMs;
  }

  private async leave(reason: string): Promise<void> {
    this.end();
    this.nextMs = this.clock.monotonicMs() + this.leaseMs;
    this.logger.warn("this node cannot begin to take hits and changes, and leaves it to others for a while", {
      reason,
    });
    // If no answer comes, it lapses.
    await this.lease.release().catch(() => {});
  }
}
