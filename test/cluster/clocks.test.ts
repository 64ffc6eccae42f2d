/** Nodes whose clocks differ give different figures for the last minutes, so each says which clock is not its own. */
import { afterEach, describe, expect, test } from "bun:test";
import { Clocks } from "../../src/cluster/roster/clocks.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { linesOf } from "../support/log-lines.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const minuteMs = 60_000;

function setUp() {
  let ms = 1_000_000;
  const clock = { nowMs: () => ms, monotonicMs: () => ms };
  const { lines, logger } = linesOf();
  const clocks = new Clocks(clock, logger);
  const other = { version: "1", level: 1, seq: 1, behindMs: 0, isSequencer: false };
  const pass = (byMs: number) => (ms += byMs);
  /** A node says that its clock is so far ahead. */
  const note = (name: string, aheadMs: number) => clocks.note({ ...other, name, wallMs: ms + aheadMs });
  /** A node says once a second that its clock is so far ahead, and each report is that long on its way. */
  const say = (name: string, aheadMs: number | undefined, times: number, wayMs = 0) => {
    for (let time = 0; time < times; time++) {
      const wallMs = aheadMs === undefined ? undefined : ms + aheadMs - wayMs;
      clocks.note({ ...other, name, wallMs });
      pass(1_000);
    }
  };
  return { clocks, lines, note, say, pass };
}

describe("the clocks of nodes", () => {
  test("that differ are told, once in half an hour for each node", () => {
    const { clocks, lines, say } = setUp();
    say("b", 10 * minuteMs, 5);
    say("c", -7_000, 5);
    const ahead = "the clock of b is 600 s ahead of this node's";
    expect(clocks.troubles).toEqual([ahead, "the clock of c is 7 s behind this node's"]);
    expect(lines).toEqual([
      expect.stringMatching(/warn +the clocks of nodes differ.* node=b secondsAhead=600/),
      expect.stringMatching(/node=c secondsAhead=-7/),
    ]);
    say("b", 10 * minuteMs, 29 * 60);
    expect(lines).toHaveLength(2);
    say("b", 10 * minuteMs, 2 * 60);
    expect(lines).toHaveLength(3);
    say("b", 0, 1);
    expect(clocks.troubles).toEqual([]);
  });

  test("are not judged by reports that were late, by a few, or by nodes of versions before", () => {
    const { clocks, lines, say, pass } = setUp();
    say("b", 10 * minuteMs, 4);
    expect(clocks.troubles).toEqual([]);
    pass(minuteMs);
    say("small", 4_900, 20);
    say("older", undefined, 20);
    // A node was paused, and hears all at once what was said meanwhile.
    say("late", 0, 4, 20_000);
    say("late", 0, 1, 500);
    expect([clocks.troubles, lines]).toEqual([[], []]);
  });

  test("are not judged by what comes at once when a network is whole again", () => {
    const { clocks, lines, note, say } = setUp();
    for (let lateMs = 40_000; lateMs > 0; lateMs -= 1_000) note("b", -lateMs);
    expect([clocks.troubles, lines]).toEqual([[], []]);
    say("b", 0, 4);
    expect(clocks.troubles).toEqual([]);
    say("b", 10 * minuteMs, 5);
    expect(clocks.troubles).toEqual([expect.stringContaining("the clock of b is 600 s ahead")]);
  });

  test.each([
    ["both others agree", [10, 10], true],
    ["one of two others differs", [0, 10], false],
    ["there is one other", [10], false],
    ["two others are ahead and behind", [10, -10], false],
    ["most of four others are behind", [-10, 0, -20, -10], true],
    ["they differ by less than a minute", [0.9, 0.9], false],
  ] as const)("are on this node's side or not: %s", (_, others, isWrong) => {
    const { clocks, note, pass } = setUp();
    for (let time = 0; time < 5; time++) {
      for (const [at, minutes] of [0, ...others].entries()) note(`node ${at}`, minutes * minuteMs);
      expect(clocks.isWrong).toBe(isWrong && time === 4);
      pass(1_000);
    }
    pass(minuteMs);
    expect(clocks.isWrong).toBeFalse();
  });

  test("are forgotten with their nodes", () => {
    const { clocks, say, pass } = setUp();
    say("b", 10 * minuteMs, 5);
    pass(11_000);
    expect(clocks.troubles).toEqual([]);
  });
});

describeWith("nats", "the clock of the node that sequences", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("is set wrong, and another node sequences", async () => {
    cluster = await TestCluster.start();
    let aheadMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
    const open = (name: string, given = {}) => cluster.open(name, given);
    const first = await open("a", { clock });
    await until(() => first.node.isSequencer, "it sequences");
    const others = [await open("b"), await open("c")];
    await cluster.level();
    aheadMs = 24 * 60 * minuteMs;
    await until(() => others.some(({ node }) => node.isSequencer), "another one does");
    expect(first.node.isSequencer).toBeFalse();
  });
});

describeWith("nats", "a node whose clock is ten minutes ahead", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("is named by the others, and names them", async () => {
    cluster = await TestCluster.start();
    const { lines, logger } = linesOf();
    const first = await cluster.open("a", { logger });
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 10 * minuteMs };
    const second = await cluster.open("b", { clock });
    const troubleOf = ({ node }: TestNode) => node.nodes.find(({ name }) => name === node.name)?.trouble;
    const says = (node: TestNode, text: string) => troubleOf(node)?.includes(text) === true;
    await until(() => says(first, "s ahead of this node's"), "the first says so");
    await until(() => says(second, "s behind this node's"), "the second says so");
    expect(troubleOf(first)).toContain(`the clock of ${second.node.name} is `);
    expect(lines.join("\n")).toContain("the clocks of nodes differ");
    await cluster.close(second);
    await until(() => troubleOf(first) === undefined, "it says so no more once that has gone");
  });
});
