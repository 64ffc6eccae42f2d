/** Nodes whose disks are full: NATS has disks of its own and says nothing of theirs. */
import { afterEach, expect, test } from "bun:test";
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import { websiteAdded } from "../support/account-records.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { FullDisk } from "../support/full-disk.ts";
import { hitTo } from "../support/hits.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

let number = 0;
function hit({ engine }: TestNode) {
  const body = { b: `b${number++}`, e: "load", u: "https://a.example/", p: true, q: true };
  return hitTo(engine, body);
}

describeWith("nats", "a node whose disk is full", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  async function start(disk: FullDisk): Promise<TestNode> {
    cluster = await TestCluster.start();
    const node = await cluster.open("a", { io: disk.io });
    await cluster.sequencer();
    await addWebsites(node.engine, "a.example");
    expect(await hit(node)).toEqual({ accepted: true });
    return node;
  }

  test("takes no hits, and takes them again, where no other node has room", async () => {
    const disk = new FullDisk();
    const node = await start(disk);
    disk.free = 0;
    await until(() => !node.engine.health().takesHits, "it notices");
    await expect(hit(node)).rejects.toMatchObject({ code: 500, message: "the disk is nearly full" });
    const says = () => node.node.nodes.find(({ name }) => name === node.node.name)?.trouble;
    await until(() => says() === "its disk is nearly full", "it says so");
    const other = await cluster.open("b", { io: disk.io });
    await until(() => other.node.nodes.length === 2 && other.node.behindMs === 0, "it hears of the other");
    expect(other.engine.health().takesHits).toBe(false);
    const lease = node.node["lease"];
    const round = lease.round.bind(lease);
    let rounds = 0;
    lease.round = (...given) => (rounds++, round(...given));
    await until(() => rounds > 5, "it keeps the lease");
    expect(node.node.isSequencer).toBe(true);
    expect(await node.engine.commit({ kind: "websiteRemoved", timeMs: Date.now(), websiteId: 1 })).toBe(
      "done",
    );
    await node.engine.commit(websiteAdded(2, "a.example"));
    disk.free = 1e12;
    expect(await hit(node)).toEqual({ accepted: true });
    await until(() => says() === undefined, "it says so no more");
  });

  test("leaves the lease to one that has room, and takes it from one whose disk is full", async () => {
    const disk = new FullDisk();
    const node = await start(disk);
    const otherDisk = new FullDisk();
    const other = await cluster.open("b", { io: otherDisk.io });
    await cluster.level();
    disk.free = 0;
    await until(() => other.node.isSequencer, "the other one sequences");
    expect(node.node.isSequencer).toBe(false);
    expect(await hit(other)).toEqual({ accepted: true });
    disk.free = 1e12;
    otherDisk.free = 0;
    await until(() => node.node.isSequencer, "it sequences again");
    expect(await hit(node)).toEqual({ accepted: true });
  });

  test("so does one whose clock is years behind: it would refuse the hits of all", async () => {
    let behindMs = 0;
    const clock: Clock = {
      nowMs: () => systemClock.nowMs() - behindMs,
      monotonicMs: () => systemClock.monotonicMs(),
    };
    cluster = await TestCluster.start();
    const node = await cluster.open("a", { clock });
    await cluster.sequencer();
    await addWebsites(node.engine, "a.example");
    const other = await cluster.open("b");
    await cluster.level();
    behindMs = 40 * 365 * 86_400_000;
    await until(() => other.node.isSequencer, "the other one sequences");
    expect(await hit(other)).toEqual({ accepted: true });
    expect(node.node.isSequencer).toBe(false);
  });
});
