/**
 * A node that has the lease tries to begin an epoch. One that cannot for as long as a lease lasts lets the lease go, and
 * leaves it to the others for as long: the trouble may be its own.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { isFatal } from "./fatal.ts";
import type { Lease } from "./lease.ts";

export class Candidacy {
  /** When the attempts began that have failed until now. */
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

  /** Tells that this node does not have the lease, or no longer tries. */
  end(): void {
    this.sinceMs = undefined;
  }

  /** Settles as `begin` does. */
  async attempt(begin: () => Promise<void>): Promise<void> {
    this.sinceMs ??= this.clock.monotonicMs();
    try {
      await begin();
      this.end();
    } catch (error) {
      if (!isFatal(error) && this.clock.monotonicMs() - this.sinceMs >= this.leaseMs)
        await this.leave(String(error));
      throw error;
    }
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
