/** Three machines, each with a nats-server and a node: how they start, and what must be the same on all of them. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NatsServers } from "../support/nats.ts";
import { until } from "../support/until.ts";
import { localMachines, makeMachines, type Machines } from "./machines.ts";
import { ClusterNode } from "./node.ts";
import { expectCounted, hostname, viewsIn, type Traffic } from "./traffic.ts";

const count = 3;
/** After the last fault all nodes are the same within so long. */
const settledMs = 10_000;

/** The lines of a node that stand beside a failure. */
const linesShown = 12;

/** Everything of which the bytes are compared. */
const lists = [
  "/websites",
  "/user",
  ...["pages", "referrers", "sources", "browsers", "devices", "os", "languages", "countries", "time"].map(
    (list) => `/website/${hostname}/${list}`,
  ),
  `/website/${hostname}/summary`,
  `/website/${hostname}/pages?by=visit`,
];

export interface ClusterOptions {
  readonly command: readonly string[];
  /** The command that the nodes begin with, in place of `command`. */
  readonly first?: readonly string[];
  readonly folder: string;
  /** Whether each machine has a network that can be cut. */
  readonly hasNetworks?: boolean;
  readonly args?: readonly string[];
  /** The number of nodes; there are three nats-servers in any case. */
  readonly size?: number;
  /** A folder for what the nats-servers have. */
  readonly natsFolder?: string;
  /** The data folder of a single machine, which the cluster begins with. */
  readonly moved?: string;
}

export class Cluster {
  private constructor(
    private readonly options: ClusterOptions,
    readonly machines: Machines,
    readonly nats: NatsServers,
    readonly nodes: readonly ClusterNode[],
  ) {}

  /** With an account and a website, and a session at every node. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const { folder } = options;
    const machines = options.hasNetworks ? makeMachines(count) : localMachines(count);
    const nats = await NatsServers.start({
      count,
      machines: machines.machines,
      ...(options.natsFolder !== undefined && { folder: options.natsFolder }),
    });
    mkdirSync(join(folder, "objects"), { recursive: true });
    const args = argumentsOf(options, nats);
    if (options.moved !== undefined) await moveIn(options, options.moved, nats);
    const nodes = machines.machines.slice(0, options.size).map(
      (machine, index) =>
        new ClusterNode({
          ...options,
          command: options.first ?? options.command,
          name: `node-${index + 1}`,
          machine,
          args,
          folder: join(folder, `node-${index + 1}`),
        }),
    );
    const cluster = new Cluster(options, machines, nats, nodes);
    await Promise.all(nodes.map((node) => node.startAgain()));
    await cluster.logIn();
    await until(
      async () => (await nodes[0]!.post("/websites", { hostname })).status === 201,
      "the website is added",
    );
    return cluster;
  }

  /** One more node on the first machine, with a folder of its own. */
  newNode(name: string): ClusterNode {
    const [machine] = this.machines.machines;
    const args = argumentsOf(this.options, this.nats);
    const folder = join(this.options.folder, name);
    const node = new ClusterNode({ ...this.options, name, machine: machine!, args, folder });
    node.cookie = this.nodes[0]!.cookie;
    return node;
  }

  /** A login at one node is one at all of them. */
  private async logIn(): Promise<void> {
    let cookie = "";
    await until(async () => (cookie = await this.nodes[0]!.logIn()) !== "", "one logs in at the first node");
    for (const node of this.nodes) node.cookie = cookie;
  }

  /** Starts whatever does not run. */
  async startAll(): Promise<void> {
    await this.nats.startAll();
    await Promise.all(this.nodes.filter(({ isRunning }) => !isRunning).map((node) => node.startAgain()));
  }

  /** Waits until all nodes give the same bytes for every list. Returns after how many milliseconds they did. */
  async same(nodes = this.nodes): Promise<number> {
    const startMs = performance.now();
    let differing = "";
    await until(
      async () => {
        for (const path of lists) {
          const answers = new Set(await Promise.all(nodes.map((node) => node.text(path))));
          differing = path;
          if (answers.size > 1) return false;
        }
        return true;
      },
      () => `all nodes say the same of ${differing}`,
    );
    return performance.now() - startMs;
  }

  async expectSame(): Promise<string> {
    const ms = await this.same();
    if (ms > settledMs) throw new Error(`the nodes were the same only after ${Math.round(ms)} ms`);
    return `the same answers after ${Math.round(ms)} ms`;
  }

