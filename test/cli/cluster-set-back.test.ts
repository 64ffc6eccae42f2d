/** Servers of NATS that were given an older copy of their disks, and nodes that were too: only the backups have more. */
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNotSetBack, startClusterBackups } from "../../src/cli/cluster/backups.ts";
import { placeOf } from "../../src/cli/cluster/objects.ts";
import type { ClusterServer } from "../../src/cli/cluster/server.ts";
import type { RunningNode } from "../../src/cluster/running-node.ts";
import { listName } from "../../src/snapshot/backup-list.ts";
import { TestCluster } from "../support/cluster.ts";
import { commitSome, openServer, view } from "../support/cluster-folders.ts";
import { useFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const top = useFolder();
const [folder, objects] = [join(top, "node"), join(top, "objects")];
const placesOf = (nats: NatsServers) => [folder, join(nats.servers[0]?.folder as string, "streams")];

async function open(nats: NatsServers): Promise<ClusterServer> {
  const server = await openServer(nats, folder, { objects });
  await until(() => server.node.isSequencer, "it sequences");
  return server;
}

async function backUp({ engine, node }: ClusterServer): Promise<void> {
  const { stream } = (node as RunningNode)["options"];
  const isOn = () => true;
  const backups = startClusterBackups({ folder, objects, engine, stream, isOn, everyMs: 1 });
  await backups.round();
  await backups.stop();
}

describeWith("nats", "a stream that was set back with the folders of its nodes", () => {
  test("is found at the start by what a backup has, and goes on once that is gone", async () => {
    mkdirSync(objects);
    const nats = await NatsServers.start();
    try {
      const first = await open(nats);
      await commitSome(first.engine);
      await first.stop();
      await nats.killAll();
      for (const place of placesOf(nats)) cpSync(place, `${place}-before`, { recursive: true });
      await nats.startAll();
      const second = await open(nats);
      await second.engine.commit(view("later"));
      await backUp(second);
      await second.stop();
      // A start that finds all is none that was set back.
      await (await open(nats)).stop();
      await nats.killAll();
      for (const place of placesOf(nats)) {
        rmSync(place, { recursive: true });
        cpSync(`${place}-before`, place, { recursive: true });
      }
      await nats.startAll();
      const refused = await open(nats).then(String, (error: Error) => error.message);
      expect(refused).toContain("the stream was set back: it ends with record ");
      const [, folderOfFile = ""] = /and (\S+)\/\S+\.backup has more/.exec(refused) ?? [];
      rmSync(folderOfFile, { recursive: true });
      await (await open(nats)).stop();
    } finally {
      await nats.stop();
    }
  });
});

describeWith("nats", "a stream that ends before what a backup has by one answer", () => {
  test("is none that was set back if a later answer has it all", async () => {
    const cluster = await TestCluster.start();
    try {
      const { engine, node } = await cluster.open("a");
      await until(() => node.isSequencer, "it sequences");
      await commitSome(engine);
      const { stream } = node["options"];
      const place = placeOf(cluster.top, stream.start);
      mkdirSync(place);
      const list = { folderId: "", seq: engine.appliedSeq + 1, madeMs: Date.now(), files: [] };
      writeFileSync(join(place, listName(list)), "");
      const found = expectNotSetBack(cluster.top, stream).then(() => "all is there", String);
      // The first answer is one of before.
      await Bun.sleep(500);
      await engine.commit(view("later"));
      expect(await found).toBe("all is there");
    } finally {
      await cluster.stop();
    }
  });
});
