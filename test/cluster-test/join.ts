/**
 * A node joins a cluster that has millions of page views, with an empty folder, while hits come to the others: how long it
 * takes until it has given a right answer about all of them, and that no other node has refused a hit meanwhile.
 */
import { join as joined } from "node:path";
import { hostname as website } from "../../bench/folder.ts";
import { withPageViews } from "../../bench/scale-folder.ts";
import { withFolder } from "../support/folder.ts";
import type { Torture } from "../torture/torture.ts";
import { withCluster, type Cluster } from "./cluster.ts";
import { told } from "./faults.ts";
import { Traffic } from "./traffic.ts";

/** Hits a second to the nodes that are there, all the time. */
const rate = 200;
const questions = [
  ...["pages", "referrers", "browsers", "countries"].map((list) => `/website/${website}/${list}?limit=20`),
  `/website/${website}/summary`,
];

interface Joined {
  readonly startMs: number;
  readonly firstMs: number;
  readonly allMs: number;
}

/** Starts a node with an empty folder. Throws for an answer that is not that of the first node. */
async function joinWith(cluster: Cluster, name: string, expected: readonly string[]): Promise<Joined> {
  const joining = cluster.newNode(name);
  const beganMs = performance.now();
  const sinceMs = () => performance.now() - beganMs;
  await joining.startAgain();
  const startMs = sinceMs();
  let firstMs = 0;
  for (const [at, question] of questions.entries()) {
    const text = await joining.text(question);
    firstMs ||= sinceMs();
    if (text !== expected[at]) throw new Error(`${name} answered ${question} with ${text.slice(0, 500)}`);
  }
  const allMs = sinceMs();
  await cluster.same([cluster.nodes[0]!, joining]);
  await joining.end("SIGTERM");
  return { startMs, firstMs, allMs };
}

export const join: Torture = {
  needs: "nats",
  about: "a node that joins with millions of page views",
  // Millions of page views.
  rounds: { full: 10, short: 0 },
  run: ({ rounds, command }) =>
    withPageViews(undefined, rounds * 1e6, (moved) =>
      withFolder((folder) =>
        withCluster({ command, folder, moved: joined(moved, "snapshots") }, async (cluster) => {
          const [first] = cluster.nodes;
          const expected = await Promise.all(questions.map((question) => first!.text(question)));
          const traffic = new Traffic({ nodes: cluster.nodes, prefix: "/j/", rate });
          const turns: Joined[] = [];
          for (const name of ["node-4", "node-5", "node-6"])
            turns.push(await joinWith(cluster, name, expected));
          await traffic.stop();
          if (traffic.refused.size > 0) throw new Error(`a node refused hits: ${told(traffic)}`);
          const same = await cluster.expectSame();
          const times = turns.map((turn) =>
            Object.values(turn)
              .map((ms: number) => (ms / 1_000).toFixed(1))
              .join(", "),
          );
          return `with ${rounds} million page views: listens, first answer, ${questions.length} answers after ${times.join("; ")} s; ${told(traffic)}; ${same}`;
        }),
      ),
    ),
};
