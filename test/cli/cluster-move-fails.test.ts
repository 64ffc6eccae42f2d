/** A move into a cluster whose last step fails: the cluster is there, and whoever moves learns what to do. */
import { expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unfinishedName } from "../../src/lib/disk/disk.ts";
import { manifestName } from "../../src/snapshot/manifest.ts";
import { command } from "../support/command.ts";
import { openServer } from "../support/cluster-folders.ts";
import { useFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { makeSoundFolder } from "../support/sound-folder.ts";

const top = useFolder();
const [folder, objects] = [join(top, "data"), join(top, "objects")];

describeWith("nats", "a folder that is moved in and cannot be written then", () => {
  test("is said to be that of the first node, and becomes it", async () => {
    const nats = await NatsServers.start();
    try {
      await makeSoundFolder(folder);
      const inTheWay = unfinishedName(join(folder, manifestName(1)));
      mkdirSync(inTheWay);
      const move = () =>
        command(
          folder,
          ...[
            "cluster",
            "move",
            "--nats",
            nats.urls,
            "--nats-replicas",
            "1",
            "--nats-prefix",
            "failing",
            "--objects",
            objects,
          ],
        );
      expect(await move()).toEqual({
        exitCode: 2,
        printed: expect.stringMatching(
          /^footfall: the cluster has everything up to record \d+, but \S+ is not that of a node yet: cannot remove .* start the first/m,
        ),
      });
      rmSync(inTheWay, { recursive: true });
      expect((await move()).printed).toContain("there is a cluster already");
      const server = await openServer(nats, folder, { objects, prefix: "failing" });
      await server.stop();
    } finally {
      await nats.stop();
    }
  });
});
