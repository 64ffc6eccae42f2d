/** A node that stops while NATS is away saves what it has, and soon. */
import { afterEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { isManifest } from "../../src/snapshot/manifest.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { peersOf, SharedNode } from "../support/cluster-nodes.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith, testWith } from "../support/needs.ts";
import { NatsServers, type NatsServer } from "../support/nats.ts";
import { until } from "../support/until.ts";

/** Far less than what waits for NATS here does. */
const soonMs = 20_000;

async function expectSoon(stopping: Promise<unknown>): Promise<void> {
  const beganMs = performance.now();
  await stopping;
  expect(performance.now() - beganMs).toBeLessThan(soonMs);
}

describeWith("nats", "a node that stops", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  test.each<[string, (server: NatsServer) => unknown]>([
    ["gone", (server) => server.kill()],
    ["silent", (server) => server.pause()],
  ])("does not wait for a server of NATS that is %s", async (_, leave) => {
    cluster = await TestCluster.start();
    const first = await cluster.open("a");
    await until(() => first.node.isSequencer, "it appends");
    const other = await cluster.open("b");
    await first.engine.commit(userAdded(1, "ada"));
    await cluster.level();
    await leave(cluster.servers.servers[0] as NatsServer);
    // It would wait for an answer for a minute.
    const waiting = first.engine.commit(websiteAdded(1, "a.example")).catch((error: unknown) => error);
    await Bun.sleep(100);
    for (const node of [first, other]) {
      await expectSoon(cluster.close(node));
      expect(checkpointOf(node)).toBe(node.engine.appliedSeq);
    }
    expect(await waiting).toMatchObject({ code: 500 });
  });
});

/** The last record of the newest checkpoint. */
function checkpointOf({ folder }: TestNode): number {
  return Number.parseInt(readdirSync(folder).filter(isManifest).sort().at(-1) as string, 10);
}

testWith("nats", "answers to other nodes are not waited for where a server of NATS is silent", async () => {
  const servers = await NatsServers.start();
  // The client would notice after some seconds.
  const node = await SharedNode.open("a", servers.urls, { sequencer: "a" }, { pingInterval: 60_000 });
  try {
    const peers = peersOf(node, async () => new Response());
    await node.connection.flush();
    servers.servers[0]?.pause();
    await expectSoon(peers.stop());
  } finally {
    await servers.stop();
    await node.stop();
  }
});
