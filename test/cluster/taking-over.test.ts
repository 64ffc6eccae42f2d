/** A node that cannot begin an epoch leaves the lease to others, or ends where the stream was set back; one that need not waits. */
import { afterEach, expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SetBack } from "../../src/cluster/set-back.ts";
import { OutcomeUnknown } from "../../src/cluster/stream/stream-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { userAdded } from "../support/account-records.ts";
import { shortPace, TestCluster } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

describeWith("nats", "a node that cannot take over, or need not,", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  /** A lease that is left soon, and that a busy machine keeps. */
  const pace = { ...shortPace, leaseMs: 3_000 };

  test("leaves the lease to another one, and takes it again when it can", async () => {
    cluster = await TestCluster.start();
    const unable = await cluster.open("a", {}, "test", pace);
    await until(() => unable.node.isSequencer, "it appends");
    await unable.engine.commit(userAdded(1, "ada"));
    const other = await cluster.open("b", {}, "test", pace);
    const { store } = unable.node["options"];
    let attempts = 0;
    store.begin = async () => (attempts++, new OutcomeUnknown("nobody answers it"));
    unable.node["stepDown"]("a test");
    await until(() => other.node.isSequencer, "another one appends");
    expect(attempts).toBeGreaterThan(0);
    expect(await other.engine.commit(userAdded(3, "eve"))).toBe("done");
    delete (store as { begin?: unknown }).begin;
    await cluster.close(other);
    await until(() => unable.node.isSequencer, "it appends again");
    expect(unable.engine.registry.users.size).toBe(2);
  });

  test("leaves the lease to another one also where it cannot read what is there", async () => {
    cluster = await TestCluster.start();
    const unable = await cluster.open("a", {}, "test", pace);
    await until(() => unable.node.isSequencer, "it appends");
    await unable.engine.commit(userAdded(1, "ada"));
    const other = await cluster.open("b", {}, "test", pace);
    await cluster.level();
    const { stream } = unable.node["options"];
    stream.read = async () => {
      throw new Error("nobody answers it");
    };
    unable.node["stepDown"]("a test");
    await until(() => other.node.isSequencer, "another one appends");
    expect(await other.engine.commit(userAdded(3, "eve"))).toBe("done");
    delete (stream as { read?: unknown }).read;
    await cluster.close(other);
    await until(() => unable.node.isSequencer, "it appends again");
    expect(unable.engine.registry.users.size).toBe(2);
  });

  test("lets one go on that sequences and cannot renew the lease, for as long as that is heard", async () => {
    cluster = await TestCluster.start();
    // One that comes each two seconds counts for four: on a busy machine it may be late.
    const pace = { leaseMs: 4_000, roundMs: 2_000, patienceMs: 16_000 };
    const first = await cluster.open("a", {}, "test", pace);
    await until(() => first.node.isSequencer, "it appends");
    const other = await cluster.open("b", {}, "test", pace);
    await until(
      () => other.node.behindMs === 0 && other.node.nodes.length === 2,
      "the other one may sequence",
    );
    const { round } = first.node["lease"];
    first.node["lease"].round = () => Promise.reject(new Error("the bucket of the lease has no leader"));
    const looked = other.node["lease"];
    let [vacant, users, hasTaken] = [0, 0, false];
    looked.round = async (...args) => {
      const holder = await round.apply(looked, args);
      if (holder === undefined) vacant++;
      hasTaken ||= holder === other.node.name;
      return holder;
    };
    const isMoved = async () => {
      if (vacant > 1 || hasTaken) return true;
      users++;
      await first.engine.commit(userAdded(users * 2 - 1, `user-${users}`));
      return false;
    };
    await until(isMoved, "nobody has the lease");
    expect([first.node.isSequencer, hasTaken]).toEqual([true, false]);
    expect(first.engine.registry.users.size).toBe(users);
    // Nothing is heard of it any more.
    clearInterval(first.node["rounds"]);
    await until(() => other.node.isSequencer, "the other one appends");
  });

  test("ends where the stream lacks what this node has, and says what to do", async () => {
    cluster = await TestCluster.start();
    const node = await cluster.open("a", {}, "test", shortPace);
    await until(() => node.node.isSequencer, "it appends");
    await node.engine.commit(userAdded(1, "ada"));
    const [server] = cluster.servers.servers;
    const streams = join(server?.folder as string, "streams");
    const saved = `${streams}-saved`;
    await cluster.servers.killAll();
    cpSync(streams, saved, { recursive: true });
    await cluster.servers.startAll();
    await until(() => node.engine.commit(userAdded(3, "eve")).then(() => true), "it appends again");
    await cluster.servers.killAll();
    rmSync(streams, { recursive: true });
    cpSync(saved, streams, { recursive: true });
    await cluster.servers.startAll();
    // Nothing else tells it.
    void node.engine.commit(userAdded(9, "bob")).catch(() => {});
    const failure = await node.node.failed;
    const { lastMessage } = node.node["options"].store;
    expect(failure.name).toBe("StreamSetBack");
    expect(failure.message).toContain(`this node has ${lastMessage} messages`);
    expect(failure.message).toContain("footfall cluster move --back");
    await cluster.close(node);
    // One that has less knows of nothing, and goes on.
    const other = await cluster.open("b");
    await until(() => other.node.isSequencer, "another one appends");
    while (other.node["options"].store.lastMessage <= lastMessage)
      await other.engine.commit(userAdded(other.engine.registry.users.size * 2 + 1, "new"));
    const again = await cluster.open("a", {}, "test", shortPace);
    expect((await again.node.failed).message).toContain("keep this folder");
  });
});

test("a stream is set back only if nothing else was heard for several leases", () => {
  let ms = 0;
  const setBack = new SetBack(1_000, { ...systemClock, monotonicMs: () => ms });
  expect(setBack.note(7, 7)).toBe(false);
  expect(setBack.note(7, 6)).toBe(true);
  for (; ms < 7_000; ms += 1_000) expect(setBack.note(7, 6)).toBe(true);
  // Another server leads, and has all of it.
  expect(setBack.note(7, 8)).toBe(false);
  ms += 1_000;
  expect(setBack.note(8, 6)).toBe(true);
  // Nobody asked for long.
  ms += 30_000;
  const beganMs = ms;
  for (; ms < beganMs + 8_000; ms += 2_000) expect(setBack.note(8, 6)).toBe(true);
  expect(() => setBack.note(8, 6)).toThrow("it ends with message 6, and this node has 8 messages");
});
