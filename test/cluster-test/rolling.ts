/**
 * One node after the other is stopped and started, as an upgrade does: a client that asks the next node when one does not
 * answer has no hit refused, and logins stay. Then a new node joins, which has only backups and the stream to start from.
 */
import { withFolder } from "../support/folder.ts";
import type { Torture } from "../torture/torture.ts";
import { withCluster } from "./cluster.ts";
import { told } from "./faults.ts";
import { Traffic } from "./traffic.ts";

export const rolling: Torture = {
  needs: "nats",
  about: "a rolling restart, and a node that joins",
  rounds: { full: 5, short: 1 },
  run: ({ rounds, command, isFull }) =>
    withFolder((folder) =>
      withCluster({ command, folder }, async (cluster) => {
        const rate = isFull ? 1_000 : 100;
        const traffic = new Traffic({ nodes: cluster.nodes, prefix: "/r/", rate, attempts: 60 });
        for (let round = 0; round < rounds; round++)
          for (const node of cluster.nodes) {
            const code = await node.end("SIGTERM");
            if (code !== 0) throw new Error(`${node.name} stopped with ${code}`);
            await node.startAgain();
            await node.text("/user");
          }
        await traffic.stop();
        if (traffic.failed > 0) throw new Error(`${traffic.failed} hits were taken by no node`);
        const joining = cluster.newNode("node-4");
        const startMs = performance.now();
        await joining.startAgain();
        await cluster.same([cluster.nodes[0]!, joining]);
        const joinedMs = Math.round(performance.now() - startMs);
        await joining.end("SIGTERM");
        const same = await cluster.expectSame();
        await cluster.expectKept([traffic]);
        return `${rounds * 3} restarts; ${told(traffic)}; a new node has the same after ${joinedMs} ms; ${same}`;
      }),
    ),
};
