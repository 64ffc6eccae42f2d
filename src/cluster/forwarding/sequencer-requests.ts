/**
 * Requests to whichever node sequences. They wait a while for one that does, and their answers wait until this node's own
 * copy has what they changed.
 */
import { Refusal } from "../../core/refusal.ts";
import type { NodeLink } from "./node-link.ts";
import { Unanswered, Untaken } from "./forward-requests.ts";

/** The longest that a request waits until somebody sequences, and again until this node has what it changed. */
const patienceMs = 5_000;
/** The longest that the sequencer may be silent, unless the one who asks waits for less: a command has no other bound. */
const silenceMsMax = 270_000;
/** A node says only each second that its connection broke: an answer to what was asked in that second comes within this time. */
const answerMs = 1_000;
const tickMs = 50;

export interface Patience {
  /** Returns when the sequencer last asked for more of the request. */
  readonly progressMs?: () => number;
  /** The longest that it may be silent. */
  readonly silenceMs?: number | undefined;
}

export class SequencerRequests {
  private stopped = false;
  private tick: Promise<void> | undefined;

  constructor(private readonly link: NodeLink) {}

  /** Calls `ask` with whoever sequences until it resolves to an answer. Throws Refusal 500 if nobody takes the request. */
  async asked<Answer>(ask: (sequencer: string) => Promise<Answer | undefined>): Promise<Answer> {
    const { node, clock } = this.link;
    const begunMs = clock.monotonicMs();
    do {
      const { sequencer } = node;
      const answer = sequencer === undefined ? undefined : await ask(sequencer);
      if (answer !== undefined) return answer;
      await this.nextTick();
    } while (!this.stopped && clock.monotonicMs() - begunMs < patienceMs);
    throw new Refusal(500, "no server of the cluster can store anything at the moment: try again", 5);
  }

  /**
   * Asks one node, at its subject. Resolves to undefined if it did not take the request. Throws Refusal 500 if nobody knows
   * whether it did.
   */
  async askOf(
    sequencer: string,
    subject: string,
    data: Uint8Array,
    { progressMs = () => 0, silenceMs = silenceMsMax }: Patience = {},
  ) {
    const { node, clock, requests } = this.link;
    const begunMs = clock.monotonicMs();
    const hasBroken = this.breakOf(sequencer);
    const isLost = () =>
      node.sequencer !== sequencer ||
      hasBroken() ||
      clock.monotonicMs() - Math.max(begunMs, progressMs()) > silenceMs;
    try {
      return await requests.ask(subject, data, isLost);
    } catch (error) {
      if (error instanceof Untaken) return undefined;
      if (!(error instanceof Unanswered)) throw error;
      throw new Refusal(
        500,
        "the server that stores for the cluster went away, and may have stored this or not: try again",
        5,
      );
    }
  }

  /** Resolves when this node has applied the record `seq`, to true; to false if it has not for too long. */
  followed(seq: number): Promise<boolean> {
    return this.link.node.applied(seq, patienceMs);
  }

  stop(): void {
    this.stopped = true;
  }

  /**
   * Returns a function that says, when it is asked now and then, whether a node's connection has broken since, for so long that
   * an answer would be there: with the connection the request may have got lost, or the answer.
   */
  private breakOf(name: string): () => boolean {
    const { node, clock } = this.link;
    let before = node.breaksOf(name);
    let sinceMs: number | undefined;
    return () => {
      const breaks = node.breaksOf(name);
      before ??= breaks;
      if (breaks !== undefined && breaks !== before) sinceMs ??= clock.monotonicMs();
      return sinceMs !== undefined && clock.monotonicMs() - sinceMs >= answerMs;
    };
  }

  /** All that wait look again at the same time. */
  private nextTick(): Promise<void> {
    return (this.tick ??= Bun.sleep(tickMs).then(() => void (this.tick = undefined)));
  }
}
