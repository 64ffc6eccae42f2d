/** Nodes of several versions: what one of them could not read is not appended. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { recordFormat } from "../../src/record/format.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { userAdded } from "../support/account-records.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

describeWith("nats", "beside a node of an earlier version", () => {
  let cluster: TestCluster;
  let first: TestNode;
  let heard = 0;
  beforeEach(async () => {
    cluster = await TestCluster.start();
    first = await cluster.open("a");
    await cluster.sequencer();
    await first.engine.commit(userAdded(1, "ada"));
    await first.engine.commit(userAdded(2, "bob"));
  });
  afterEach(() => cluster.stop());

  /** Waits until the node knows that another one says that this is its format. */
  async function hear(format: unknown): Promise<void> {
    const version = String(++heard);
    const older = { name: "older", version, level: 1, format, seq: 0, behindMs: 0, isSequencer: false };
    first.connection.publish("test.nodes", JSON.stringify(older));
    await until(() => first.node.nodes.some((node) => node.version === version), "it is heard");
  }

  async function expectRefused(record: LogRecord): Promise<void> {
    const { appliedSeq } = first.node;
    await expect(first.engine.commit(record)).rejects.toMatchObject({
      code: 500,
      retryAfterS: 5,
      message: expect.stringMatching(
        /^a node of the cluster is of an earlier version.*: try again when all are of one version$/,
      ) as unknown,
    });
    expect(first.node.appliedSeq).toBe(appliedSeq);
  }

  const removed = (oneOwner: boolean) =>
    ({ kind: "userRemoved", timeMs: Date.now(), userId: 2, oneOwner }) as const;

  test("a kind that it does not know is not appended", async () => {
    const { 10: _, ...format } = recordFormat;
    await hear(JSON.stringify(format));
    await expectRefused(removed(false));
    expect(await first.engine.commit(userAdded(3, "eve"))).toBe("done");
  });

  test("nor one that is not in the format that it says", async () => {
    await hear(JSON.stringify({ ...recordFormat, 10: [0, 0], 8: [0, 0, 0] }));
    await expectRefused(removed(true));
    await expectRefused(userAdded(3, "eve"));
    expect(await first.engine.commit(removed(false))).toBe("done");
  });

  test("a format that is none has nothing, and that of this program everything", async () => {
    for (const format of ["{", "[]", { 10: [0, 0, 0] }, undefined]) {
      await hear(format);
      await expectRefused(removed(true));
      await expectRefused(removed(false));
    }
    await hear(JSON.stringify(recordFormat));
    expect(await first.engine.commit(removed(true))).toBe("done");
  });
});
