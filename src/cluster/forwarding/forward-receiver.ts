/**
 * Answers the requests that other nodes forward to this one while it sequences. What such a node says about a client is
 * believed: whoever may publish to these subjects is one of us.
 */
import type { Msg } from "@nats-io/transport-node";
import type { Logger } from "../../lib/log.ts";
import {
  passedHeaders,
  subjects,
  type ForwardedAnswer,
  type ForwardedRequest,
  type JudgedSender,
  type NotSequencing,
  type Target,
} from "./forwarded.ts";
import { packed, unpacked } from "./forward-message.ts";
import type { NodeLink } from "./node-link.ts";

/** A longer answer goes in pieces. */
const answerBytesMax = 256 * 1024;

/** Requests under way get this long when the node stops. */
const finishMs = 1_000;

/** Answers a request; never rejects. */
export type Answerer = (request: Request, sender: JudgedSender) => Promise<Response>;

export class ForwardReceiver {
  private readonly subscription;
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly link: NodeLink,
    private readonly answerers: Readonly<Record<Target, Answerer>>,
    private readonly logger: Logger,
  ) {
    const { node, prefix } = link;
    this.subscription = node.connection.subscribe(subjects.forwarded(prefix, node.name), {
      callback: (_, message) => {
        const taken = this.take(message).finally(() => this.underWay.delete(taken));
        this.underWay.add(taken);
      },
    });
  }

  /** Takes no more requests. Resolves when those under way are answered, or after a while. */
  async stop(): Promise<void> {
    this.subscription.unsubscribe();
    await Promise.race([Promise.all(this.underWay), Bun.sleep(finishMs)]);
    // The answers are on their way.
    await this.link.node.connection.flush().catch(() => {});
  }

  private async take(message: Msg): Promise<void> {
    try {
      if (!this.link.node.isSequencer) message.respond(packed({ status: 0 } satisfies NotSequencing));
      else message.respond(await this.answered(message.data));
    } catch (error) {
      // The node that asked gives up when this one is gone, or after a while.
      this.logger.error("a forwarded request could not be answered", { error: String(error) });
    }
  }

  private async answered(data: Uint8Array): Promise<Uint8Array> {
    const { node, bodies } = this.link;
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

  private requestOf(head: ForwardedRequest, bytes: Uint8Array<ArrayBuffer>): Request {
    const { method, path } = head;
    const headers = new Headers(head.headers.map(([name, value]): [string, string] => [name, value]));
    const pulled = head.body === undefined ? bytes : this.link.bodies.pulled(head.body);
    const body = head.body === undefined && bytes.length === 0 ? null : pulled;
    if (body !== null && head.body === undefined) headers.set("content-length", String(bytes.length));
    return new Request(`http://localhost${path}`, { method, headers, body });
  }
}
