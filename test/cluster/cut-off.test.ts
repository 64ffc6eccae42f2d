/** Nodes whose server of NATS is cut off from the others say that they are behind, although that server goes on answering. */
import { afterEach, expect, test } from "bun:test";
import { Completeness } from "../../src/cluster/completeness.ts";
import { unknownMs } from "../../src/core/node-times.ts";
import { awayAmong, silenceOf } from "../../src/cluster/stream/leader.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { userAdded } from "../support/account-records.ts";
import { shortPace, TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import type { NatsServer } from "../support/nats.ts";
import { until } from "../support/until.ts";

describeWith("nats", "nodes at a server without the others", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  /** Ends all servers but `kept`, so that the nodes are cut off with it. Returns when. */
  async function cutOffWith(kept: NatsServer): Promise<number> {
    const others = cluster.servers.servers.filter((server) => server !== kept);
    // All at once: one that dies later might choose the one that is kept.
    await Promise.all(others.map((server) => server.kill()));
    return performance.now();
  }

  /** Waits until all nodes are behind by so long. Returns when one of them last said that it had everything. */
  async function behind(ms: number): Promise<number> {
    let completeMs = -Infinity;
    await until(() => {
      const nowMs = performance.now();
      const behindMs = Math.min(...cluster.nodes.map(({ node }) => node.behindMs));
      completeMs = Math.max(completeMs, nowMs - behindMs);
      return behindMs > ms;
    }, "all are behind");
    return completeMs;
  }

  async function start(): Promise<void> {
    cluster = await TestCluster.start({ count: 3 });
    for (const name of ["a", "b", "c"]) await cluster.open(name, {}, "test", shortPace);
    await until(async () => {
      await (await cluster.sequencer()).engine.commit(userAdded(1, "ada"));
      return true;
    }, "a record is stored");
    await until(areReady, "all have everything while nothing is stored");
  }

  const areReady = () => cluster.nodes.every(({ node }) => node.behindMs === 0);

  test("never think that they have everything with the one that led, until the others are back", async () => {
    await start();
    const cutMs = await cutOffWith(await leaderOf(cluster));
    // Nodes look for news each 0.1 s, and a leader is believed for a second after it last heard of the others.
    expect((await behind(6_000)) - cutMs).toBeLessThan(2_000);
    await cluster.servers.startAll();
    await until(areReady, "all have everything again");
  });

  test("never believe one that followed, and answers by itself once it has given up the one that led", async () => {
    await start();
    const leader = await leaderOf(cluster);
    const follower = cluster.servers.servers.find((server) => server !== leader) as NatsServer;
    const cutMs = await cutOffWith(follower);
    const { node } = cluster.nodes.find((other) => !other.node.isSequencer) as TestNode;
    const setBack = node["setBack"];
    const { note } = setBack;
    // A server may lack messages that a node has read from another one: whatever end is believed counts as one that does.
    setBack.note = (_, last) => note.call(setBack, last + 1, last);
    let failure: Error | undefined;
    void node.failed.then((error) => (failure = error));
    // It answers after 7 s or so, and the stream was set back if that is said for eight leases, 4 s here.
    expect((await behind(14_000)) - cutMs).toBeLessThan(2_000);
    expect(failure).toBeUndefined();
    setBack.note = note;
    await cluster.servers.startAll();
    await until(areReady, "all have everything again");
  });
});

/**
 * Returns the server that leads all servers, once it leads the stream, too: cut off, it goes on answering for the longest. All
 * of them have to say so. While one steps down they differ, and to ask again then would have the next one step down.
 */
async function leaderOf({ servers: { servers }, nodes: [node] }: TestCluster): Promise<NatsServer> {
  const { connection } = node as TestNode;
  let found: NatsServer | undefined;
  await until(async () => {
    const [said, ...others] = await Promise.all(servers.map(leadersSaidBy));
    const leader = said?.meta;
    if (leader === undefined || others.some((other) => !Bun.deepEquals(other, said))) return false;
    found = servers.find(({ name }) => name === leader);
    if (said?.stream === leader) return true;
    const preferred = JSON.stringify({ placement: { preferred: leader } });
    await connection.request("$JS.API.STREAM.LEADER.STEPDOWN.test-log", preferred);
    return false;
  }, "one server leads everything");
  return found as NatsServer;
}

interface Jetstream {
  readonly meta_cluster: { readonly leader?: string };
  readonly account_details: { stream_detail: { name: string; cluster: { leader?: string } }[] }[];
}

/** Returns who leads all servers and who leads the stream, as one of them has it. */
async function leadersSaidBy({ monitor }: NatsServer) {
  const answer = await fetch(`${monitor}/jsz?streams=1`);
  const { meta_cluster, account_details } = (await answer.json()) as Jetstream;
  const stream = account_details[0]?.stream_detail.find(({ name }) => name === "test-log");
  return { meta: meta_cluster.leader, stream: stream?.cluster.leader };
}

test("a leader is believed for as long as it heard most of the servers", () => {
  const heard = (...ms: readonly number[]) =>
    silenceOf(ms.map((each) => ({ active: each * 1e6, offline: false })));
  expect(heard()).toBe(0);
  expect(heard(500, 90_000)).toBe(0);
  expect(heard(4_000, 3_000)).toBe(2_000);
  expect(heard(4_000, 100, 3_000, 90_000)).toBe(2_000);
  expect(
    silenceOf([
      { active: 0, offline: true },
      { active: 0, offline: true },
    ]),
  ).toBe(Infinity);
});

test("a server is away that answers a leader no more, or never did, and none that lags", () => {
  const others = [
    { name: "heard", current: true, active: 400e6 },
    { name: "slow", current: false, active: 400e6 },
    { name: "busy", current: true, active: 4_000e6 },
    { name: "cut off", current: true, active: 6_000e6 },
    { name: "dead", current: false, active: 0 },
    { name: "known to be dead", current: false, active: 500e6, offline: true },
  ].map((other) => ({ lag: 0, offline: false, ...other }));
  expect(awayAmong(others)).toEqual(["cut off", "dead", "known to be dead"]);
});

test("a copy is complete as of the time at which the end was known, once it has read up to it", () => {
  let ms = 10_000;
  let times = 0;
  const clock = { ...systemClock, monotonicMs: () => ms };
  const completeness = new Completeness(
    clock,
    1_000,
    () => times++,
    () => {},
  );
  expect(completeness.behindMs).toBe(unknownMs);
  completeness.told(7);
  ms += 4_000;
  expect(completeness.applied(6, 5)).toBe(true);
  expect(completeness.behindMs).toBe(unknownMs);
  expect(completeness.applied(7, 6)).toBe(false);
  expect([completeness.behindMs, times]).toEqual([4_000, 1]);
  // A message that was told of and went is not waited for.
  completeness.told(9);
  completeness.ended(7, ms);
  expect(completeness.applied(7, 7)).toBe(false);
  expect([completeness.behindMs, completeness.isWaiting, times]).toEqual([0, false, 1]);
});
