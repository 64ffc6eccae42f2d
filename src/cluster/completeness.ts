/**
 * Knows until when this node has everything that was stored. Only what needs most servers of NATS counts: one that is cut off
 * goes on answering reads, with what it has. So it counts that a message was stored, or what the leader says of the end.
 */
import { unknownMs } from "../core/node-times.ts";
import type { Clock } from "../lib/clock.ts";

export class Completeness {
  /** When this node last knew that it had everything, by the monotonic clock. */
  private lastMs = -Infinity;
  /** A message that was the last at `ms`: once this node has read up to it, it has everything from before that time. */
  private mark: { readonly number: number; readonly ms: number } | undefined;
  /** The last message that was told to be stored before this node had it. */
  private toldOf = 0;

  constructor(
    private readonly clock: Clock,
    private readonly roundMs: number,
    /** Called when it is complete for the first time. */
    private readonly onFirst: () => void,
    /** Called later each time that it is complete, with the milliseconds since it last was. */
    private readonly onAgain: (apartMs: number) => void,
  ) {}

  /** Milliseconds since this node last knew that it had everything; 0 while it has, `unknownMs` before it first had. */
  get behindMs(): number {
    if (this.lastMs < 0) return unknownMs;
    // It looks for news each round.
    return this.ageMs < 2 * this.roundMs ? 0 : Math.round(this.ageMs);
  }

  /** Whether nothing was heard for so long that the leader has to be asked. */
  get isOld(): boolean {
    return this.ageMs > this.roundMs / 2;
  }

  /** Whether a message is known that this node has not read yet. */
  get isWaiting(): boolean {
    return this.mark !== undefined;
  }

  /** This node had everything at `ms`, by default now. */
  had(ms: number = this.clock.monotonicMs()): void {
    const before = this.lastMs;
    this.lastMs = Math.max(before, ms);
    if (before >= 0) this.onAgain(this.lastMs - before);
    else if (this.lastMs >= 0) this.onFirst();
  }

  /** A message was stored that this node has not read. */
  told(number: number): void {
    this.toldOf = number;
    this.mark ??= { number, ms: this.clock.monotonicMs() };
  }

  /** The leader said that a message was the last at `ms`. One that was told of and is behind it is not there any more. */
  ended(number: number, ms: number): void {
    if (this.mark === undefined || this.mark.number > number) this.mark = { number, ms };
  }

  /** This node has applied the messages up to `last`; `before`: up to where it had. Returns whether there may be more. */
  applied(last: number, before: number): boolean {
    if (this.mark !== undefined && this.mark.number <= last) {
      this.had(this.mark.ms);
      this.mark = undefined;
    }
    // The servers will tell of more than they have told of.
    return this.isWaiting || ![before, this.toldOf].includes(last);
  }

  private get ageMs(): number {
    return this.clock.monotonicMs() - this.lastMs;
  }
}
