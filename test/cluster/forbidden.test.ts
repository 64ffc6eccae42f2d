/** Nodes whose login at NATS may not do all that a node needs. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import type { ClusterServer } from "../../src/cli/cluster/server.ts";
import { userAdded } from "../support/account-records.ts";
import { openServer } from "../support/cluster-folders.ts";
import { useFolder } from "../support/folder.ts";
import { linesOf } from "../support/log-lines.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const folder = useFolder();

describeWith("nats", "what NATS forbids", () => {
  let nats: NatsServers;
  let server: ClusterServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await nats.stop();
  });

  /** Starts a node whose login has these permissions. Resolves to the lines of its log. */
  async function start(permissions: string): Promise<readonly string[]> {
    const users = `authorization { users: [{ user: node, password: secret, permissions: { ${permissions} } }] }`;
    nats = await NatsServers.start({ lines: [users, "no_auth_user: node"] });
    const { lines, logger } = linesOf();
    server = await openServer(nats, mkdtempSync(`${folder}/`), { logger });
    return lines;
  }

  test("at the start is said at once", async () => {
    const violation = 'Permissions Violation for Publish to "$JS.API.INFO"';
    await expect(start('publish: { deny: ["$JS.API.INFO"] }')).rejects.toThrow(
      `NATS forbids this login what a node needs (${violation})`,
    );
  });

  test("a node at work is in its log, and does not break its connection", async () => {
    const lines = await start('subscribe: { deny: ["test.>"] }');
    const said = () => lines.filter((line) => line.includes("NATS forbids this node what it needs"));
    await until(() => said().some((line) => line.includes("test.answers")), "it says so");
    const { node, engine } = server as ClusterServer;
    await until(() => node.isSequencer, "it sequences");
    expect(await engine.commit(userAdded(1, "ada"))).toBe("done");
    expect(node.nodes).toMatchObject([{ breaks: 0 }]);
  });

  test("is nothing with the permissions of docs/cluster.md", async () => {
    const page = await Bun.file(`${import.meta.dir}/../../docs/cluster.md`).text();
    const [, permissions = ""] = /`permissions: \{ (publish: .*) \}`/.exec(page) ?? [];
    const lines = await start(permissions.replaceAll("footfall", "test"));
    const { node, engine } = server as ClusterServer;
    await until(() => node.isSequencer, "it sequences");
    expect(await engine.commit(userAdded(1, "ada"))).toBe("done");
    expect(lines.join("")).not.toContain("forbids");
  });
});
