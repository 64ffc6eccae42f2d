/** The first account of the settings: where a cluster has accounts already, and where it cannot be made. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callServer } from "../../src/cli/socket.ts";
import { useFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { fromSource, ServerProcess } from "../support/server.ts";

const top = useFolder();

describeWith("nats", "a node that joins a cluster with accounts", () => {
  test("ignores the first account of its settings, whatever that is", async () => {
    const nats = await NatsServers.start();
    const nodes: ServerProcess[] = [];
    const start = async (name: string, env?: Readonly<Record<string, string>>) => {
      const folder = join(top, name);
      mkdirSync(folder);
      const flags = ["--data", folder, ...nats.flags, "--nats-unsynced"];
      const node = await ServerProcess.start(fromSource, folder, flags, env);
      nodes.push(node);
      const users = () => callServer(folder, "users", null) as Promise<readonly object[]>;
      await until(async () => (await users()).length === 1, "it has the account");
      return node;
    };
    try {
      await start("first");
      const joined = await start("second", {
        FOOTFALL_ADMIN_USERNAME: "of  before",
        FOOTFALL_ADMIN_PASSWORD_FILE: join(top, "gone"),
      });
      await joined.logIn();
      expect((await joined.get("/user")).status).toBe(200);
    } finally {
      for (const node of nodes) await node.end("SIGTERM");
      await nats.stop();
    }
  });
});

describeWith("nats", "a node that begins a cluster with a first account that cannot be made", () => {
  test("prints the link that makes one", async () => {
    const nats = await NatsServers.start();
    const output = join(top, "output");
    const child = Bun.spawn([...fromSource, "--port", "0", "--data", join(top, "begun"), ...nats.flags], {
      env: { ...process.env, FOOTFALL_ADMIN_USERNAME: "ada" },
      stdio: ["ignore", Bun.file(output), "ignore"],
    });
    try {
      await until(() => readFileSync(output, "utf8").includes("#setup="), "the link is printed");
    } finally {
      child.kill("SIGKILL");
      await child.exited;
      await nats.stop();
    }
  });
});
