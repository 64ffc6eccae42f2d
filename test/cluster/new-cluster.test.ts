/** A node with an empty folder begins a new cluster only where nothing says that there is one already. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { startClusterBackups } from "../../src/cli/cluster/backups.ts";
import type { ClusterServer } from "../../src/cli/cluster/server.ts";
import { connect } from "../../src/cluster/connection/connect.ts";
import { openStream } from "../../src/cluster/open-node.ts";
import { paceDefault } from "../../src/cluster/pace.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { commitSome, openServer } from "../support/cluster-folders.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { linesOf } from "../support/log-lines.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

describeWith("nats", "a node with an empty folder", () => {
  let cluster: TestCluster;
  const servers: ClusterServer[] = [];
  beforeEach(async () => {
    cluster = await TestCluster.start();
    mkdirSync(join(cluster.top, "objects"));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    await cluster.stop();
  });

  async function open(name: string, prefix: string, objects = "objects"): Promise<ClusterServer> {
    const given = { objects: join(cluster.top, objects), prefix };
    const server = await openServer(cluster.servers, join(cluster.top, name), given);
    servers.push(server);
    return server;
  }

  /** Returns the names of the streams of clusters. */
  async function streams(): Promise<readonly string[]> {
    const [{ connection }] = cluster.nodes as [TestNode];
    const manager = await jetstreamManager(connection);
    const names = await manager.streams.names().next();
    return names.filter((name) => name.endsWith("-log")).toSorted();
  }

  test("does not under another prefix, where the place of backups has those of a cluster", async () => {
    const node = await cluster.open("a");
    const { engine, folder } = await cluster.sequencer();
    await commitSome(engine);
    const { stream } = node.node["options"];
    const backups = startClusterBackups({
      folder,
      objects: join(cluster.top, "objects"),
      engine,
      stream,
      isOn: () => true,
      everyMs: 1,
    });
    await backups.round();
    await backups.stop();
    const [incarnation = ""] = readdirSync(join(cluster.top, "objects"));
    const refused = open("b", "tset");
    await expect(refused).rejects.toThrow(
      `have no stream with the prefix tset, but ${join(cluster.top, "objects")} is the place of a cluster (${incarnation}):`,
    );
    await expect(refused).rejects.toThrow("the right --nats-prefix");
    expect(await streams()).toEqual(["test-log"]);
    expect(readdirSync(join(cluster.top, "b"))).toEqual([]);

    // Under the right one it joins, and another cluster has a place of its own.
    const joined = await open("b", "test");
    await until(() => joined.node.nodes.length === 2, "it hears of the other");
    expect(node.node.nodes.map(({ name }) => name)).toContain(joined.node.name);
    await open("c", "other", "of-other");
    expect(await streams()).toEqual(["other-log", "test-log"]);
  });

  test("does not under another prefix before the cluster has its first backup", async () => {
    await open("a", "test");
    const note = [...new Bun.Glob("**").scanSync(join(cluster.top, "objects"))];
    expect(note).toEqual([expect.stringMatching(/^[0-9a-f]{32}\/cluster$/)]);
    await expect(open("b", "tset")).rejects.toThrow("is the place of a cluster with the prefix test (");
    await open("b", "test");
  });

  test("does not where others run whose stream is lost: they go on answering", async () => {
    const [one, other] = [await cluster.open("a"), await cluster.open("b")];
    await commitSome((await cluster.sequencer()).engine);
    await cluster.level();
    let isEnded = false;
    for (const { node } of [one, other]) void node.failed.then(() => (isEnded = true));
    await cluster.servers.loseStreams();
    await until(async () => {
      for (const { connection } of [one, other]) await connection.rtt();
      return true;
    }, "they are connected again");
    const refused = cluster.open("c", {}, "test", paceDefault);
    await expect(refused).rejects.toThrow("have no stream with the prefix test, but ");
    await expect(refused).rejects.toThrow(
      `${[one.node.name, other.node.name].sort().join(", ")} run with it`,
    );
    await expect(refused).rejects.toThrow("'footfall cluster move --back --data FOLDER'");
    expect(await streams()).toEqual([]);
    expect(isEnded).toBe(false);
    expect(other.engine.site(1)?.rows).toBe(5);
  });

  test("begins one where there is none, also together with others, and one of them says so", async () => {
    const { lines, logger } = linesOf();
    const names = ["a", "b", "c", "d"];
    const nodes = await Promise.all(names.map((name) => cluster.open(name, { logger })));
    const begun = lines.filter((line) => line.includes("a new cluster begins"));
    const starts = nodes.map(({ node }) => node["options"].stream.start.incarnation);
    expect(new Set(starts).size).toBe(1);
    expect(begun).toEqual([expect.stringMatching(new RegExp(`info .*prefix=test incarnation=${starts[0]}`))]);
    await commitSome((await cluster.sequencer()).engine);
    await cluster.level();
    expect(nodes.map(({ engine }) => engine.site(1)?.rows)).toEqual([5, 5, 5, 5]);
  });

  test("takes the stream of another one that began while this one looked", async () => {
    const connection = await connect(cluster.servers.urls.split(","));
    let other: TestNode | undefined;
    const place = {
      found: async () => {
        other = await cluster.open("a");
        return "its backups are there";
      },
      noteBegun: () => Promise.reject(new Error("it is not this one's")),
    };
    try {
      const options = { connection, prefix: "test", replicas: 1 };
      const given = { random: systemRandom, logger: silentLogger, place };
      const stream = await openStream(options, join(cluster.top, "b"), given);
      expect(stream.start).toEqual(other!.node["options"].stream.start);
    } finally {
      await connection.close();
    }
  });
});
