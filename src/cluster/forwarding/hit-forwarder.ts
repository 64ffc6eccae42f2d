/**
 * Sends hits to the sequencer: those that come in one turn of the event loop go in one message, and their answers come in
 * one. So what a message costs here, in NATS and at the sequencer is paid once for all of them. No hit waits for another
 * message's answer.
 */
import type { JudgedSender } from "../../collect/hit.ts";
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import { subjects } from "./forwarded.ts";
import {
  answerOf,
  type ForwardedHit,
  type HitResult,
  type HitResults,
  type HitsAnswer,
} from "./forwarded-hits.ts";
import type { NodeLink } from "./node-link.ts";
import type { SequencerRequests } from "./sequencer-requests.ts";
import type { WaitingRoom } from "./waiting-room.ts";

/**
 * A NATS server takes a megabyte unless it is told otherwise. A hit is shorter than that: the small body of one, and
 * two headers.
 */
const messageBytesMax = 256 * 1024;
/** The longest answer is that of as many refusals. Exported for tests. */
export const hitsMax = 1_000;
/** The longest that hits wait for their answer: a batch waits for 8 s at most, and a tracker sends again once it is answered. */
export const hitSilenceMsMax = 15_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface WaitingHit {
  /** The hit as JSON, and its UTF-8 bytes. */
  readonly text: string;
  readonly bytes: number;
  readonly resolve: (result: HitResult) => void;
  readonly reject: (error: unknown) => void;
}

export class HitForwarder {
  private coming: WaitingHit[] = [];
  private comingBytes = 0;

  constructor(
    private readonly link: NodeLink,
    private readonly room: WaitingRoom,
    private readonly sequencer: SequencerRequests,
  ) {}

  /**
   * Resolves to what became of a hit once this node has it, or is seconds late: it is stored then. Throws the Refusal of
   * the sequencer, and Refusal 500 if there is no room, no answer, or nobody to ask.
   */
  async forward(body: string, headers: Headers, sender: JudgedSender): Promise<HitAnswer> {
    const { address, network, isUnnamedProxy } = sender;
    const userAgent = headers.get("user-agent") ?? "";
    const language = headers.get("accept-language") ?? "";
    const hit: ForwardedHit = [body, userAgent, language, address, network, isUnnamedProxy];
    const text = JSON.stringify(hit);
    // A comma or a bracket belongs to it.
    const bytes = Buffer.byteLength(text) + 1;
    const reservation = this.room.enter(bytes);
    try {
      const result = await new Promise<HitResult>((resolve, reject) =>
        this.add({ text, bytes, resolve, reject }),
      );
      return answerOf(result);
    } finally {
      reservation.leave();
    }
  }

  private add(hit: WaitingHit): void {
    const isFull = this.coming.length === hitsMax || this.comingBytes + hit.bytes >= messageBytesMax;
    if (isFull) void this.sendComing();
    if (this.coming.length === 0) setImmediate(() => void this.sendComing());
    this.coming.push(hit);
    this.comingBytes += hit.bytes;
  }

  private async sendComing(): Promise<void> {
    const hits = this.coming;
    if (hits.length === 0) return;
    this.coming = [];
    this.comingBytes = 0;
    try {
      const { seq, results } = await this.sent(encoder.encode(`[${hits.map(({ text }) => text).join()}]`));
      await this.sequencer.followed(seq);
      for (const [at, { resolve }] of hits.entries()) resolve(results[at]!);
    } catch (error) {
      for (const { reject } of hits) reject(error);
    }
  }

  private sent(data: Uint8Array): Promise<HitResults> {
    return this.sequencer.asked(async (name) => {
      const answer = await this.sequencer.askOf(name, subjects.hits(this.link.prefix, name), data, {
        silenceMs: hitSilenceMsMax,
      });
      return answer && resultsIn(answer);
    });
  }
}

/** Returns the results of an answer; undefined for that of a node that did nothing. */
function resultsIn(data: Uint8Array): HitResults | undefined {
  const answer = JSON.parse(decoder.decode(data)) as HitsAnswer;
  return "results" in answer ? answer : undefined;
}
