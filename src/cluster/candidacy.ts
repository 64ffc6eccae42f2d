/**
 * A node that has the lease reads what is there, and tries to begin an epoch behind it. One that cannot for as long as a lease
 * lasts lets the lease go, and leaves it to the others for as long: the trouble may be its own.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { isFatal } from "./fatal.ts";
import type { Lease } from "./lease.ts";

export class Candidacy {
  /** When this node began to try, while it has the lease. */
  private sinceMs: number | undefined;
  private nextMs = -Infinity;

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
