/** Nodes tell of a stream that somebody changes while they run, and of a server of NATS that is away. */
import { afterEach, expect, test } from "bun:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { TestCluster } from "../support/cluster.ts";
import { linesOf } from "../support/log-lines.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

describeWith("nats", "a stream that is changed while nodes run", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("is an error in the log once, and the trouble of each node, until it is as it was", async () => {
    cluster = await TestCluster.start();
    const { lines, logger } = linesOf();
    const { node, connection } = await cluster.open("a", { logger });
    await cluster.sequencer();
    const watch = node["options"].watch;
    const trouble = () => node.nodes.find(({ name }) => name === node.name)?.trouble;
    await watch.look();
    expect(watch.troubles).toEqual([]);
    const { streams } = await jetstreamManager(connection);
    await streams.update("test-log", { discard: "old", max_msgs: 50 });
    for (let time = 0; time < 3; time++) await watch.look();
    await until(() => watch.look().then(() => trouble() !== undefined), "the node says so");
    expect(trouble()).toStartWith(
      'the stream test-log has discard "old", expected new: it lets records go that are acknowledged. Change it by ' +
        "'nats stream edit test-log'",
    );
    const told = lines.filter((line) =>
      line.includes("the stream of the cluster is not set as a log needs it"),
    );
    expect(told).toEqual([expect.stringMatching(/error .*discard/)]);
    // Another setting is told at once.
    await streams.update("test-log", { discard: "new" });
    const isNext = () => trouble()?.includes("has max_msgs 50, expected -1") === true;
    await until(() => watch.look().then(isNext), "the node says so");
    expect(lines.filter((line) => line.includes("not set as"))).toHaveLength(2);
    await streams.update("test-log", { max_msgs: -1 });
    await until(() => watch.look().then(() => trouble() === undefined), "nothing is wrong");
    const text = "the stream of the cluster is set as a log needs it again";
    expect(lines.some((line) => line.includes(text))).toBe(true);
  });
});

describeWith("nats", "a server of NATS that is away", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("is a warning in the log once, and the trouble of each node, until it is back, which is told", async () => {
    cluster = await TestCluster.start({ count: 3 });
    const { lines, logger } = linesOf();
    const { node } = await cluster.open("a", { logger });
    await cluster.sequencer();
    const { watch, stream } = node["options"];
    const isTold = async (words: string) => {
      await watch.look();
      return watch.troubles.join() === words;
    };
    await until(() => isTold(""), "all have the stream");
    const [leader] = (await stream.servers()).running;
    const server = cluster.servers.servers.find(({ name }) => name === leader)!;
    await server.kill();
    for (let time = 0; time < 3; time++)
      await until(() => isTold(`records do not reach the NATS server ${leader}`), "the node says so");
    await server.start();
    await until(() => isTold(""), "all have the stream again");
    // Nobody can ask it how it syncs, and nothing is wrong with its settings.
    const told = lines.filter((line) => /of NATS (may|sync)|records (do not )?reach/.test(line));
    expect(told).toEqual([
      expect.stringContaining("records do not reach all servers of NATS"),
      expect.stringContaining("records reach all servers of NATS again"),
    ]);
  });
});
