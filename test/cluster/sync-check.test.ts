/** A node does not begin on servers of which nobody knows that they sync every write. */
import { afterEach, expect, test } from "bun:test";
import { connect } from "../../src/cluster/connection/connect.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { expectSync } from "../../src/cluster/stream/sync-check.ts";
import { createLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { NatsServers, type NatsOptions } from "../support/nats.ts";

const run = test.skipIf(!isThere("nats"));
let servers: NatsServers | undefined;
afterEach(() => servers?.stop());

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
  const id = () => systemRandom.bytes(16).toHex();
  const own = { connection, prefix: "test", replicas: 1 };
  const stream = await Stream.create(own, { incarnation: id(), folderId: id(), baseSeq: 0 });
  const monitors = servers.monitors.split(",");
  const lines: string[] = [];
  const logger = createLogger({
    level: "info",
    format: "text",
    nowMs: () => 0,
    write: (line) => lines.push(line),
  });
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
  expect(text).toStartWith("00:00:00 warn  a power cut of all servers of NATS may take back");
});

run(nameWith("nats", "a user of the system account needs no monitoring endpoint"), async () => {
  const accounts =
    "accounts { APP { jetstream: enabled, users: [{ user: app, password: app }] }, " +
    "SYS { users: [{ user: sys, password: sys }] } }";
  expect(await said({ lines: [accounts, "system_account: SYS"] }, { monitors: [] })).toBe("");
});
