/** A node that starts again on its folder: what others answer to its life before does not reach it. */
import { expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Msg } from "@nats-io/transport-node";
import { NodeLink } from "../../src/cluster/forwarding/node-link.ts";
import { folderOf, nodeName } from "../../src/cluster/roster/node-name.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { SharedNode } from "../support/cluster-nodes.ts";
import { testWith } from "../support/needs.ts";
import { NatsServers } from "../support/nats.ts";
import { until } from "../support/until.ts";

const texts = { encode: new TextEncoder(), decode: new TextDecoder() };

testWith(
  "nats",
  "a late answer to a node that was killed is not taken for the first one to the next",
  async () => {
    const servers = await NatsServers.start();
    const roles = { sequencer: "other" };
    const folder = mkdtempSync(join(tmpdir(), "footfall-node-"));
    const names = ["other", nodeName(folder, systemRandom), nodeName(folder, systemRandom)];
    expect(folderOf(names[1] as string)).toBe(folderOf(names[2] as string));
    const [other, before, after] = (await Promise.all(
      names.map((name) => SharedNode.open(name, servers.urls, roles)),
    )) as [SharedNode, SharedNode, SharedNode];
    try {
      const asked: Msg[] = [];
      other.connection.subscribe("asked", { callback: (_, message) => void asked.push(message) });
      await other.connection.flush();
      const [old, next] = [before, after].map((node) => new NodeLink(node, "test", systemClock)) as [
        NodeLink,
        NodeLink,
      ];
      const lost = old.requests.ask("asked", texts.encode.encode("of the first life"), () => false);
      const gone = lost.catch((error: unknown) => String(error));
      await until(() => asked.length === 1, "the first life has asked");
      old.stop();
      expect(await gone).toContain("this node stops");
      const answer = next.requests.ask("asked", texts.encode.encode("of the second life"), () => false);
      await until(() => asked.length === 2, "the second life has asked");
      for (const message of asked) message.respond(message.data);
      expect(texts.decode.decode(await answer)).toBe("of the second life");
      next.stop();
    } finally {
      await Promise.all([other, before, after].map((node) => node.stop()));
      await servers.stop();
      rmSync(folder, { recursive: true });
    }
  },
);
