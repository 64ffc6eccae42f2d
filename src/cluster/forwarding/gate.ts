/** The cluster as the routes of a node see it: one node decides, and every node answers questions from its own copy. */
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import type { Forwarding } from "./forwarder.ts";

/** A node that is further behind is not ready: a load balancer asks the others. */
export const behindMsMax = 5_000;

export interface ClusterGate {
  /** Whether this node decides: it takes hits and changes itself. */
  readonly isSequencer: boolean;
  /** Milliseconds since this node last had everything; 0 while it has. */
  readonly behindMs: number;
  /** The requests that wait for another node. */
  readonly waitingCount: number;
  /** Resolves to the answer of the node that decides. Throws Refusal 500 if there is none. */
  forward(request: Request, forwarding: Forwarding): Promise<Response>;
  /** The same for a request of one hit. Resolves to what became of it, too; throws the Refusal of that node, too. */
  forwardHit(request: Request, forwarding: Forwarding): Promise<HitAnswer | Response>;
  /** The last record that this node has applied. */
  readonly appliedSeq: number;
  /** Applies what the others know already, within a second. */
  catchUp(): Promise<void>;
}
