/**
 * How many hits a second one, two and three nodes take, and what a hit costs, beside a server with its log on the disk;
 * `--older PATH` has three nodes of an older executable beside them. All of them run at once and are measured by turns. The
 * work of a load generator and of the nats-servers is on the same machine: figures are compared with each other.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sendAll } from "../../bench/client.ts";
import { hitMix } from "../../bench/ingest.ts";
import { median } from "../../bench/measure.ts";
import { cpuSeconds } from "../../bench/memory.ts";
import { withFolder } from "../support/folder.ts";
import type { Torture } from "../torture/torture.ts";
import { Cluster } from "./cluster.ts";
import { ClusterNode } from "./node.ts";

/** Hits at a time, at all nodes together. */
const atOnce = [8, 64, 512];
const usualAtOnce = 64;
const turns = 3;
const attemptsMax = 10;
/** The hits of `bench/` are of this website. */
const website = "bench.example";

/** Servers that are measured together. */
interface Servers {
  readonly what: string;
  readonly nodes: readonly ClusterNode[];
  readonly natsPids: readonly number[];
  readonly stop: () => Promise<unknown>;
}

/** Microseconds a hit of the processor: of the node that costs most, of each other one, and of all nats-servers. */
interface Speed {
  readonly hitsPerSecond: number;
  readonly first: number;
  readonly others: number;
  readonly nats: number;
}

async function startAlone(command: readonly string[], folder: string): Promise<Servers> {
  const machine = { address: "127.0.0.1", clientAddress: "127.0.0.1", command: [] };
  const args = ["--loads-per-network", "1000000"];
  const node = new ClusterNode({ name: "alone", machine, command, folder, args });
  await node.start();
  node.cookie = await node.logIn();
  return { what: "the log on the disk", nodes: [node], natsPids: [], stop: () => node.end("SIGTERM") };
}

async function startCluster(
  what: string,
  command: readonly string[],
  folder: string,
  size: number,
): Promise<Servers> {
  mkdirSync(folder);
  const cluster = await Cluster.start({ command, folder, size });
  const natsPids = cluster.nats.servers.map(({ pid }) => pid);
  return { what, nodes: cluster.nodes, natsPids, stop: () => cluster.stop() };
}

/**
 * Sends hits to all nodes alike. Resolves to how many seconds that took; undefined if some were refused, as on a busy
 * machine when another node begins to sequence.
 */
async function send(
  { nodes }: Servers,
  hits: number,
  connections: number,
  suffix: string,
): Promise<number | undefined> {
  const each = Math.floor(hits / nodes.length);
  const results = await Promise.all(
    nodes.map(({ port }, at) => {
      const own = Math.floor((connections + at) / nodes.length);
      return sendAll(port, each, own, hitMix(each, `${suffix}-${at}`));
    }),
  );
  if (results.some(({ failed }) => failed > 0)) return undefined;
  return Math.max(...results.map(({ seconds }) => seconds));
}

/** A turn with refused hits is made again. */
async function measured(
  servers: Servers,
  hits: number,
  connections: number,
  suffix: string,
  attempt = 1,
): Promise<Speed> {
  const { what, nodes, natsPids } = servers;
  const now = () => [...nodes.map(({ pid }) => pid), ...natsPids].map((pid) => cpuSeconds(pid));
  const before = now();
  const seconds = await send(servers, hits, connections, `${suffix}-${attempt}`);
  if (seconds === undefined) {
    if (attempt === attemptsMax) throw new Error(`${what}: hits were refused in each of ${attempt} attempts`);
    return measured(servers, hits, connections, suffix, attempt + 1);
  }
  const used = now().map((cpu, at) => ((cpu - before[at]!) / hits) * 1e6);
  const [first = 0, ...others] = used.slice(0, nodes.length).sort((a, b) => b - a);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const nats = sum(used.slice(nodes.length));
  return { hitsPerSecond: hits / seconds, first, others: sum(others) / Math.max(1, others.length), nats };
}

function told(what: string, connections: number, speeds: readonly Speed[]): string {
  const [hits = "", ...costs] = (["hitsPerSecond", "first", "others", "nats"] as const).map((name) => {
    const values = speeds.map((speed) => speed[name]);
    const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0));
    return `${median(values).toFixed(0)} (${least} to ${most})`;
  });
  return `${connections} at a time, ${what}: ${hits} hits/s, ${costs.join(" + ")} µs a hit`;
}

export const speed: Torture = {
  needs: "nats",
  about: "hits a second and what a hit costs, of one to three nodes",
  // Thousands of hits.
  rounds: { full: 20, short: 0 },
  run: ({ rounds, command, older, isFull }) =>
    withFolder(async (top) => {
      const hits = rounds * 1_000;
      await using open = new AsyncDisposableStack();
      const all: Servers[] = [];
      const add = async (starting: Promise<Servers>) => {
        const servers = await starting;
        open.defer(async () => void (await servers.stop()));
        all.push(servers);
        await servers.nodes[0]!.post("/websites", { hostname: website });
        await measured(servers, hits, usualAtOnce, "warm");
      };
      await add(startAlone(command, join(top, "alone")));
      for (const size of isFull ? [1, 2, 3] : [3])
        await add(startCluster(`${size} nodes`, command, join(top, `cluster-${size}`), size));
      if (older) await add(startCluster("3 older nodes", older, join(top, "older"), 3));
      const lines: string[] = [];
      for (const connections of atOnce) {
        const speeds = all.map((): Speed[] => []);
        // Few at a time take long.
        const sent = Math.round(hits * Math.min(1, connections / usualAtOnce));
        for (let turn = 0; turn < turns; turn++)
          for (const [at, servers] of all.entries())
            speeds[at]!.push(await measured(servers, sent, connections, `${connections}-${turn}`));
        lines.push(...all.map(({ what }, at) => told(what, connections, speeds[at]!)));
      }
      return `CPU of the node that costs most + each other one + all of NATS;\n${lines.join(";\n")}`;
    }),
};