  /**
   * Stops all nodes cleanly and compares their data: the same lines everywhere, which have what was acknowledged once.
   * Throws for a folder that `check` finds fault with.
   */
  async expectKept(traffics: readonly Traffic[]): Promise<void> {
    await this.stopCleanly();
    const dumps = await Promise.all(this.nodes.map((node) => this.run(node, "dump")));
    const [dump = ""] = dumps;
    for (const [index, other] of dumps.entries())
      if (other !== dump)
        throw new Error(`the dump of ${this.nodes[index]!.name} differs: ${difference(other, dump)}`);
    const views = viewsIn(dump);
    for (const traffic of traffics) expectCounted(traffic, views, "in the dump that all nodes have");
    for (const node of this.nodes) await this.run(node, "check");
  }

  /**
   * Stops the node that sequences first. It logs as it stops what it counted of hits that were not taken, and only nodes
   * that still run have that from it.
   */
  private async stopCleanly(): Promise<void> {
    const { nodes } = this;
    await until(async () => {
      const answer = await nodes[0]!.hit(`https://${hostname}/`, "crawler", "Googlebot/2.1");
      return (await answer.text()).includes("crawler");
    }, "a hit is not taken, which is not logged yet");
    let first: ClusterNode | undefined;
    await until(async () => (first = await sequencerOf(nodes)) !== undefined, "a node sequences");
    await stopped(first!);
    const others = nodes.filter((node) => node !== first);
    if (others.length > 0)
      await until(() => areLevel(others), "another node sequences, and all have what the first one logged");
    await Promise.all(others.map(stopped));
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      node.resume();
      await node.end("SIGKILL");
    }
    for (const server of this.nats.servers) server.resume();
    await this.nats.stop();
    this.machines.remove();
  }

  private async run({ folder, name }: ClusterNode, word: string): Promise<string> {
    return ran(`${word} of ${name}`, [...this.options.command, word, "--data", "data"], folder);
  }
}

async function stopped(node: ClusterNode): Promise<void> {
  const code = await node.end("SIGTERM");
  if (code !== 0) throw new Error(`${node.name} stopped with ${code}; ${node.folder}/output says why`);
}

async function sequencerOf(nodes: readonly ClusterNode[]): Promise<ClusterNode | undefined> {
  for (const node of nodes) if ((await node.figure("footfall_sequencer")) === 1) return node;
  return undefined;
}

/** Whether one of the nodes sequences, so that it has all there is, and the others have as many records. */
async function areLevel(nodes: readonly ClusterNode[]): Promise<boolean> {
  if ((await sequencerOf(nodes)) === undefined) return false;
  const records = await Promise.all(nodes.map((node) => node.figure("footfall_log_records")));
  return new Set(records).size === 1;
}

/** Runs a command to its end, and returns what it prints. */
async function ran(what: string, command: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env: {}, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${what} ended with ${code}: ${output}${errors}`);
  return output;
}

async function moveIn({ command, folder }: ClusterOptions, moved: string, nats: NatsServers): Promise<void> {
  const args = ["--data", moved, "--nats", nats.urls, "--objects", join(folder, "objects")];
  await ran("cluster move", [...command, "cluster", "move", ...args], folder);
}

function argumentsOf({ folder, hasNetworks, args = [] }: ClusterOptions, nats: NatsServers): string[] {
  // A machine reaches the monitoring of no other machine, only this process does.
  const synced = hasNetworks ? ["--nats-unsynced"] : ["--nats-monitors", nats.monitors];
  const own = ["--nats", nats.urls, "--objects", join(folder, "objects"), "--loads-per-network", "1000000"];
  return [...own, ...synced, "--log-format", "json", ...args];
}

/** Calls `use` with a cluster that is ended whatever happens; an error has the last lines of each node with it. */
export async function withCluster<T>(
  options: ClusterOptions,
  use: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await Cluster.start(options);
  try {
    return await use(cluster);
  } catch (error) {
    const lines = cluster.nodes.map(({ name, folder }) => {
      const output = readFileSync(join(folder, "output"), "utf8").trim().split("\n");
      return `${name} in ${readdirSync(join(folder, "data")).join(" ")}:\n${output.slice(-linesShown).join("\n")}`;
    });
    throw new Error(lines.join("\n"), { cause: error });
  } finally {
    await cluster.stop();
  }
}

function difference(one: string, other: string): string {
  const [ones, others] = [one.split("\n"), other.split("\n")];
  const at = ones.findIndex((line, index) => line !== others[index]);
  return `${ones.length} lines and not ${others.length}; ${ones[at]} and not ${others[at]}`;
}
