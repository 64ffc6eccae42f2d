/** Nodes of several versions: what one of them could not read is not appended. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { parseHit } from "../../src/collect/hit.ts";
import { recordLevel } from "../../src/cluster/roster/record-level.ts";
import { recordFormat } from "../../src/record/format.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { steadyPace, TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { someone } from "../support/records.ts";
import { browser } from "../support/server.ts";
import { until } from "../support/until.ts";

describeWith("nats", "beside a node of an earlier version", () => {
  let cluster: TestCluster;
  let first: TestNode;
  let heard = 0;
  beforeEach(async () => {
    cluster = await TestCluster.start();
    first = await cluster.open("a", {}, "test", steadyPace);
    await cluster.sequencer();
    await first.engine.commit(userAdded(1, "ada"));
    await first.engine.commit(userAdded(2, "bob"));
  });
  afterEach(() => cluster.stop());

  /** Waits until the node knows that another one says this. */
  async function hear(says: { readonly level: number; readonly format?: unknown }): Promise<void> {
    const version = String(++heard);
    const older = { name: "older", version, seq: 0, behindMs: 0, isSequencer: false, ...says };
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
    await hear({ level: 8 });
    await expectRefused(removed(false));
    expect(await first.engine.commit(userAdded(3, "eve"))).toBe("done");
  });

  test("nor a field that was appended, where it says the kinds alone", async () => {
    await hear({ level: recordLevel });
    await expectRefused(removed(true));
    expect(await first.engine.commit(websiteAdded(1, "a.example"))).toBe("done");
    expect(await first.engine.commit(removed(false))).toBe("done");
  });

  test("nor one that is not in the format that it says", async () => {
    const format = JSON.stringify({ ...recordFormat, 10: [0, 0], 8: [0, 0, 0] });
    await hear({ level: recordLevel, format });
    await expectRefused(removed(true));
    await expectRefused(userAdded(3, "eve"));
    expect(await first.engine.commit(removed(false))).toBe("done");
  });

  test("so accounts change no members there, and new addresses are asked of a website that has its key", async () => {
    await first.engine.commit(websiteAdded(1, "a.example"));
    const { madeBy: _, ...member } = {
      kind: "memberRemoved",
      timeMs: 1,
      websiteId: 1,
      userId: 2,
      madeBy: 1,
    } as const;
    const sent = { kind: "confirmationSent", timeMs: 1, websiteId: 1, recipient: "", tokenHash: "" } as const;
    await hear({ level: recordLevel });
    await expectRefused({ ...member, madeBy: 1 });
    expect(await first.engine.commit(member)).toBe("missing");
    await expectRefused({ ...sent, leavingKey: "key" });
    expect(await first.engine.commit(sent)).toBe("missing");
  });

  test("an event with an id counts, as one without: a tracker sends none again that is refused", async () => {
    await first.engine.commit(websiteAdded(1, "a.example"));
    const hit = parseHit({ u: "https://a.example/thanks", i: "4711", d: { order: "paid" } });
    const order = () => first.engine.hit(hit, { userAgent: browser, acceptLanguage: "de" }, someone);
    await hear({ level: recordLevel });
    for (let times = 0; times < 2; times++) expect(await order()).toEqual({ accepted: true });
    await hear({ level: recordLevel, format: JSON.stringify(recordFormat) });
    expect(await order()).toEqual({ accepted: true });
    expect(await order()).toEqual({ accepted: false, reason: "duplicate" });
  });

  test("a format that is none counts as none, and that of this program has everything", async () => {
    for (const format of ["{", "[]", { 10: [0, 0, 0] }]) {
      await hear({ level: recordLevel, format });
      await expectRefused(removed(true));
    }
    await hear({ level: recordLevel, format: JSON.stringify(recordFormat) });
    expect(await first.engine.commit(removed(true))).toBe("done");
  });
});
