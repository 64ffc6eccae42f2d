/**
 * Tells the operator what is wrong with the place of the log: why batches cannot be stored, once a minute for each reason;
 * that they are stored again; and that the disk, or NATS, is slow.
 */
import type { Clock } from "../../lib/clock.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import type { Logger } from "../../lib/log.ts";
import { Seldom } from "../../lib/seldom.ts";
import { NotAppending } from "../../wal/log-store.ts";
import type { WriteResult } from "../../wal/worker-port.ts";

const everyMs = 60_000;
/** A batch takes some milliseconds; whoever waits longer than this looks for the reason. */
const slowMs = 1_000;

/** The lines for each place that a log may have. */
const lines = {
  disk: {
    refused: "hits and changes are refused: the log cannot be written",
    slow: "the disk is slow: hits waited for the log to be synced",
  },
  stream: {
    refused: "hits and changes are refused: NATS does not take them",
    slow: "NATS is slow: hits waited for its servers to store them",
  },
} as const;

export class LogTrouble {
  /** By the reasons why batches failed since the last that was stored. */
  private failures = new Map<string, Seldom>();
  private readonly slowness: Seldom;
  /** Slow batches that no line has told yet, and how long the slowest took. */
  private slowTimes = 0;
  private slowestMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly place: keyof typeof lines = "disk",
  ) {
    this.slowness = new Seldom(clock, everyMs);
  }

  /** Whether the last batch was not stored. */
  get isFailing(): boolean {
    return this.failures.size > 0;
  }

  /** Call it with the result of each batch. */
  note({ failure, tookMs }: WriteResult): void {
    if (tookMs > slowMs) this.tellSlow(tookMs);
    // Another node of a cluster takes them, and whoever steps down for it says so.
    if (failure instanceof NotAppending) return;
    if (failure !== null) this.tellFailure(failure);
    else if (this.isFailing) {
      this.failures.clear();
      this.logger.info("hits and changes are stored again");
    }
  }

  private tellFailure(failure: Error): void {
    const reason = failure instanceof DiskError ? failure.code : failure.name;
    const known = this.failures.getOrInsertComputed(reason, () => new Seldom(this.clock, everyMs));
    if (known.isDue()) this.logger.error(lines[this.place].refused, { error: failure.message });
  }

  private tellSlow(tookMs: number): void {
    this.slowTimes++;
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    if (!this.slowness.isDue()) return;
    this.logger.warn(lines[this.place].slow, {
      ms: Math.round(this.slowestMs),
      times: this.slowTimes,
    });
    this.slowTimes = this.slowestMs = 0;
  }
}
