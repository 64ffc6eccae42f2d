/**
 * The cluster as the routes of a node see it: one node decides, and every node answers questions from its own copy. Has what
 * this node forwards over its connection to NATS, and what others forward to it.
 */
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import type { Logger } from "../../lib/log.ts";
import { Forwarder, type Forwarding } from "./forwarder.ts";
import { ForwardReceiver, type Answerers } from "./forward-receiver.ts";
import type { NodeLink } from "./node-link.ts";
import type { ClusterNode } from "../node.ts";

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

  /** This node. Where it sequences, it takes hits and changes itself. */
  get node(): ClusterNode {
    return this.link.node;
  }

  /** The requests that wait for another node. */
  get waitingCount(): number {
    return this.forwarder.waitingCount;
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
    const catchingUp = this.node.catchUp(catchUpMs).then(() => {
      if (this.catchingUp === catchingUp) this.catchingUp = undefined;
    });
    return (this.catchingUp = catchingUp);
  }
}
