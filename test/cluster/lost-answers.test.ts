/** A node whose connection to NATS breaks and comes back: whoever waits for its answer hears that it may be lost. */
import { afterEach, expect, test } from "bun:test";
import type { Msg } from "@nats-io/transport-node";
import { NodeLink } from "../../src/cluster/forwarding/node-link.ts";
import { SequencerRequests } from "../../src/cluster/forwarding/sequencer-requests.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { TestCluster } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

describeWith("nats", "an answer that is lost", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("is waited for only a second more once the node says that its connection broke", async () => {
    cluster = await TestCluster.start();
    const asked = await cluster.open("a");
    await cluster.sequencer();
    const asking = await cluster.open("b");
    const { name } = asked.node;
    await until(() => asking.node.sequencer === name, "it knows who sequences");
    const taken: Msg[] = [];
    asked.connection.subscribe("asked", { callback: (_, message) => void taken.push(message) });
    await asked.connection.flush();
    let passedMs = 0;
    const link = new NodeLink(asking.node, "test", { ...systemClock, monotonicMs: () => passedMs });
    const requests = new SequencerRequests(link);
    try {
      for (const isAnswered of [false, true, false]) {
        const broken = taken.length;
        await until(() => asking.node.breaksOf(name) === broken, "it is heard how often it broke");
        let failure: unknown;
        const answer = requests.askOf(name, "asked", new Uint8Array(1)).catch((error: unknown) => {
          failure = error;
        });
        await until(() => taken.length === broken + 1, "the request is there");
        await asked.connection.reconnect();
        await until(() => asking.node.breaksOf(name) === broken + 1, "it is heard that it broke");
        // Requests that wait are looked at ten times a second.
        await Bun.sleep(300);
        expect(failure).toBeUndefined();
        if (isAnswered) taken.at(-1)?.respond(new Uint8Array([7]));
        if (isAnswered) expect(await answer).toEqual(new Uint8Array([7]));
        else {
          passedMs += 1_000;
          await until(() => failure !== undefined, "the request is given up");
          expect(failure).toMatchObject({ code: 500, message: expect.stringContaining("went away") });
        }
        expect(asking.node.sequencer).toBe(name);
      }
    } finally {
      link.stop();
    }
  });
});
