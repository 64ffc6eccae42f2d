/** A node of a cluster, as the rest of the server sees it. */
import type { NatsConnection } from "@nats-io/transport-node";
import type { HeardNode } from "./roster/roster.ts";

export interface ClusterNode {
  /** The name of this node: unique in the cluster, kept in its data folder. */
  readonly name: string;
  /** Whether this node appends to the stream at the moment. */
  readonly isSequencer: boolean;
  /** The name of the node that holds the lease; undefined while nobody does. */
  readonly sequencer: string | undefined;
  /** The last record that this node has applied. */
  readonly appliedSeq: number;
  /** Milliseconds since this node last knew that it had everything; 0 while it has, `unknownMs` before it first had. */
  readonly behindMs: number;
  /** The nodes that were heard of late, this one among them. */
  readonly nodes: readonly HeardNode[];
  /** Returns the nodes that this one heard within a day and that are away. */
  goneNodes(): readonly HeardNode[];
  /** How often a node has said that its connection to NATS broke; undefined if it was not heard. */
  readonly breaksOf: (name: string) => number | undefined;
  /** Resolves to whether this node has applied the record within this many milliseconds. */
  applied(seq: number, withinMs: number): Promise<boolean>;
  /**
   * Asks the stream for its end and applies up to it. Resolves to whether that came true within this many milliseconds.
   */
  catchUp(withinMs: number): Promise<boolean>;
  /** The connection, for requests between nodes. */
  readonly connection: NatsConnection;
  /** Resolves to what is wrong with the log or with this node's copy: it follows no more, and has to be ended. */
  readonly failed: Promise<Error>;
  /** Leaves appending to another node, and follows no more. */
  stop(): Promise<void>;
}
