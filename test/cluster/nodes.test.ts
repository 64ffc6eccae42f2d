/** Nodes over a real nats-server: one appends, all have the same, and another one takes over. */
import { afterEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Pace } from "../../src/cluster/pace.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { dumpLines } from "../../src/engine/dump.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { hitTo } from "../support/hits.ts";
import { longTest } from "../support/long-test.ts";
import { subscriptionAdded } from "../support/account-records.ts";
import { lackingFile, steadyPace, TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { openFolder } from "../support/open-folder.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

function hit({ engine }: TestNode, b: string) {
  return hitTo(engine, { b, e: "load", u: `https://a.example/${b.length % 7}`, p: true, q: true });
}

function dump({ engine }: TestNode): string[] {
  engine.check();
  return [...dumpLines(engine["recovered"].state)];
}

describeWith("nats", "nodes", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  async function start(names: readonly string[], pace?: Pace): Promise<TestNode> {
    cluster = await TestCluster.start();
    for (const name of names) await cluster.open(name, {}, "test", pace);
    const first = await cluster.sequencer();
    await addWebsites(first.engine, "a.example");
    return first;
  }

  async function expectSame(): Promise<void> {
    await cluster.level();
    const [first, ...others] = cluster.nodes as [TestNode, ...TestNode[]];
    for (const other of others) expect(dump(other)).toEqual(dump(first));
  }

  /** Another one has the lease, while this one does not hear of it. */
  async function overtake(node: TestNode): Promise<TestNode> {
    const lease = node.node["lease"];
    lease.round = async () => node.node.name;
    // Nobody takes the lease of one that is heard.
    node.node["options"].roster.tell = () => {};
    await lease.release();
    await until(
      () => cluster.nodes.some((other) => other !== node && other.node.isSequencer),
      "another node appends",
    );
    return cluster.nodes.find((other) => other !== node && other.node.isSequencer) as TestNode;
  }

  test("one alone appends, and goes on from its checkpoint after a restart", async () => {
    let node = await start(["a"]);
    for (let number = 0; number < 20; number++) await hit(node, `first${number}`);
    const before = dump(node);
    await cluster.close(node);
    expect(readdirSync(join(node.folder, "wal"))).toEqual([]);
    node = await cluster.open("a");
    await cluster.level();
    expect(dump(node)).toEqual(before);
    await cluster.sequencer();
    await hit(node, "later");
    expect(node.engine.site(1)?.rows).toBe(21);
    expect(node.node.behindMs).toBe(0);
  });

  test("all have what one has appended; the others take nothing, and say that it may be tried again", async () => {
    const first = await start(["a", "b", "c"]);
    await Promise.all(Array.from({ length: 500 }, (_, number) => hit(first, `hit${number}`)));
    const { appliedSeq } = first.node;
    for (const { node } of cluster.nodes) expect(await node.applied(appliedSeq, 60_000)).toBe(true);
    await expectSame();
    // On a busy machine a node loses its lease now and then, and another one appends.
    for (let isSame = false; !isSame;) {
      const { node } = await cluster.sequencer();
      const other = cluster.nodes.find((any) => any.node !== node) as TestNode;
      const { appliedSeq } = other.node;
      const refused = await hit(other, "elsewhere").catch((error: unknown) => error);
      const isApplied = await other.node.applied(appliedSeq + 1, 1);
      isSame = node.isSequencer && !other.node.isSequencer;
      if (!isSame) continue;
      expect(refused).toMatchObject({ code: 500, retryAfterS: 1 });
      expect(isApplied).toBe(false);
    }
    const follower = () => cluster.nodes.find(({ node }) => !node.isSequencer) as TestNode;
    const appending = () => cluster.nodes.find(({ node }) => node.isSequencer)?.node.name;
    await until(() => follower().node.sequencer === appending(), "it knows which one appends");
    await until(() => follower().node.nodes.length === 3, "all are heard");
    // A node that comes later has everything as well.
    await cluster.open("d");
    await expectSame();
  });

  test("one that was overtaken takes no more hits, and follows: nothing acknowledged is lost", async () => {
    let node = await start(["a", "b"]);
    const known = new Set<string>();
    for (let round = 0; round < rounds(2); round++) {
      for (let number = 0; number < 5; number++) {
        await hit(node, `r${round}n${number}`);
        known.add(`r${round}n${number}`);
      }
      const next = await overtake(node);
      await hit(next, `next${round}`);
      known.add(`next${round}`);
      await expect(hit(node, `late${round}`)).rejects.toMatchObject({ code: 500 });
      await until(() => !node.node.isSequencer, "it follows");
      delete (node.node["lease"] as { round?: unknown }).round;
      delete (node.node["options"].roster as { tell?: unknown }).tell;
      node = next;
    }
    await expectSame();
    expect(node.engine.site(1)?.rows).toBe(known.size);
  });

  test("without NATS hits are refused, and all resumes by itself", async () => {
    const first = await start(["a", "b"], { ...steadyPace, patienceMs: 4_000 });
    await hit(first, "before");
    await cluster.servers.killAll();
    await expect(hit(first, "lost")).rejects.toMatchObject({ code: 500 });
    await until(() => !first.node.isSequencer, "it gives up");
    expect(first.engine.site(1)?.rows).toBe(1);
    await until(() => first.node.behindMs > 0, "it knows that it may be behind");
    expect(await first.node.catchUp(50)).toBe(false);
    const said = () => first.node.nodes.find(({ name }) => name === first.node.name);
    await until(() => said()?.trouble?.startsWith("no server of NATS is reached") === true, "it says so");
    await cluster.servers.startAll();
    const next = await cluster.sequencer();
    await hit(next, "after");
    await until(() => said()?.trouble === undefined, "it says no more that something is wrong");
    await expectSame();
    expect([2, 3]).toContain(next.engine.site(1)?.rows as number);
  });

  test("a copy is no folder of a single machine, and the other way round", async () => {
    const first = await start(["a"]);
    await hit(first, "one");
    await cluster.close(first);
    await expect(openFolder(first.folder)).rejects.toThrow("is a node's copy of a cluster's log");
    const folder = join(first.folder, "..", "single");
    await (await openFolder(folder)).stop();
    await expect(cluster.open("single")).rejects.toThrow("is not of this cluster");
    await expect(cluster.open("rows", { rowsMonths: 1 })).rejects.toThrow("FOOTFALL_ROWS");
  });

  test("one that lacks files of its copy leaves the lease to others", async () => {
    cluster = await TestCluster.start();
    const { awaited, come } = lackingFile();
    const lacking = await cluster.open("a", { awaited });
    const lease = lacking.node["lease"];
    const round = lease.round.bind(lease);
    const couldTake: boolean[] = [];
    lease.round = (isAppending, mayTake) => {
      couldTake.push(mayTake);
      return round(isAppending, mayTake);
    };
    // It has read all of the stream by then.
    await until(() => lacking.node.behindMs === 0 && couldTake.length > 4, "it has had the choice");
    expect([couldTake.some(Boolean), lacking.node.isSequencer]).toEqual([false, false]);
    come();
    await until(() => lacking.node.isSequencer, "it takes the lease once it is whole");
  });

  test("one that lacks files keeps what came since up to a bound, and has the rest when they are there", async () => {
    const first = await start(["a"]);
    const { awaited, come } = lackingFile();
    const warned: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warned.push(text) };
    // Half of it is room for some fifty records.
    const lacking = await cluster.open("b", { awaited, logger, memoryBytes: 2 * 50 * 200 });
    for (let number = 0; number < 150; number++) await hit(first, `kept${number}`);
    await until(() => warned.some((text) => text.startsWith("no room")), "it has no room");
    const { appliedSeq } = lacking.node;
    expect(appliedSeq).toBeGreaterThan(20);
    expect(appliedSeq).toBeLessThan(70);
    await until(() => lacking.node.behindMs > 0, "it says that it is behind");
    expect(lacking.node.appliedSeq).toBe(appliedSeq);
    come();
    await expectSame();
  });

  test("one that lacks files waits before a record that deletes statistics, and not before others", async () => {
    const first = await start(["a"]);
    const { awaited, come } = lackingFile();
    const lacking = await cluster.open("b", { awaited });
    await first.engine.commit(subscriptionAdded(1, 1));
    await first.engine.commit({ kind: "subscriptionRemoved", timeMs: 1, websiteId: 1, subscriptionId: 1 });
    await hit(first, "after");
    const { appliedSeq } = first.node;
    await until(() => lacking.node.appliedSeq === appliedSeq, "it has all of them");
    await first.engine.commit({ kind: "websiteRemoved", timeMs: 1, websiteId: 1 });
    await until(() => lacking.node.behindMs > 0, "it waits");
    expect(lacking.node.appliedSeq).toBe(appliedSeq);
    come();
    await expectSame();
  });

  test("a stream goes on where the log of a folder ends", async () => {
    cluster = await TestCluster.start();
    const node = await cluster.open("a");
    await cluster.close(node);
    const folder = join(node.folder, "..", "moved");
    const single = await openFolder(folder, { clock: systemClock });
    await addWebsites(single, "a.example");
    const folderId = single["recovered"].folderId.toHex();
    await single.stop();
    const connection = await (
      await import("../../src/cluster/connection/connect.ts")
    ).connect([cluster.servers.urls]);
    const own = { connection, prefix: "moved", replicas: 1 };
    const incarnation = systemRandom.bytes(16).toHex();
    await Stream.create(own, { incarnation, folderId, baseSeq: single.appliedSeq });
    const moved = await cluster.open("moved", {}, "moved");
    await until(() => moved.node.isSequencer, "it appends");
    await hit(moved, "one");
    await cluster.close(moved);
    const again = await cluster.open("moved", {}, "moved");
    await cluster.level();
    expect(again.engine.registry.websites.size).toBe(1);
    expect(again.engine.site(1)?.rows).toBe(1);
    await connection.close();
  });

  longTest("deleted data leaves the files of every copy", async () => {
    const first = await start(["a", "b"]);
    await hit(first, "secret".repeat(4));
    await first.engine.purge();
    const other = cluster.nodes.find((node) => node !== first) as TestNode;
    await cluster.level();
    await other.engine.purge();
    await first.engine.commit({ kind: "websiteRemoved", timeMs: first.engine.nowMs(), websiteId: 1 });
    await cluster.level();
    await until(
      () => readdirSync(join(other.folder)).filter((name) => name.endsWith(".manifest")).length === 1,
      "one is left",
    );
    await until(
      () =>
        readdirSync(join(other.folder, "chunks"), { recursive: true }).every(
          (name) => !String(name).endsWith(".chunk"),
        ),
      "its rows went",
    );
  });

  test("random traffic with checkpoints anywhere gives all nodes the same", async () => {
    const random = randomBySeed();
    let node = await start(["a", "b"]);
    for (let step = 0; step < rounds(30); step++) {
      const chance = random();
      const any = cluster.nodes[Math.floor(random() * cluster.nodes.length)] as TestNode;
      if (chance < 0.2) await any.engine.purge();
      else if (chance < 0.3 && any !== node) {
        const name = any.folder.split("/").at(-1) as string;
        await cluster.close(any);
        await cluster.open(name);
      } else if (chance < 0.35) {
        const name = node.folder.split("/").at(-1) as string;
        await cluster.close(node);
        await cluster.open(name);
        node = await cluster.sequencer();
      } else await Promise.all(Array.from({ length: 30 }, (_, at) => hit(node, `s${step}-${at}`)));
    }
    await expectSame();
  });
});
