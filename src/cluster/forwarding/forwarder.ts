/**
 * Sends requests that change something to the sequencer, and returns its answers once this node's own copy has what
 * they changed. All of it is in memory, and bounded: a request that finds no room or nobody to answer it gets a 500.
 */
import { noEndpoint, Refusal } from "../../core/refusal.ts";
import type { JudgedSender } from "../../collect/hit.ts";
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import {
  passedHeaders,
  pathOf,
  subjects,
  type ForwardedAnswer,
  type ForwardedRequest,
  type NotSequencing,
  type Target,
} from "./forwarded.ts";
import { packed, unpacked } from "./forward-message.ts";
import { HitForwarder, hitSilenceMsMax } from "./hit-forwarder.ts";
import { whyNotYet } from "../roster/record-level.ts";
import type { NodeLink } from "./node-link.ts";
import { SequencerRequests, type Patience } from "./sequencer-requests.ts";
import { WaitingRoom, type Reservation } from "./waiting-room.ts";

/** A body of at most this many bytes goes with its request: nearly every one. */
const smallBytesMax = 4_096;
/** After so many seconds a client may ask again for what the other node is too old for. */
const laterS = 5;

export interface Forwarding {
  readonly target: Target;
  readonly sender: JudgedSender;
  /** Called when a small body has come, and for each piece of a long one: the connection is not to be cut from then on. */
  readonly onProgress: () => void;
  /** The longest that the other node may be silent, in milliseconds; a hit has a time of its own. 270 s by default. */
  readonly silenceMs?: number;
}

export class Forwarder {
  private readonly room = new WaitingRoom();
  private readonly sequencer: SequencerRequests;
  private readonly hits: HitForwarder;

  constructor(private readonly link: NodeLink) {
    this.sequencer = new SequencerRequests(link);
    this.hits = new HitForwarder(link, this.room, this.sequencer);
  }

  /** The number of requests that wait for an answer. */
  get waitingCount(): number {
    return this.room.count;
  }

  /** Resolves to the sequencer's answer. Throws Refusal 500 where there is none, or this node cannot follow. */
  async forward(request: Request, forwarding: Forwarding): Promise<Response> {
    if (!isSmall(request)) return this.forwardWith(request, undefined, forwarding);
    const body = await received(async () => new Uint8Array(await request.arrayBuffer()));
    forwarding.onProgress();
    return this.forwardWith(request, body, forwarding);
  }

  /**
   * The same for a request of one hit, which goes to the sequencer together with others. Resolves to what became of it, or
   * to the sequencer's answer for a long one, which goes alone. Throws the sequencer's Refusal, too.
   */
  async forwardHit(request: Request, forwarding: Forwarding): Promise<HitAnswer | Response> {
    if (!isSmall(request)) return this.forwardWith(request, undefined, forwarding, hitSilenceMsMax);
    const body = await received(() => request.text());
    forwarding.onProgress();
    return this.hits.forward(body, request.headers, forwarding.sender);
  }

  stop(): void {
    this.sequencer.stop();
  }

  /** `small`: the body, unless it goes in pieces; `silenceMs`: the longest that the sequencer may be silent. */
  private async forwardWith(
    request: Request,
    small: Uint8Array | undefined,
    forwarding: Forwarding,
    silenceMs = forwarding.silenceMs,
  ) {
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
      const answer = await this.answer(data, { progressMs: () => offer?.askedMs() ?? 0, silenceMs });
      reservation.expectRoom();
      return answer;
    } finally {
      offer?.end();
      reservation?.leave();
    }
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

  private async answer(data: Uint8Array, patience: Patience): Promise<Response> {
    const { prefix, bodies } = this.link;
    const { head, bytes } = await this.sequencer.asked(async (sequencer) => {
      const subject = subjects.forwarded(prefix, sequencer);
      const answer = await this.sequencer.askOf(sequencer, subject, data, patience);
      return answer && takenAnswer(answer);
    });
    if (!(await this.sequencer.followed(head.seq)))
      throw new Refusal(500, "this was stored, and this server does not know it yet: try again", 1);
    // This node has the route of what it forwards.
    if (head.status === 404 && isUnknownThere(bytes)) throw new Refusal(500, whyNotYet().message, laterS);
    const hasBody = head.body !== undefined || bytes.length > 0;
    const body = head.body === undefined ? bytes : bodies.pulled(head.body);
    const { status } = head;
    const headers = head.headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(hasBody ? body : null, { status, headers });
  }
}

/** Returns an answer; undefined for that of a node that did nothing. */
function takenAnswer(data: Uint8Array) {
  const { head, bytes } = unpacked<ForwardedAnswer | NotSequencing>(data);
  return head.status === 0 ? undefined : { head: head as ForwardedAnswer, bytes };
}

/** Returns whether a 404 says that the other node has no such route. */
function isUnknownThere(body: Uint8Array): boolean {
  return new TextDecoder().decode(body).startsWith(`{"error":{"code":404,"message":"${noEndpoint} `);
}

function isSmall({ body, headers }: Request): boolean {
  const declared = headers.get("content-length");
  return body === null || (declared !== null && Number(declared) <= smallBytesMax);
}

/** Throws Refusal 400 if the body does not come whole. */
async function received<Body>(read: () => Promise<Body>): Promise<Body> {
  try {
    return await read();
  } catch {
    throw new Refusal(400, "body: the connection ended before all of it was received");
  }
}
