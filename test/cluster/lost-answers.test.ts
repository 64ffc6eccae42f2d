/** A node whose connection to NATS breaks and comes back: whoever waits for its answer hears that it may be lost. */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { NodeLink } from "../../src/cluster/forwarding/node-link.ts";
import { SequencerRequests } from "../../src/cluster/forwarding/sequencer-requests.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { steadyPace, TestCluster } from "../support/cluster.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { testTimeoutMs } from "../support/timeout.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(testTimeoutMs);

describe.skipIf(!isThere("nats"))(nameWith("nats", "an answer that is lost"), () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("is waited for no longer than until the node says that its connection broke", async () => {
    cluster = await TestCluster.start();
    const asked = await cluster.open("a", {}, "test", steadyPace);
    await cluster.sequencer();
    const asking = await cluster.open("b", {}, "test", steadyPace);
    const { name } = asked.node;
    await until(() => asking.node.sequencer === name, "it knows who sequences");
    let taken = 0;
    asked.connection.subscribe("silence", { callback: () => void (taken += 1) });
    await asked.connection.flush();
    const link = new NodeLink(asking.node, "test", systemClock);
    const requests = new SequencerRequests(link);
    try {
      for (const round of [1, 2]) {
        await until(() => asking.node.breaksOf(name) === round - 1, "it is heard how often it broke");
        let failure: unknown;
        const answer = requests.askOf(name, "silence", new Uint8Array(1)).catch((error: unknown) => {
          failure = error;
        });
        await until(() => taken === round, "the request is there");
        await Bun.sleep(300);
        expect(failure).toBeUndefined();
        await asked.connection.reconnect();
        await until(() => failure !== undefined, "the request is given up");
        await answer;
        expect(failure).toMatchObject({ code: 500, message: expect.stringContaining("went away") });
        expect(asking.node.sequencer).toBe(name);
      }
    } finally {
      link.stop();
    }
  });
});
