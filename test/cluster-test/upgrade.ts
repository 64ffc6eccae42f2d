/**
 * A rolling upgrade: all nodes run an older executable, and one after the other is stopped and started as this one, under
 * load. A client that asks the next node when one does not answer has no hit refused; logins stay; what the older nodes
 * would not understand is refused until the last of them is replaced; and in the end all nodes have the same.
 */
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import type { Torture } from "../torture/torture.ts";
import { withCluster, type Cluster } from "./cluster.ts";
import { told } from "./faults.ts";
import type { ClusterNode } from "./node.ts";
import { buildOlder } from "./older.ts";
import { browser } from "../support/server.ts";
import { hostname, Traffic } from "./traffic.ts";

/** The kinds of records of API tokens, which the older executable does not know. */
const ofTokens = [35, 36, 37];

/** Whether a node makes an API token; false if the log may not have it yet. Throws for any other answer. */
async function makesToken(node: ClusterNode, name: string): Promise<boolean> {
  const answer = await node.post("/user/tokens", { name, scope: "send" });
  const text = await answer.text();
  if (answer.status === 201 || answer.status === 500) return answer.status === 201;
  throw new Error(`${node.name} answered ${answer.status} to a new token: ${text}`);
}

/** Throws unless a node takes a record that all understand, and refuses one of a token. */
async function expectRefused(node: ClusterNode, name: string): Promise<void> {
  // Between two sequencers nothing is taken, and a website may be there though its answer was lost.
  await until(
    async () => [201, 409].includes((await node.post("/websites", { hostname: `${name}.example` })).status),
    () => `${node.name} takes a website`,
  );
  if (await makesToken(node, name))
    throw new Error(`${node.name} made a token, which an older node does not understand`);
}

/** Replaces the executable of a node. */
async function upgrade(node: ClusterNode, command: readonly string[]): Promise<void> {
  const code = await node.end("SIGTERM");
  if (code !== 0) throw new Error(`${node.name} stopped with ${code}`);
  node.command = command;
  await node.startAgain();
  await node.text("/user");
}

/** Sends the events of a cart at once, of which several come in the same millisecond: each version keeps the same of them. */
async function sendCart(node: ClusterNode, beacon: string): Promise<void> {
  const send = async (path: string, body: object) => {
    await until(
      async () => (await node.post(path, body, { "user-agent": browser })).status === 200,
      () => `${node.name} takes a hit of ${beacon}`,
    );
  };
  await send("/event/hit", { b: beacon, u: `https://${hostname}/cart`, p: true });
  const lines = Array.from({ length: 40 }, (_, line) => ({
    b: beacon,
    d: { product: `${line}`, price: line },
  }));
  await Promise.all(lines.map((line) => send("/event/hit", line)));
}

/** Returns how often a token was refused meanwhile. */
async function upgradeAll(
  { nodes }: Cluster,
  command: readonly string[],
  hasFewerKinds: boolean,
): Promise<number> {
  let refused = 0;
  for (const [at, node] of nodes.entries()) {
    for (const asked of hasFewerKinds ? nodes : []) {
      await expectRefused(asked, `before-${at}-${asked.name}`);
      refused++;
    }
    await sendCart(node, `before ${node.name}`);
    await upgrade(node, command);
    await sendCart(node, `after ${node.name}`);
  }
  for (const node of nodes)
    await until(
      () => makesToken(node, `of ${node.name}`),
      () => `${node.name} makes a token when all nodes are new`,
    );
  return refused;
}

export const rollingUpgrade: Torture = {
  needs: "nats",
  about: "a rolling upgrade from an older executable",
  // It builds an earlier revision, which not every clone has.
  rounds: { full: 3, short: 0 },
  run: ({ rounds, command, older, isFull }) =>
    withFolder(async (top) => {
      const first = older ?? [buildOlder(top, ofTokens)];
      const results: string[] = [];
      for (let round = 0; round < rounds; round++)
        results.push(
          await withFolder((folder) =>
            withCluster({ command, first, folder }, async (cluster) => {
              const rate = isFull ? 1_000 : 100;
              const traffic = new Traffic({ nodes: cluster.nodes, prefix: "/u/", rate, attempts: 60 });
              const refused = await upgradeAll(cluster, command, older === undefined);
              await traffic.stop();
              if (traffic.failed > 0) throw new Error(`${traffic.failed} hits were taken by no node`);
              const same = await cluster.expectSame();
              await cluster.expectKept([traffic]);
              const later = refused === 0 ? "" : `a token was refused ${refused} times, `;
              return `${told(traffic)}; ${later}a token was made at each node in the end; ${same}`;
            }),
          ),
        );
      return `${rounds * 3} nodes upgraded; ${results.join("; ")}`;
    }),
};
