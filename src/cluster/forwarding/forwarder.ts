/**
 * Sends requests that change something to the sequencer, and returns its answers once this node's own copy has what
 * they changed. All of it is in memory, and bounded: a request that finds no room or nobody to answer it gets a 500.
 */
import { Refusal } from "../../core/refusal.ts";
import {
  passedHeaders,
  pathOf,
  subjects,
  type ForwardedAnswer,
  type ForwardedRequest,
  type JudgedSender,
  type NotSequencing,
  type Target,
} from "./forwarded.ts";
import { packed, unpacked } from "./forward-message.ts";
import type { NodeLink } from "./node-link.ts";
import { Unanswered, Untaken } from "./forward-requests.ts";
import { WaitingRoom, type Reservation } from "./waiting-room.ts";

/** A body of at most this many bytes goes with its request: nearly every one. */
const smallBytesMax = 4_096;
/** The longest that a request waits until somebody sequences, and again until this node has what it changed. */
const patienceMs = 5_000;
/** The longest that the sequencer may be silent: above what any request takes there. */
const silenceMsMax = 270_000;
const tickMs = 50;

export interface Forwarding {
  readonly target: Target;
  readonly sender: JudgedSender;
  /** Called when a small body has come, and for each piece of a long one: the connection is not to be cut from then on. */
  readonly onProgress: () => void;
}

export class Forwarder {
  private readonly room = new WaitingRoom();
  private stopped = false;
  private tick: Promise<void> | undefined;

  constructor(private readonly link: NodeLink) {}

  /** The number of requests that wait for an answer. */
  get waitingCount(): number {
    return this.room.count;
  }

  /** Resolves to the sequencer's answer. Throws Refusal 500 where there is none, or this node cannot follow. */
  async forward(request: Request, forwarding: Forwarding): Promise<Response> {
    const small = await smallBody(request);
    if (small !== undefined) forwarding.onProgress();
    let reservation: Reservation | undefined;
    const hold = (bytes: number) => reservation?.hold(bytes);
    const offer = small === undefined ? this.offer(request, forwarding, hold) : undefined;
    const { target, sender } = forwarding;
    const head: ForwardedRequest = {
      target,
      method: request.method,
      path: pathOf(request),
      headers: passedHeaders(request.headers),
      sender,
      body: offer?.subject,
    };
    try {
      const data = packed(head, small);
      reservation = this.room.enter(data.length);
      const answer = await this.answer(data, () => offer?.askedMs() ?? 0);
      reservation.expectRoom();
      return answer;
    } finally {
      offer?.end();
      reservation?.leave();
    }
  }

  stop(): void {
    this.stopped = true;
  }

  private offer(request: Request, { onProgress }: Forwarding, onHeld: (bytes: number) => void) {
    let askedMs = 0;
    const onAsked = () => {
      askedMs = this.link.clock.monotonicMs();
      onProgress();
    };
    const offer = this.link.bodies.offer(request.body as ReadableStream<Uint8Array>, { onAsked, onHeld });
    return { ...offer, askedMs: () => askedMs };
  }

  private async answer(data: Uint8Array, progressMs: () => number): Promise<Response> {
    const { head, bytes } = await this.asked(data, progressMs);
    if (!(await this.link.node.applied(head.seq, patienceMs)))
      throw new Refusal(500, "this was stored, and this server does not know it yet: try again", 1);
    const hasBody = head.body !== undefined || bytes.length > 0;
    const body = head.body === undefined ? bytes : this.link.bodies.pulled(head.body);
    const { status } = head;
    const headers = head.headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(hasBody ? body : null, { status, headers });
  }

  /** Asks whoever sequences, until somebody takes it. */
  private async asked(data: Uint8Array, progressMs: () => number) {
    const begunMs = this.link.clock.monotonicMs();
    do {
      const { sequencer } = this.link.node;
      const answer = sequencer === undefined ? undefined : await this.askOf(sequencer, data, progressMs);
      if (answer !== undefined && answer.head.status !== 0)
        return answer as { head: ForwardedAnswer; bytes: Uint8Array<ArrayBuffer> };
      await this.nextTick();
    } while (!this.stopped && this.link.clock.monotonicMs() - begunMs < patienceMs);
    throw new Refusal(500, "no server of the cluster can store anything at the moment: try again", 5);
  }

  /** Resolves to undefined if this node did not take it. Throws Refusal 500 if nobody knows whether it did. */
  private async askOf(sequencer: string, data: Uint8Array, progressMs: () => number) {
    const { node, clock, prefix, requests } = this.link;
    const begunMs = clock.monotonicMs();
    const isLost = () =>
      node.sequencer !== sequencer || clock.monotonicMs() - Math.max(begunMs, progressMs()) > silenceMsMax;
    try {
      const subject = subjects.forwarded(prefix, sequencer);
      const answer = await requests.ask(subject, data, isLost);
      return unpacked<ForwardedAnswer | NotSequencing>(answer);
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

  /** All that wait look again at the same time. */
  private nextTick(): Promise<void> {
    return (this.tick ??= Bun.sleep(tickMs).then(() => void (this.tick = undefined)));
  }
}

/** Returns the bytes of a small body; undefined for one that is larger, or may be. */
async function smallBody(request: Request): Promise<Uint8Array | undefined> {
  if (request.body === null) return new Uint8Array(0);
  const declared = request.headers.get("content-length");
  if (declared === null || Number(declared) > smallBytesMax) return undefined;
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw new Refusal(400, "body: the connection ended before all of it was received");
  }
}
