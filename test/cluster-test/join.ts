/**
 * A node joins a cluster that has millions of page views, with an empty folder, while hits come to the others: how long it
 * takes until it has given a right answer about all of them, and that no other node has refused a hit meanwhile.
 */
import { join as joined } from "node:path";
import { hostname as website } from "../../bench/folder.ts";
import { cpuSeconds } from "../../bench/memory.ts";
import { withPageViews } from "../../bench/scale-folder.ts";
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import type { Torture } from "../torture/torture.ts";
import { withCluster, type Cluster } from "./cluster.ts";
import { told } from "./faults.ts";
import type { ClusterNode } from "./node.ts";
import { Traffic } from "./traffic.ts";

/** Hits a second to the nodes that are there, all the time. */
const rate = 200;
const questions = [
  ...["pages", "referrers", "browsers", "countries"].map((list) => `/website/${website}/${list}?limit=20`),
  `/website/${website}/summary`,
];

/** In seconds since its start, and of the processor. */
interface Joined {
  readonly listens: number;
  readonly first: number;
  readonly all: number;
  readonly cpuAtFirst: number;
}

/** Asks until there is an answer: on a busy machine the first one may take long. */
async function answerOf(node: ClusterNode, question: string): Promise<string> {
  let text = "";
  await until(
    async () => {
      text = await node.text(question);
      return true;
    },
    () => `${node.name} answers ${question}`,
  );
  return text;
}

/** Starts a node with an empty folder. Throws for an answer that is not that of the first node. */
async function joinWith(cluster: Cluster, name: string, expected: readonly string[]): Promise<Joined> {
  const joining = cluster.newNode(name);
  const beganMs = performance.now();
  const since = () => (performance.now() - beganMs) / 1_000;
  await joining.startAgain();
  const listens = since();
  let [first, cpuAtFirst] = [0, 0];
  for (const [at, question] of questions.entries()) {
    const text = await answerOf(joining, question);
    first ||= since();
    cpuAtFirst ||= cpuSeconds(joining.pid);
    if (text !== expected[at]) throw new Error(`${name} answered ${question} with ${text.slice(0, 500)}`);
  }
  const all = since();
  await cluster.same([cluster.nodes[0]!, joining]);
  await joining.end("SIGTERM");
  return { listens, first, all, cpuAtFirst };
}

function toldOf({ listens, first, all, cpuAtFirst }: Joined): string {
  const [one, two, three, four] = [listens, first, all, cpuAtFirst].map((seconds) => seconds.toFixed(1));
  return `listens after ${one} s, first answer after ${two} s (${four} s of the processor), ${questions.length} answers after ${three} s`;
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
          const expected: string[] = [];
          for (const question of questions) expected.push(await answerOf(first!, question));
          const traffic = new Traffic({ nodes: cluster.nodes, prefix: "/j/", rate });
          const turns: Joined[] = [];
          for (const name of ["node-4", "node-5"]) turns.push(await joinWith(cluster, name, expected));
          await traffic.stop();
          const times = turns.map(toldOf).join("; ");
          // A machine that is very busy may leave one without an answer: that is told, and says nothing about nodes.
          if (traffic.refused.keys().some((status) => status !== 0))
            throw new Error(`a node refused hits: ${told(traffic)}; ${times}`);
          const same = await cluster.expectSame();
          return `${rounds} million page views: ${times}; meanwhile ${told(traffic)}; ${same}`;
        }),
      ),
    ),
};
