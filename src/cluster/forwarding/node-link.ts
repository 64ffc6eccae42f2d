/** The way from this node to the others: its requests to them, and the long bodies that it has for them. */
import type { Clock } from "../../lib/clock.ts";
import { subjects } from "./forwarded.ts";
import { LongBodies } from "./forward-pieces.ts";
import { NodeRequests } from "./forward-requests.ts";
import type { ClusterNode } from "../node.ts";

export class NodeLink {
  readonly requests: NodeRequests;
  readonly bodies: LongBodies;

  /** `prefix`: every subject begins with it. */
  constructor(
    readonly node: ClusterNode,
    readonly prefix: string,
    readonly clock: Clock,
  ) {
    const { connection, name } = node;
    // The numbers of requests begin anew with the process, and so does its name (node-name.ts): no answer to the process
    // before it reaches this one.
    this.requests = new NodeRequests(connection, subjects.answers(prefix, name));
    this.bodies = new LongBodies(connection, this.requests, subjects.pieces(prefix, name), clock);
  }

  stop(): void {
    this.requests.stop();
    this.bodies.stop();
  }
}
