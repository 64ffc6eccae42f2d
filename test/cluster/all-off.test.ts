/** A cluster whose nodes were all off could not count: it tells of no silence of its own, as a single machine does not. */
import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { userAdded } from "../support/account-records.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const hourMs = 3_600_000;

describeWith("nats", "an hour in which no node appended", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  /** The clock of a start that is so many hours later. */
  const later = (hours: number) => ({
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() + hours * hourMs },
  });

  const append = ({ engine }: TestNode, userId: number) =>
    engine.commit({ ...userAdded(userId, `user ${userId}`), timeMs: engine.nowMs() });

  async function sequences({ node }: TestNode): Promise<void> {
    await until(() => node.isSequencer, "it sequences");
  }

  /** Opens the only node of a cluster three hours after it had appended. */
  async function openedAfterAll(): Promise<TestNode> {
    cluster = await TestCluster.start();
    const before = await cluster.open("a");
    await sequences(before);
    await append(before, 1);
    await cluster.close(before);
    return cluster.open("a", later(3));
  }

  const expectWasOff = ({ engine }: TestNode) =>
    expect(Math.abs(engine.offUntilMs() - engine.nowMs())).toBeLessThan(hourMs);

  test("is one in which all were off, for the nodes that start before another appends", async () => {
    const first = await openedAfterAll();
    const second = await cluster.open("b", later(3));
    await append(await cluster.sequencer(), 2);
    await cluster.level();
    for (const node of [first, second]) expectWasOff(node);
  });

  test("is one in which all were off, for a node that starts after another appended", async () => {
    const first = await openedAfterAll();
    await sequences(first);
    for (const userId of [2, 3]) await append(first, userId);
    const second = await cluster.open("b", later(3.2));
    await cluster.close(first);
    await sequences(second);
    expectWasOff(second);
  });

  test.each([[[3]], [[0, 0.8, 1.6, 2.4, 3]]])("is none while another node appended, %j", async (hours) => {
    cluster = await TestCluster.start();
    let now = hours[0]!;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + now * hourMs };
    const there = await cluster.open("a", { clock });
    await sequences(there);
    await cluster.close(await cluster.open("b"));
    for (const [at, hour] of hours.entries()) {
      now = hour;
      await append(there, at + 1);
    }
    const back = await cluster.open("b", later(3.5));
    await cluster.close(there);
    await sequences(back);
    expect(back.engine.offUntilMs()).toBe(0);
  });
});
