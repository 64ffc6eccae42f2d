/** A stream that is there is compared with what a log needs, and is brought to as many servers as the setting says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jetstreamManager, type JetStreamManager, type StreamConfig } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { connect } from "../../src/cluster/connection/connect.ts";
import { Lease } from "../../src/cluster/lease.ts";
import { paceDefault } from "../../src/cluster/pace.ts";
import { openStream } from "../../src/cluster/open-node.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { useFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const folder = useFolder();

describeWith("nats", "the configuration of a stream", () => {
  let servers: NatsServers;
  let connection: NatsConnection;
  let manager: JetStreamManager;

  async function connectTo(count: number): Promise<void> {
    servers = await NatsServers.start({ count });
    connection = await connect(servers.servers.map(({ url }) => url));
    manager = await jetstreamManager(connection);
  }
  async function leave(): Promise<void> {
    await connection?.close();
    await servers?.stop();
  }
  const open = (prefix: string, replicas: number, through = connection) =>
    openStream({ connection: through, prefix, replicas }, join(folder, prefix), {
      random: systemRandom,
      logger: silentLogger,
      pace: { ...paceDefault, roundMs: 10 },
    });

  describe("at one server", () => {
    beforeAll(() => connectTo(1));
    afterAll(leave);

    const changes: readonly (readonly [name: string, change: Partial<StreamConfig>, found: string])[] = [
      ["an age limit", { max_age: 3_600_000_000_000 }, "max_age 3600000000000, expected 0"],
      ["another discard", { discard: "old" }, 'discard "old", expected new'],
      ["a limit of messages", { max_msgs: 10, discard: "new" }, "max_msgs 10, expected -1"],
      ["a limit of a subject", { max_msgs_per_subject: 1 }, "max_msgs_per_subject 1, expected -1"],
      [
        "a limit of a message",
        { max_msg_size: 600_000 },
        "max_msg_size 600000, expected -1, or 1048576 at least",
      ],
    ];
    test.each(changes)("%s is refused with what to do", async (_, change, found) => {
      const prefix = Object.keys(change)[0] as string;
      await open(prefix, 1);
      await manager.streams.update(`${prefix}-log`, change);
      await expect(open(prefix, 1)).rejects.toMatchObject({
        code: 500,
        message: expect.stringContaining(found),
      });
      await expect(open(prefix, 1)).rejects.toThrow(`'nats stream edit ${prefix}-log'`);
    });

    test("a stream in memory, or one that acknowledges before the disk, is refused", async () => {
      for (const [prefix, change, found] of [
        ["memory", { storage: "memory" }, 'storage "memory", expected file'],
        ["async", { persist_mode: "async" }, 'persist_mode "async", expected default'],
      ] as const) {
        const name = `${prefix}-log`;
        const { start } = await open(`${prefix}-like`, 1);
        const metadata = { ...start, baseSeq: String(start.baseSeq) };
        await manager.streams.add({ name, subjects: [`${prefix}.log`], discard: "new", metadata, ...change });
        await expect(open(prefix, 1)).rejects.toThrow(found);
      }
    });

    test("more replicas than there are servers are refused, naming the setting", async () => {
      await open("alone", 1);
      await expect(open("alone", 3)).rejects.toThrow(
        "FOOTFALL_NATS_REPLICAS is 3, and the stream alone-log is on 1 server: NATS does not bring it to more",
      );
    });

    test("a new stream with more replicas than one server can have is refused, naming the setting", async () => {
      await expect(open("first", 3)).rejects.toMatchObject({
        code: 500,
        message: expect.stringMatching(
          /^FOOTFALL_NATS_REPLICAS is 3, and the server of NATS is one alone, in no cluster \(.+\): set 1, or run 3 servers/,
        ),
      });
    });

    test.each(["2.9.25", "2.10.29", "2.10.29-RC.1"])("a server of version %s is refused", async (version) => {
      using older = saysVersion(servers.servers[0]!.url, version);
      const through = await connect([older.url]);
      try {
        await expect(open("older", 1, through)).rejects.toMatchObject({
          code: 500,
          message: `the NATS server nats-1 has version ${version}, expected 2.11.0 or later: install that on all servers of NATS`,
        });
      } finally {
        await through.close();
      }
    });

    test.each(["2.11.0", "2.12.0-RC.1", "3.0.0"])("a server of version %s is taken", async (version) => {
      using later = saysVersion(servers.servers[0]!.url, version);
      const through = await connect([later.url]);
      try {
        await open(`later-${version.replaceAll(".", "-")}`, 1, through);
      } finally {
        await through.close();
      }
    });
  });

  test("a server that takes only small messages is refused, naming the setting", async () => {
    const small = await NatsServers.start({ lines: ["max_payload: 1048575"] });
    const through = await connect([small.urls]);
    try {
      await expect(open("small", 1, through)).rejects.toMatchObject({
        code: 500,
        message: expect.stringContaining(
          "the NATS server nats-1 has max_payload 1048575, expected 1048576 or more: what comes at once",
        ),
      });
    } finally {
      await through.close();
      await small.stop();
    }
  });

  describe("at three servers", () => {
    beforeAll(() => connectTo(3));
    afterAll(leave);

    test("a stream and its lease are brought to more servers, and never to fewer", async () => {
      const prefix = "grown";
      await open(prefix, 1);
      const lease = new Lease({ connection, prefix, replicas: 1 }, "a", 4_000, systemClock);
      const isTaken = () => lease.round(true, true).then((holder) => holder === "a");
      await until(() => isTaken().catch(() => false), "the lease is taken");
      await open(prefix, 3);
      for (const name of [`${prefix}-log`, `KV_${prefix}-lease`])
        expect((await manager.streams.info(name)).config.num_replicas).toBe(3);
      await expect(open(prefix, 1)).rejects.toThrow(
        "FOOTFALL_NATS_REPLICAS is 1, and the stream grown-log is on 3 servers: set 3",
      );
      expect((await manager.streams.info(`${prefix}-log`)).config.num_replicas).toBe(3);
    });
  });
});

/** Passes connections on to a server of NATS, which says that it has another version. */
function saysVersion(url: string, version: string) {
  const sockets: Socket[] = [];
  const listener = createServer((client) => {
    const server = createConnection(Number(new URL(url).port), "127.0.0.1");
    sockets.push(client, server);
    for (const socket of [client, server]) socket.on("error", () => socket.destroy());
    client.pipe(server);
    server.on("data", (bytes) => {
      const text = bytes.toString("latin1").replaceAll(/(?<=^INFO .*"version":")[^"]+/gm, version);
      client.write(text, "latin1");
    });
  }).listen(0, "127.0.0.1");
  return {
    url: `nats://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
