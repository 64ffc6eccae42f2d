/** A node does not begin on servers of which nobody knows that they sync every write. */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/cluster/connection/connect.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { expectSync } from "../../src/cluster/stream/sync-check.ts";
import { NatsWatch } from "../../src/cluster/stream/nats-watch.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { TestCluster } from "../support/cluster.ts";
import { linesOf } from "../support/log-lines.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { NatsServers, type NatsOptions, type NatsServer } from "../support/nats.ts";
import { until } from "../support/until.ts";

const run = test.skipIf(!isThere("nats"));
let servers: NatsServers | undefined;
afterEach(async () => {
  await servers?.stop();
  servers = undefined;
});

function newStart() {
  const id = () => systemRandom.bytes(16).toHex();
  return { incarnation: id(), folderId: id(), baseSeq: 0 };
}

/** Returns what is said of such servers: why a node does not begin, or what it warns of. */
async function said(
  options: NatsOptions,
  more: { monitors?: readonly string[]; acceptsUnsynced?: boolean } = {},
) {
  servers = await NatsServers.start(options);
  const login = { user: "sys", pass: "sys" };
  const connection = await connect(
    [servers.urls],
    options.lines === undefined ? {} : { user: "app", pass: "app" },
  );
  const asking = options.lines === undefined ? connection : await connect([servers.urls], login);
  const own = { connection, prefix: "test", replicas: 1 };
  const stream = await Stream.create(own, newStart());
  const monitors = servers.monitors.split(",");
  const { lines, logger } = linesOf();
  const check = {
    connection: asking,
    stream,
    logger,
    servers: [servers.urls],
    monitors,
    acceptsUnsynced: false,
  };
  await expectSync({ ...check, ...more }).catch((error: Error) => lines.push(error.message));
  await connection.close();
  return lines.join("\n");
}

run(nameWith("nats", "servers that sync every write are taken"), async () => {
  expect(await said({})).toBe("");
});

run(nameWith("nats", "one that does not is refused, with the way out"), async () => {
  const text = await said({ isSynced: false });
  expect(text).toContain("writes are not synced at once by the NATS server nats-1");
  expect(text).toContain("sync_interval: always");
  expect(text).toContain("--nats-unsynced");
});

run(nameWith("nats", "one that says nothing is refused, unless a setting accepts it"), async () => {
  const monitors = ["http://127.0.0.1:1"];
  expect(await said({}, { monitors })).toContain("it cannot be known whether they are by nats-1");
  await servers?.stop();
  const text = await said({ isSynced: false }, { monitors, acceptsUnsynced: true });
  expect(text).toStartWith("warn  a power cut of all servers of NATS may take back");
});

run(nameWith("nats", "a server that comes back without syncing is told as an error"), async () => {
  servers = await NatsServers.start({ count: 3 });
  const [, second] = servers.servers as [NatsServer, NatsServer, NatsServer];
  const connection = await connect(servers.servers.map(({ url }) => url));
  const stream = await Stream.create({ connection, prefix: "test", replicas: 3 }, newStart());
  const { lines, logger } = linesOf();
  const own = { servers: [], monitors: servers.monitors.split(","), acceptsUnsynced: false };
  const check = { connection, stream, logger, ...own };
  const watch = new NatsWatch(check, await expectSync(check), systemClock);
  try {
    await watch.look();
    expect([watch.troubles, lines]).toEqual([[], []]);
    const path = join(second.folder, "nats.conf");
    const text = readFileSync(path, "utf8");
    await second.kill();
    writeFileSync(path, text.replace(", sync_interval: always", ""));
    await second.start();
    const looked = async (isUnsynced: boolean) => {
      await watch.look();
      return watch.troubles.length > 0 === isUnsynced;
    };
    await until(() => looked(true), "it is found");
    expect(watch.troubles).toEqual(["writes are not synced at once by the NATS server nats-2"]);
    expect(lines.join("\n")).toMatch(/error +a power cut of all servers of NATS may take back .*nats-2/);
    // It is told once.
    await watch.look();
    expect(lines.filter((line) => line.includes("not synced at once"))).toHaveLength(1);
    await second.kill();
    writeFileSync(path, text);
    await second.start();
    await until(() => looked(false), "it syncs again");
    await until(
      () => looked(false).then(() => lines.at(-1)?.includes("sync every write") === true),
      "and that is told",
    );
  } finally {
    watch.stop();
    await connection.close();
  }
});

run(nameWith("nats", "a user of the system account needs no monitoring endpoint"), async () => {
  const accounts =
    "accounts { APP { jetstream: enabled, users: [{ user: app, password: app }] }, " +
    "SYS { users: [{ user: sys, password: sys }] } }";
  expect(await said({ lines: [accounts, "system_account: SYS"] }, { monitors: [] })).toBe("");
});

run(nameWith("nats", "a node begins where one server of three died just now"), async () => {
  const cluster = await TestCluster.start({ count: 3 });
  try {
    const { node } = await cluster.open("a");
    const { stream } = node["options"];
    const [leader] = (await stream.servers()).running;
    await cluster.servers.servers.find(({ name }) => name !== leader)!.kill();
    await cluster.open("b");
  } finally {
    await cluster.stop();
  }
});
