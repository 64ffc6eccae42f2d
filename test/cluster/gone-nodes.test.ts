/** A node remembers others that have gone, and 'footfall cluster status' shows them. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { NatsConnection } from "@nats-io/transport-node";
import { connect } from "../../src/cluster/connection/connect.ts";
import { Roster, type HeardNode } from "../../src/cluster/roster/roster.ts";
import { TestClock } from "../support/clock.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const hourMs = 3_600_000;

describeWith("nats", "a node that has gone", () => {
  let servers: NatsServers;
  let connection: NatsConnection;
  let clock: TestClock;
  let roster: Roster;
  beforeEach(async () => {
    servers = await NatsServers.start({});
    connection = await connect(servers.servers.map(({ url }) => url));
    clock = new TestClock();
    roster = new Roster(connection, "test", clock, () => {});
  });
  afterEach(async () => {
    await connection.close();
    await servers.stop();
  });

  async function hear(name: string, seq = 1): Promise<void> {
    const said = {
      name,
      seq,
      version: "1",
      level: 1,
      behindMs: 0,
      isSequencer: true,
      trouble: "its disk is nearly full",
    };
    connection.publish("test.nodes", JSON.stringify(said));
    await until(() => roster.nodes.some((node) => node.name === name && node.seq === seq), "it is heard");
  }

  const shown = ({ name, seq, silentMs, isSequencer, trouble }: HeardNode) => [
    name,
    seq,
    silentMs,
    isSequencer,
    trouble,
  ];
  const gone = () => roster.goneNodes().map(shown);

  test("is known for a day, without what it did", async () => {
    await hear("a-000000", 7);
    expect(gone()).toEqual([]);
    clock.advance(hourMs);
    expect([roster.nodes, gone()]).toEqual([[], [["a-000000", 7, hourMs, false, undefined]]]);
    clock.advance(23 * hourMs);
    expect(gone()).toHaveLength(1);
    clock.advance(1);
    expect(gone()).toEqual([]);
  });

  test("is there again once another process runs on its folder, and gone once as that", async () => {
    await hear("a-000000");
    clock.advance(9_000);
    await hear("a-000001", 2);
    clock.advance(9_000);
    expect([roster.nodes.length, gone()]).toEqual([1, []]);
    clock.advance(9_000);
    expect([roster.nodes, gone()]).toEqual([[], [["a-000001", 2, 18_000, false, undefined]]]);
  });

  test("is not listed as silent once another process runs on its folder, and two that run on copies of one are", async () => {
    const names = () => roster.nodes.map(({ name }) => name);
    await hear("a-000000");
    await hear("b-000000");
    clock.advance(2_000);
    await hear("a-000001");
    expect(names()).toEqual(["a-000000", "a-000001", "b-000000"]);
    clock.advance(2_000);
    expect(names()).toEqual(["a-000001", "b-000000"]);
  });

  test("is forgotten for those that went after it, if there are many", async () => {
    for (let number = 0; number < 40; number++) {
      await hear(`n${number}-000000`);
      clock.advance(hourMs / 2);
    }
    const names = roster.goneNodes().map(({ name }) => name);
    expect([names.length, names.includes("n8-000000"), names.includes("n7-000000")]).toEqual([
      32,
      true,
      false,
    ]);
  });
});
