/**
 * Notices that the stream was set back: it ends before messages that this node has read from it. A server that has not heard
 * yet that it leads no more may say that, too, so it counts only when nothing else was heard for several leases.
 */
import type { Clock } from "../lib/clock.ts";

/** A server of NATS that is cut off leads for ten seconds at most; this is 32 by default. */
const leases = 8;
/** Answers with longer pauses between them are not the same trouble. */
const pauseLeases = 3;

/** The stream lacks messages that this node has. */
export class StreamSetBack extends Error {
  override name = "StreamSetBack";
}

export class SetBack {
  private sinceMs: number | undefined;
  private lastMs = -Infinity;

  constructor(
    private readonly leaseMs: number,
    private readonly clock: Clock,
  ) {}

  /**
   * Call it with each answer about the end of the stream. `known`: the last message that this node had when it asked.
   * Returns whether the stream ends before that. Throws StreamSetBack once that is certain.
   */
  note(known: number, last: number): boolean {
    if (known <= last) {
      this.sinceMs = undefined;
      return false;
    }
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.lastMs > pauseLeases * this.leaseMs) this.sinceMs = undefined;
    this.lastMs = nowMs;
    this.sinceMs ??= nowMs;
    if (nowMs - this.sinceMs >= leases * this.leaseMs)
      throw new StreamSetBack(
        `the stream was set back: it ends with message ${last}, and this node has ${known} messages. Stop all nodes, and start ` +
          "the servers of NATS with the disks that they had. If these are lost, what is missing is in the folders of nodes that " +
          "end so: make the one with most records that of a single machine by 'footfall cluster move --back --data FOLDER', remove " +
          "the stream, and move in again. What other nodes took since is in their folders alone",
      );
    return true;
  }
}
