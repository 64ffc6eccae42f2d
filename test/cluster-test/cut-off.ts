/** A machine is cut off from the others for a while: these take hits again soon, and it says all the time that it is not ready. */
import { until } from "../support/until.ts";
import type { Cluster } from "./cluster.ts";
import type { ClusterNode } from "./node.ts";
import { hostname } from "./traffic.ts";

/** The others take hits again within this time: a connection to the machine is given up after 6 s, a lease lapses after 4. */
const againMs = 20_000;
/** The number of hits, one after the other: a node at which each is slow has not come to itself. */
const hitsTaken = 30;
/** The machine is not ready from this time on. */
const unreadyMs = 10_000;
/** The pause between two looks. */
const lookMs = 500;

/** Resolves when the machine is joined to the others again, `cutMs` later. Throws for what did not hold. */
export async function cutOff({ machines, nodes }: Cluster, machine: number, cutMs: number): Promise<void> {
  const own = machines.machines[machine]!;
  const startMs = performance.now();
  own.setCut(true);
  await Promise.all(
    nodes.map((node, index) =>
      index === machine ? expectUnready(node, startMs, cutMs) : expectTaken(node, startMs),
    ),
  );
  own.setCut(false);
}

async function expectTaken(node: ClusterNode, startMs: number): Promise<void> {
  let [hits, taken] = [0, 0];
  const areTaken = async () => {
    const beacon = `cut-off-${startMs}-${node.name}-${hits++}`;
    if ((await node.hit(`https://${hostname}/cut-off`, beacon)).ok) taken++;
    return taken === hitsTaken;
  };
  await until(areTaken, `${node.name} takes hits while another machine is cut off`);
  const ms = performance.now() - startMs;
  if (ms > againMs)
    throw new Error(`${node.name} took hits only ${Math.round(ms)} ms after another machine was cut off`);
}

async function expectUnready(node: ClusterNode, startMs: number, cutMs: number): Promise<void> {
  for (;;) {
    const ms = performance.now() - startMs;
    if (ms >= cutMs) return;
    if (ms >= unreadyMs && (await node.ask("/readyz")).ok)
      throw new Error(`${node.name} said that it was ready ${Math.round(ms)} ms after it was cut off`);
    await Bun.sleep(Math.min(lookMs, cutMs - ms));
  }
}
