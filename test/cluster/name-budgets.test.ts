/** Nodes whose machines have room for more or fewer names: whoever sequences goes by the largest budget. */
import { afterEach, describe, expect, test } from "bun:test";
import { NameBudgets } from "../../src/cluster/roster/name-budgets.ts";
import { silentLogger } from "../../src/lib/log.ts";
import type { RecordOf } from "../../src/record/record.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { linesOf } from "../support/log-lines.ts";
import { describeWith } from "../support/needs.ts";
import { valuesOf } from "../support/records.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const large = 8 * 1024 * 1024;
const small = 64 * 1024;

/** Page views of some days ago, each of another page. */
function pastViews(count: number): RecordOf<"import"> {
  const nowMs = Date.now();
  const digest = "0".repeat(64);
  const loads = Array.from({ length: count }, (_, at) => ({
    timeMs: nowMs - 3 * 86_400_000 + at,
    unique: true,
    seen: false,
    values: valuesOf(`/articles/one-of-many-${at}`),
    hasOthers: false,
  }));
  const of = { timeMs: nowMs, websiteId: 1, file: digest, digest };
  return { kind: "import", ...of, fromPosition: 0, position: 1, loads };
}

function pages({ engine }: TestNode): number {
  return engine.site(1)?.dictionaries[0]?.size ?? 0;
}

describeWith("nats", "a node with a smaller budget of names", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("folds nothing that another one had room for, also when that has gone", async () => {
    cluster = await TestCluster.start();
    const first = await cluster.open("a", { nameBytes: large });
    await cluster.sequencer();
    await addWebsites(first.engine, "a.example");
    await first.engine.commit(pastViews(2_000));
    const other = await cluster.open("b", { nameBytes: small });
    await cluster.level();
    const before = pages(first);
    await until(() => other.node.nodes.length === 2, "it hears of the other");
    await cluster.close(first);
    await until(() => other.node.isSequencer, "it sequences");
    await other.engine["intake"]["upkeep"]?.folding.round();
    expect(pages(other)).toBe(before);
  });
});

describe("budgets of names", () => {
  test("are those that nodes said last, and each that is another one is told once", () => {
    const { lines, logger } = linesOf();
    const budgets = new NameBudgets(10, logger);
    const note = (name: string, nameBytes?: number) =>
      budgets.note({ name, nameBytes, version: "1", level: 1, seq: 1, behindMs: 0, isSequencer: false });
    note("own", 10);
    note("older");
    expect([budgets.largest, lines.length]).toEqual([10, 0]);
    for (let time = 0; time < 3; time++) note("b", 30);
    note("c", 20);
    expect(budgets.largest).toBe(30);
    expect(lines).toEqual([
      expect.stringMatching(/different budgets of names.*own=10 node=b bytes=30/),
      expect.stringMatching(/node=c bytes=20/),
    ]);
    note("b", 10);
    expect(budgets.largest).toBe(20);
    expect(lines).toHaveLength(2);
  });

  test("follow nodes that start again one after the other with a smaller one", () => {
    const budgets = new NameBudgets(50, silentLogger);
    const note = (name: string, nameBytes: number) =>
      budgets.note({ name, nameBytes, version: "1", level: 1, seq: 1, behindMs: 0, isSequencer: false });
    note("one-abcdef-000001", 50);
    note("two-abcdef-000002", 100);
    expect(budgets.largest).toBe(100);
    note("two-abcdef-000003", 50);
    expect(budgets.largest).toBe(50);
  });
});
