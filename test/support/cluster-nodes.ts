/** Nodes of a cluster over one engine: what they forward to each other goes through a real nats-server. */
import type { ConnectionOptions } from "@nats-io/transport-node";
import { connect } from "../../src/cluster/connection/connect.ts";
import type { Answerer } from "../../src/cluster/forwarding/forward-receiver.ts";
import type { HitAnswerer } from "../../src/cluster/forwarding/forwarded-hits.ts";
import { NodeLink } from "../../src/cluster/forwarding/node-link.ts";
import type { ClusterNode } from "../../src/cluster/node.ts";
import { Peers } from "../../src/cluster/forwarding/peers.ts";
import type { HitAnswer } from "../../src/engine/intake/hit-intake.ts";
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";

/** Who sequences is said by the test; the lease and the stream have tests of their own. */
export interface Roles {
  sequencer: string | undefined;
}

/** A node whose copy has everything at once, because there is only one. */
export class SharedNode implements ClusterNode {
  isBehind = false;
  behindByMs = 6_000;
  caughtUp = 0;
  appliedSeq = 1;
  /** Called by `catchUp`. */
  readonly failed = new Promise<never>(() => {});
  onCatchUp: () => unknown = () => {};

  private constructor(
    readonly name: string,
    readonly connection: ClusterNode["connection"],
    private readonly roles: Roles,
  ) {}

  static async open(
    name: string,
    urls: string,
    roles: Roles,
    more: ConnectionOptions = {},
  ): Promise<SharedNode> {
    return new SharedNode(name, await connect(urls.split(","), more), roles);
  }

  get isSequencer(): boolean {
    return this.roles.sequencer === this.name;
  }

  get sequencer(): string | undefined {
    return this.roles.sequencer;
  }

  get nodes(): ClusterNode["nodes"] {
    const { behindMs, appliedSeq: seq, sequencer } = this;
    return [...new Set([this.name, sequencer ?? this.name])].map((name) => {
      const isSequencer = name === sequencer;
      return { name, version: "1", level: 1, seq, behindMs, isSequencer, silentMs: 0 };
    });
  }

  goneNodes(): [] {
    return [];
  }

  breaksOf(): undefined {
    return undefined;
  }

  get behindMs(): number {
    return this.isBehind ? this.behindByMs : 0;
  }

  applied(): Promise<boolean> {
    return Promise.resolve(!this.isBehind);
  }

  async catchUp(): Promise<boolean> {
    this.caughtUp += 1;
    await this.onCatchUp();
    return true;
  }

  async stop(): Promise<void> {
    await this.connection.close();
  }
}

/** The gate of a node; `answerer` answers what the others forward to it, and hits too unless `hits` does. */
export function peersOf(
  node: SharedNode,
  answerer?: Answerer,
  clock: Clock = systemClock,
  hits?: HitAnswerer,
): Peers {
  const peers = new Peers(new NodeLink(node, "test", clock));
  if (answerer === undefined) return peers;
  const asRequests: HitAnswerer = async (body, _, sender) => {
    const request = new Request("http://localhost/event/hit", { method: "POST", body });
    const answer = await answerer(request, { ...sender, isPeerTrusted: false });
    return (await answer.json()) as HitAnswer;
  };
  peers.serve({ api: answerer, control: answerer, hits: hits ?? asRequests }, silentLogger);
  return peers;
}
