/**
 * All nats-servers end at once, under load, again and again: killed with -9, or by a power cut of all, for which they are on
 * an image that is copied without what the system has not written yet. No acknowledged hit is lost. While there are none,
 * hits are refused with `Retry-After`, questions are answered from what is known, and then all resumes by itself.
 */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { randomFrom } from "../support/random.ts";
import { until } from "../support/until.ts";
import { run } from "../torture/images.ts";
import type { Torture, TortureOptions } from "../torture/torture.ts";
import { withCluster, type Cluster } from "./cluster.ts";
import { told } from "./faults.ts";
import { hostname, pathsMax, Traffic } from "./traffic.ts";

/** Load before each outage, in milliseconds. */
const loadMs = 500;
const imageBytes = 512 * 1024 * 1024;

/** Throws unless a node without NATS refuses a hit as one that may be sent again, and answers a question. */
async function expectWithout({ nodes }: Cluster): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      const refused = await node.hit(`https://${hostname}/without`, `without-${node.name}`);
      const text = await refused.text();
      if (refused.status !== 500 || refused.headers.get("retry-after") === null)
        throw new Error(`${node.name} answered a hit without NATS with ${refused.status}: ${text}`);
      await node.text(`/website/${hostname}/pages`);
    }),
  );
}

/** Makes as many outages as there are rounds: `end` ends all nats-servers, and what they have may change with it. */
async function outagesOf(
  cluster: Cluster,
  { rounds, seed }: TortureOptions,
  end: () => Promise<void>,
): Promise<string> {
  const random = randomFrom(seed);
  const paths = Math.floor(pathsMax / rounds);
  const traffics: Traffic[] = [];
  let longestMs = 0;
  for (let round = 0; round < rounds; round++) {
    const traffic = new Traffic({ nodes: cluster.nodes, prefix: `/o${round}/`, paths, rate: 500 });
    traffics.push(traffic);
    await until(() => traffic.acknowledged > 0, "a hit is acknowledged");
    await Bun.sleep(random() * loadMs);
    await end();
    // Every other time they begin again at once, and a batch may be stored that waited for them.
    if (round % 2 === 1) await cluster.nats.startAll();
    await traffic.stop();
    if (round === 0) await expectWithout(cluster);
    const startMs = performance.now();
    await cluster.nats.startAll();
    await until(
      async () => (await cluster.nodes[0]!.hit(`https://${hostname}/again`, `again-${round}`)).ok,
      "hits are taken again",
    );
    longestMs = Math.max(longestMs, performance.now() - startMs);
  }
  const same = await cluster.expectSame();
  await cluster.expectKept(traffics);
  const all = traffics.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const last = told(traffics.at(-1)!);
  const again = `taken again after ${Math.round(longestMs)} ms at most`;
  return `${rounds} times, ${all} hits acknowledged, none lost; ${again}; the last: ${last}; ${same}`;
}

export const outages: Torture = {
  needs: "nats",
  about: "all nats-servers killed at once under load",
  rounds: { full: 50, short: 1 },
  run: (options) =>
    withFolder((folder) =>
      withCluster({ command: options.command, folder }, (cluster) =>
        outagesOf(cluster, options, () => cluster.nats.killAll()),
      ),
    ),
};

export const powerCuts: Torture = {
  needs: "mount",
  about: "a power cut of all nats-servers under load",
  rounds: { full: 50, short: 0 },
  run: (options) =>
    withFolder(async (folder) => {
      const [image = "", copy = "", place = ""] = ["image", "copy", "nats"].map((name) => join(folder, name));
      mkdirSync(place);
      run("truncate", "-s", String(imageBytes), image);
      run("mkfs.ext4", "-q", image);
      run("mount", "-o", "loop", image, place);
      try {
        return await withCluster({ command: options.command, folder, natsFolder: place }, (cluster) => {
          // The servers were set up long before the first cut.
          for (const server of cluster.nats.servers) run("sync", join(server.folder, "nats.conf"));
          return outagesOf(cluster, options, async () => {
            // Nothing is acknowledged while the copy is made.
            for (const server of cluster.nats.servers) server.pause();
            run("cp", "--sparse=always", image, copy);
            await cluster.nats.killAll();
            run("umount", place);
            renameSync(copy, image);
            run("mount", "-o", "loop", image, place);
          });
        });
      } finally {
        run("umount", place);
      }
    }),
};
