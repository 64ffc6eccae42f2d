/** The connection to NATS comes back whatever the servers said or kept back meanwhile, and a node without one ends. */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/cluster/connection/connect.ts";
import { TestCluster } from "../support/cluster.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { startRelay } from "../support/relay.ts";
import { until } from "../support/until.ts";

describeWith("nats", "the connection to NATS", () => {
  let stop: (() => Promise<void>) | undefined;
  afterEach(() => stop?.());

  test("comes back after the servers have refused its login again and again", async () => {
    const servers = await NatsServers.start({ lines: ['authorization { user: "u", password: "right" }'] });
    const connection = await connect([servers.urls], { user: "u", pass: "right" });
    stop = async () => {
      await connection.close();
      await servers.stop();
    };
    let refusals = 0;
    const count = async () => {
      for await (const { type } of connection.status()) if (type === "error") refusals += 1;
    };
    void count();
    const path = join(servers.servers[0]?.folder as string, "nats.conf");
    const text = readFileSync(path, "utf8");
    for (const password of ["another", "right"]) {
      await servers.killAll();
      writeFileSync(path, text.replace("right", password));
      await servers.startAll();
      if (password !== "right")
        await until(() => refusals > 3 || connection.isClosed(), "its login is refused again and again");
    }
    expect(connection.isClosed()).toBe(false);
    await until(async () => (await connection.rtt()) >= 0, "a server answers");
  });

  test("is given up for another one when nothing comes through it, however much waits to be sent", async () => {
    const servers = await NatsServers.start();
    const url = servers.urls;
    const relay = await startRelay(Number(new URL(url).port));
    const connection = await connect([`127.0.0.1:${relay.port}`, url], { noRandomize: true });
    let publishing: Timer | undefined;
    stop = async () => {
      clearInterval(publishing);
      relay.stop();
      await connection.close();
      await servers.stop();
    };
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on("uncaughtException", note);
    expect(connection.getServer()).toEndWith(`:${relay.port}`);
    relay.stall();
    // More than the buffers of the system hold.
    for (let message = 0; message < 32; message++) connection.publish("much", new Uint8Array(1_000_000));
    publishing = setInterval(() => connection.publish("more", new Uint8Array(10_000)), 10);
    const isElsewhere = () => connection.getServer() === url.replace("nats://", "");
    await until(
      async () => isElsewhere() && (await connection.rtt().catch(() => -1)) >= 0,
      "another server answers",
    );
    relay.resume();
    await until(async () => (await connection.rtt()) >= 0, "it goes on answering");
    process.off("uncaughtException", note);
    expect(uncaught).toEqual([]);
  });

  test("ends the node if it was given up, and not where the node stops", async () => {
    const cluster = await TestCluster.start();
    stop = () => cluster.stop();
    const [left, closed] = [await cluster.open("a"), await cluster.open("b")];
    let hasFailed = false;
    void left.node.failed.then(() => (hasFailed = true));
    await closed.connection.close();
    const failure = await closed.node.failed;
    expect([failure.name, failure.message]).toEqual([
      "ConnectionClosed",
      "the connection to NATS was given up, so this node stops: start it again",
    ]);
    await cluster.close(left);
    expect(hasFailed).toBe(false);
  });
});
