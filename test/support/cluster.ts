/** Nodes of a cluster in this process, each with an engine on a real folder, over real nats-servers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import type { SaidState } from "../../src/cluster/roster/agreement.ts";
import { connect } from "../../src/cluster/connection/connect.ts";
import { openNode, openStream, type NodeOptions, type OpenedNode } from "../../src/cluster/open-node.ts";
import type { Pace } from "../../src/cluster/pace.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { NatsServers, type NatsOptions } from "./nats.ts";
import { until } from "./until.ts";

export interface TestNode extends OpenedNode {
  readonly folder: string;
  readonly connection: NatsConnection;
}

/** With this a node keeps its lease until it is closed, however busy the machine is. */
export const steadyPace: Pace = { leaseMs: 60_000, roundMs: 100, patienceMs: 60_000 };
/** With this one that does not renew its lease loses it soon, and on a busy machine also one that does. */
export const shortPace: Pace = { leaseMs: 500, roundMs: 100, patienceMs: 4_000 };

export class TestCluster {
  /** Holds the folders of nodes, and what a test puts there. It goes when the cluster stops. */
  readonly top = mkdtempSync(join(tmpdir(), "footfall-cluster-"));
  readonly nodes: TestNode[] = [];

  private constructor(readonly servers: NatsServers) {}

  static async start(options: NatsOptions = {}): Promise<TestCluster> {
    return new TestCluster(await NatsServers.start(options));
  }

  /** `name`: that of its folder below that of the cluster. */
  async open(
    name: string,
    { settings, ...more }: Partial<OpenOptions> & Pick<NodeOptions, "settings"> = {},
    prefix = "test",
    pace = steadyPace,
  ): Promise<TestNode> {
    const folder = join(this.top, name);
    const connection = await connected(this.servers.servers.map(({ url }) => url));
    const own = { connection, prefix, replicas: this.servers.servers.length };
    const { logger = silentLogger } = more;
    const stream = await openStream(own, folder, { random: systemRandom, logger, pace });
    const base = { folder, clock: systemClock, random: systemRandom, logger: silentLogger, demo: false };
    const servers = this.servers.servers.map(({ url }) => url);
    const monitors = this.servers.monitors.split(",");
    const sync = { servers, monitors, acceptsUnsynced: false };
    const opened = await openNode({
      ...own,
      sync,
      pace,
      stream,
      version: "test",
      settings,
      engine: { ...base, ...more },
    });
    const node = { ...opened, folder, connection };
    this.nodes.push(node);
    return node;
  }

  async close(node: TestNode): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(node), 1);
    await node.node.stop();
    await node.engine.stop();
    await node.connection.close();
  }

  /** Waits for the one that appends. */
  async sequencer(): Promise<TestNode> {
    await until(() => this.nodes.some(({ node }) => node.isSequencer), "a node appends");
    return this.nodes.find(({ node }) => node.isSequencer) as TestNode;
  }

  /** Waits until all nodes have what the stream has. */
  async level(): Promise<void> {
    await until(
      async () => (await Promise.all(this.nodes.map(({ node }) => node.catchUp(1_000)))).every(Boolean),
      "all nodes have everything",
    );
  }

  /** Makes a checkpoint of the one that appends. Returns the digest that each node has of the state behind its record. */
  async digests(): Promise<readonly number[]> {
    let digests: readonly (number | undefined)[] = [];
    await until(async () => {
      const sequencer = await this.sequencer();
      await sequencer.engine.purge();
      const seq = saidBy(sequencer).at(-1)?.[0];
      await this.level();
      digests = this.nodes.map((node) => saidBy(node).find(([at]) => at === seq)?.[1]);
      return digests.every((digest) => digest !== undefined);
    }, "all nodes have a digest of the same record");
    return digests as readonly number[];
  }

  async stop(): Promise<void> {
    for (const node of [...this.nodes]) await this.close(node);
    await this.servers.stop();
    rmSync(this.top, { recursive: true });
  }
}

/** Nobody would know what became of a request that is given up because the machine is busy. */
export function waitForAnswers(connection: NatsConnection): void {
  const request = connection.request.bind(connection);
  connection.request = (subject, bytes, options) => request(subject, bytes, { ...options, timeout: 60_000 });
}

/** A file that a node's copy lacks until `come` is called. */
export function lackingFile() {
  const names = new Set(["chunks/1/2025-12-1.0000000000000003.chunk"]);
  const { promise: whole, resolve } = Promise.withResolvers<void>();
  const come = () => {
    names.clear();
    resolve();
  };
  return { awaited: { names, whole, until: () => whole }, come };
}

/** Connects as a node does, again where a busy machine did not answer in time. */
async function connected(servers: readonly string[]): Promise<NatsConnection> {
  let connection: NatsConnection | undefined;
  await until(async () => {
    connection = await connect(servers);
    return true;
  }, "a connection to the servers");
  return connection as NatsConnection;
}

function saidBy({ node }: TestNode): SaidState["digests"] {
  return node["options"].agreement.said.digests;
}
