/**
 * Answers the requests that other nodes forward to this one while it sequences. What such a node says about a client is
 * believed: whoever may publish to these subjects is one of us.
 */
import type { Msg, Subscription } from "@nats-io/transport-node";
import type { JudgedSender } from "../../collect/hit.ts";
import type { Logger } from "../../lib/log.ts";
import {
  passedHeaders,
  subjects,
  type ForwardedAnswer,
  type ForwardedRequest,
  type NotSequencing,
  type Target,
} from "./forwarded.ts";
import { resultOf, type ForwardedHit, type HitAnswerer, type HitsAnswer } from "./forwarded-hits.ts";
import { packed, unpacked } from "./forward-message.ts";
import type { NodeLink } from "./node-link.ts";

/** A longer answer goes in pieces. */
const answerBytesMax = 256 * 1024;

/** Requests under way get this long when the node stops. */
const finishMs = 1_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const notSequencing: NotSequencing = { status: 0 };

/** Answers a request; never rejects. */
export type Answerer = (request: Request, sender: JudgedSender) => Promise<Response>;

export interface Answerers extends Readonly<Record<Target, Answerer>> {
  readonly hits: HitAnswerer;
}

export class ForwardReceiver {
  private readonly subscriptions: readonly Subscription[];
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly link: NodeLink,
    private readonly answerers: Answerers,
    private readonly logger: Logger,
  ) {
    const { node, prefix } = link;
    this.subscriptions = [
      this.listen(subjects.forwarded(prefix, node.name), (data) => this.answered(data)),
      this.listen(subjects.hits(prefix, node.name), (data) => this.hitsAnswered(data)),
    ];
  }

  /** Takes no more requests. Resolves when those under way are answered, and the answers on their way, or after a while. */
  async stop(): Promise<void> {
    const { connection } = this.link.node;
    for (const subscription of this.subscriptions) subscription.unsubscribe();
    const sent = Promise.all(this.underWay).then(() => connection.flush());
    await Promise.race([sent.catch(() => {}), Bun.sleep(finishMs)]);
  }

  private listen(subject: string, answered: (data: Uint8Array) => Promise<Uint8Array>): Subscription {
    return this.link.node.connection.subscribe(subject, {
      callback: (error, message) => {
        // NATS forbids to listen, which the log says.
        if (error !== null) return;
        const taken = this.take(message, answered).finally(() => this.underWay.delete(taken));
        this.underWay.add(taken);
      },
    });
  }

  private async take(message: Msg, answered: (data: Uint8Array) => Promise<Uint8Array>): Promise<void> {
    try {
      message.respond(await answered(message.data));
    } catch (error) {
      // The node that asked gives up when this one is gone, or after a while.
      this.logger.error("a forwarded request could not be answered", { error: String(error) });
    }
  }

  private async answered(data: Uint8Array): Promise<Uint8Array> {
    const { node, bodies } = this.link;
    if (!node.isSequencer) return packed(notSequencing);
    const { head, bytes } = unpacked<ForwardedRequest>(data);
    const answer = await this.answerers[head.target](this.requestOf(head, bytes), head.sender);
    const body = new Uint8Array(await answer.arrayBuffer());
    const isLong = body.length > answerBytesMax;
    const answerHead: ForwardedAnswer = {
      status: answer.status,
      headers: passedHeaders(answer.headers),
      seq: node.appliedSeq,
      body: isLong ? bodies.offer(new Blob([body]).stream()).subject : undefined,
    };
    return packed(answerHead, isLong ? undefined : body);
  }

  /** They come into the log together: their answers are there at the same time. */
  private async hitsAnswered(data: Uint8Array): Promise<Uint8Array> {
    const { node } = this.link;
    if (!node.isSequencer) return encoded(notSequencing);
    const hits = JSON.parse(decoder.decode(data)) as readonly ForwardedHit[];
    const results = await Promise.all(hits.map((hit) => resultOf(hit, this.answerers.hits)));
    return encoded({ seq: node.appliedSeq, results });
  }

  private requestOf(head: ForwardedRequest, bytes: Uint8Array<ArrayBuffer>): Request {
    const { method, path } = head;
    const headers = new Headers(head.headers.map(([name, value]): [string, string] => [name, value]));
    const pulled = head.body === undefined ? bytes : this.link.bodies.pulled(head.body);
    const body = head.body === undefined && bytes.length === 0 ? null : pulled;
    if (body !== null && head.body === undefined) headers.set("content-length", String(bytes.length));
    return new Request(`http://localhost${path}`, { method, headers, body });
  }
}

function encoded(answer: HitsAnswer): Uint8Array {
  return encoder.encode(JSON.stringify(answer));
}
