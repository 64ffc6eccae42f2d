/**
 * Load to all nodes while one process after the other fails: a nats-server or a node is killed with -9 or paused, or a
 * machine is cut off from the others for a while (cut-off.ts). Nothing that was acknowledged is lost or counted twice, and
 * after the last fault all nodes are the same.
 */
import { isThere } from "../support/needs.ts";
import { withFolder } from "../support/folder.ts";
import { randomFrom } from "../support/random.ts";
import type { Torture } from "../torture/torture.ts";
import { withCluster, type Cluster } from "./cluster.ts";
import { cutOff } from "./cut-off.ts";
import { Traffic } from "./traffic.ts";

/** Times of the full run and of the short form, in milliseconds. */
const times = {
  full: { apart: 20_000, down: 3_000, cut: 30_000, rate: 2_000 },
  short: { apart: 1_500, down: 500, cut: 2_000, rate: 200 },
} as const;
type Times = (typeof times)[keyof typeof times];

interface Fault {
  readonly name: string;
  readonly needsNetworks?: true;
  /** Ends when the fault is over, or what failed has begun to start again. */
  readonly run: (cluster: Cluster, machine: number, times: Times) => Promise<void>;
}

const faults: readonly Fault[] = [
  {
    name: "a nats-server killed",
    run: async ({ nats }, machine, { down }) => {
      const server = nats.servers[machine]!;
      await server.kill();
      await Bun.sleep(down);
      server.launch();
    },
  },
  {
    name: "a node killed",
    run: async ({ nodes }, machine, { down }) => {
      const node = nodes[machine]!;
      await node.end("SIGKILL");
      await Bun.sleep(down);
      await node.startAgain();
    },
  },
  {
    // Longer than a lease: it still believes that it sequences when it wakes.
    name: "a node paused",
    run: async ({ nodes }, machine, { down }) => {
      nodes[machine]!.pause();
      await Bun.sleep(Math.max(down * 2, 5_000));
      nodes[machine]!.resume();
    },
  },
  {
    name: "a machine cut off",
    needsNetworks: true,
    run: (cluster, machine, { cut }) => cutOff(cluster, machine, cut),
  },
];

export const faultsUnderLoad: Torture = {
  needs: "nats",
  about: "processes killed, paused and cut off under load to all nodes",
  rounds: { full: 30, short: 2 },
  run: ({ rounds, seed, command, isFull }) =>
    withFolder(async (folder) => {
      const random = randomFrom(seed);
      const hasNetworks = isFull === true && isThere("networks");
      const chosen = isFull ? times.full : times.short;
      const possible = faults.filter(({ needsNetworks }) => !needsNetworks || hasNetworks);
      return withCluster({ command, folder, hasNetworks }, async (cluster) => {
        const traffic = new Traffic({ nodes: cluster.nodes, prefix: "/f/", rate: chosen.rate });
        const counts = new Map<string, number>();
        for (let round = 0; round < rounds; round++) {
          const begunMs = performance.now();
          // The short form has each fault once.
          const at = isFull ? Math.floor(random() * possible.length) : round % possible.length;
          const fault = possible[at]!;
          await fault.run(cluster, Math.floor(random() * cluster.nodes.length), chosen);
          counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
          await Bun.sleep(Math.max(0, begunMs + chosen.apart - performance.now()));
        }
        await cluster.startAll();
        await traffic.stop();
        const same = await cluster.expectSame();
        await cluster.expectKept([traffic]);
        const what = [...counts].map(([name, times]) => `${times} × ${name}`).join(", ");
        return `${what}; ${told(traffic)}; ${same}`;
      });
    }),
};

/** Says what became of the hits. */
export function told({ acknowledged, failed, refused }: Traffic): string {
  const kinds = [...refused].map(([status, count]) => `${count} × ${status || "no answer"}`).join(", ");
  return `${acknowledged} hits acknowledged, none lost, none twice; ${failed} not (${kinds || "none"})`;
}
