/** A cluster whose backups fail goes on, and says so until one succeeds: its stream grows meanwhile. */
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServer } from "../support/cluster-folders.ts";
import { useFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const top = useFolder();

describeWith("nats", "backups of a cluster that fail", () => {
  test("are a trouble of the node that makes them", async () => {
    const objects = join(top, "objects");
    mkdirSync(objects);
    const nats = await NatsServers.start();
    const server = await openServer(nats, join(top, "node"), { objects });
    try {
      const trouble = () => server.node.nodes[0]?.trouble;
      await until(() => server.node.isSequencer, "it sequences");
      expect(trouble()).toBeUndefined();
      renameSync(objects, `${objects}-gone`);
      writeFileSync(objects, "");
      await server["backups"]?.round();
      await until(() => trouble() === "its backups for the cluster fail", "it says so");
    } finally {
      await server.stop();
      await nats.stop();
    }
  });
});
