/** A cluster whose nodes were all off could not count: it tells of no silence of its own, as a single machine does not. */
import { afterEach, expect, test } from "bun:test";
import { LogTime } from "../../src/engine/log/log-time.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { userAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
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

  /** A cluster of two nodes, and what moves the clock of both on by three hours. */
  async function runningCluster() {
    let now = 0;
    const clock = {
      ...systemClock,
      nowMs: () => systemClock.nowMs() + now,
      monotonicMs: () => systemClock.monotonicMs() + now,
    };
    cluster = await TestCluster.start();
    const nodes = [await cluster.open("a", { clock }), await cluster.open("b", { clock })];
    await append(await cluster.sequencer(), 1);
    await cluster.level();
    const later = () => (now += 3 * hourMs);
    return { nodes, later };
  }

  const areReady = (nodes: readonly TestNode[]) => nodes.every(({ node }) => node.behindMs === 0);

  test("is one in which all were off, for nodes that run while NATS is down", async () => {
    const { nodes, later } = await runningCluster();
    await cluster.servers.killAll();
    later();
    await cluster.servers.startAll();
    await until(() => areReady(nodes), "all have everything again");
    // By their clocks the lease has lapsed: one may still think that it appends while the other takes it.
    let userId = 1;
    await until(async () => (await append(await cluster.sequencer(), ++userId)) === "done", "one appends");
    for (const node of nodes) expectWasOff(node);
  });
});

test.each([
  ["without a gap", [0.5, 1, 1.5, 2, 2.5, 3], 0],
  ["but for its end", [0.5, 1], 3],
  ["but for its middle", [0.5, 2, 2.5, 3], 2],
])("a node that was apart for three hours has the records of them %s", (_, hours, offUntil) => {
  const clock = new TestClock();
  const time = new LogTime(clock, clock.nowMs(), silentLogger);
  clock.advance(9 * hourMs);
  const apartMs = clock.nowMs();
  time.note(apartMs);
  for (const hour of hours) time.note(apartMs + hour * hourMs);
  clock.advance(3 * hourMs);
  time.noteApart(3 * hourMs);
  expect(time.offUntilMs).toBe(offUntil === 0 ? 0 : apartMs + offUntil * hourMs);
});

test("a night without hits, whose end a node that was apart did not see, is none in which all were off", () => {
  const clock = new TestClock();
  const time = new LogTime(clock, clock.nowMs(), silentLogger);
  clock.advance(6 * hourMs);
  const apartMs = clock.nowMs();
  for (const hour of [0.5, 1, 1.5, 2]) time.note(apartMs + hour * hourMs);
  clock.advance(2 * hourMs);
  time.noteApart(2 * hourMs);
  expect(time.offUntilMs).toBe(0);
});

test("two hours in which no node appended are such, also where records before them have times of a clock that was ahead", () => {
  const clock = new TestClock();
  const time = new LogTime(clock, clock.nowMs(), silentLogger);
  clock.advance(hourMs);
  for (const aheadMs of [5 * hourMs, 0]) time.note(clock.nowMs() + aheadMs);
  clock.advance(2 * hourMs);
  time.noteApart(2 * hourMs);
  expect(time.offUntilMs).toBe(clock.nowMs());
});

test("a record of hours ago, such as that of a mail whose record could not be stored before, makes no such hours", () => {
  for (const isLast of [false, true]) {
    const clock = new TestClock();
    const time = new LogTime(clock, clock.nowMs(), silentLogger);
    clock.advance(3 * hourMs);
    for (let minutes = 180; minutes > 0; minutes -= 30) time.note(clock.nowMs() - minutes * 60_000);
    time.note(clock.nowMs() - 2 * hourMs);
    if (!isLast) time.note(clock.nowMs());
    time.noteApart(3 * hourMs);
    expect([isLast, time.offUntilMs]).toEqual([isLast, 0]);
  }
});
