/**
 * The cluster as the routes of a node see it: one node decides, and every node answers questions from its own copy. Has what
 * this node forwards over its connection to NATS, and what others forward to it.
 */
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import type { Logger } from "../../lib/log.ts";
import { Forwarder, type Forwarding } from "./forwarder.ts";
import { ForwardReceiver, type Answerers } from "./forward-receiver.ts";
import type { NodeLink } from "./node-link.ts";
import type { HeardNode } from "../roster/roster.ts";

/** The longest that a question waits for what others know. */
const catchUpMs = 1_000;

export class Peers {
  private readonly forwarder: Forwarder;
  private receiver: ForwardReceiver | undefined;
  private catchingUp: Promise<void> | undefined;
  private nextCatchUp: Promise<void> | undefined;

  constructor(private readonly link: NodeLink) {
    this.forwarder = new Forwarder(link);
  }

  /** Whether this node decides: it takes hits and changes itself. */
  get isSequencer(): boolean {
    return this.link.node.isSequencer;
  }

  /** Milliseconds since this node last had everything; 0 while it has. */
  get behindMs(): number {
    return this.link.node.behindMs;
  }

  /** The requests that wait for another node. */
  get waitingCount(): number {
    return this.forwarder.waitingCount;
  }

  /** The last record that this node has applied. */
  get appliedSeq(): number {
    return this.link.node.appliedSeq;
  }

  /** Resolves to the answer of the node that decides. Throws Refusal 500 if there is none. */
  forward(request: Request, forwarding: Forwarding): Promise<Response> {
    return this.forwarder.forward(request, forwarding);
  }

  /** The same for a request of one hit. Resolves to what became of it, too; throws the Refusal of that node, too. */
  forwardHit(request: Request, forwarding: Forwarding): Promise<HitAnswer | Response> {
    return this.forwarder.forwardHit(request, forwarding);
  }

  /**
   * Applies what the others know already, within a second. Strangers may ask for what is not there as often as they like: one
   * question to the stream is under way at a time.
   */
  catchUp(): Promise<void> {
    if (this.catchingUp === undefined) return this.begin();
    // The one under way may have asked before the record was stored that somebody waits for.
    return (this.nextCatchUp ??= this.catchingUp.then(() => this.begin()));
  }

  /** The nodes that were heard of late, this one among them. */
  get nodes(): readonly HeardNode[] {
    return this.link.node.nodes;
  }

  /** Returns the nodes that this one heard within a day and that are away. */
  goneNodes(): readonly HeardNode[] {
    return this.link.node.goneNodes();
  }

  /** Answers from now on what the others forward. */
  serve(answerers: Answerers, logger: Logger): void {
    this.receiver = new ForwardReceiver(this.link, answerers, logger);
  }

  /** Resolves when what others have passed on is answered, and nothing else is passed on. */
  async stop(): Promise<void> {
    await this.receiver?.stop();
    this.forwarder.stop();
    this.link.stop();
  }

  private begin(): Promise<void> {
    this.nextCatchUp = undefined;
    const catchingUp = this.link.node.catchUp(catchUpMs).then(() => {
      if (this.catchingUp === catchingUp) this.catchingUp = undefined;
    });
    return (this.catchingUp = catchingUp);
  }
}
