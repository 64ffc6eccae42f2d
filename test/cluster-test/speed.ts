/**
 * How many hits a second one, two and three nodes take, and what a hit costs, beside a server with its log on the disk.
 * The work of a load generator and of three nats-servers is on the same machine: figures are compared with each other.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sendAll } from "../../bench/client.ts";
import { hitMix } from "../../bench/ingest.ts";
import { cpuSeconds } from "../../bench/memory.ts";
import { withFolder } from "../support/folder.ts";
import type { Torture } from "../torture/torture.ts";
import { withCluster } from "./cluster.ts";
import { ClusterNode } from "./node.ts";

const connections = 64;
/** The hits of `bench/` are of this website. */
const website = "bench.example";

interface Speed {
  readonly hitsPerSecond: number;
  /** Microseconds a hit of the processor, of the node that costs most, of all others, and of all nats-servers. */
  readonly first: number;
  readonly others: number;
  readonly nats: number;
}

async function measured(
  nodes: readonly ClusterNode[],
  natsPids: readonly number[],
  hits: number,
): Promise<Speed> {
  const [node] = nodes;
  node!.cookie = await node!.logIn();
  await node!.post("/websites", { hostname: website });
  const each = Math.floor(hits / nodes.length);
  const send = async (suffix: string) => {
    const results = await Promise.all(
      nodes.map(({ port }, at) =>
        sendAll(port, each, Math.floor(connections / nodes.length), hitMix(each, `${suffix}${at}`)),
      ),
    );
    const failed = results.reduce((sum, result) => sum + result.failed, 0);
    if (failed > 0) throw new Error(`${failed} of ${hits} hits were not accepted`);
    return Math.max(...results.map(({ seconds }) => seconds));
  };
  await send("warm");
  const pids = nodes.map(({ pid }) => pid);
  const now = () => [...pids, ...natsPids].map((pid) => cpuSeconds(pid));
  const before = now();
  const seconds = await send("hot");
  const used = now().map((cpu, at) => ((cpu - before[at]!) / (each * nodes.length)) * 1e6);
  const own = used.slice(0, pids.length).sort((a, b) => b - a);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const [first = 0, ...others] = own;
  return {
    hitsPerSecond: (each * nodes.length) / seconds,
    first,
    others: sum(others),
    nats: sum(used.slice(pids.length)),
  };
}

function told(what: string, { hitsPerSecond, first, others, nats }: Speed): string {
  const figures = [first, others, nats].map((cpu) => cpu.toFixed(0)).join(" + ");
  return `${what}: ${Math.round(hitsPerSecond)} hits/s, ${figures} µs a hit`;
}

async function alone(command: readonly string[], folder: string, hits: number): Promise<Speed> {
  const machine = { address: "127.0.0.1", clientAddress: "127.0.0.1", command: [] };
  const args = ["--loads-per-network", "1000000"];
  const node = new ClusterNode({ name: "alone", machine, command, folder, args });
  await node.start();
  try {
    return await measured([node], [], hits);
  } finally {
    await node.end("SIGTERM");
  }
}

export const speed: Torture = {
  needs: "nats",
  about: "hits a second and what a hit costs, of one to three nodes",
  // Thousands of hits.
  rounds: { full: 40, short: 0 },
  run: ({ rounds, command, isFull }) =>
    withFolder(async (top) => {
      const hits = rounds * 1_000;
      const lines = [told("the log on the disk", await alone(command, join(top, "alone"), hits))];
      for (const size of isFull ? [1, 2, 3] : [3]) {
        const folder = join(top, `cluster-${size}`);
        mkdirSync(folder);
        const figures = await withCluster({ command, folder, size }, ({ nodes, nats }) =>
          measured(
            nodes,
            nats.servers.map(({ pid }) => pid),
            hits,
          ),
        );
        lines.push(told(`${size} nodes`, figures));
      }
      return `CPU of the first node + other nodes + NATS; ${lines.join("; ")}`;
    }),
};
