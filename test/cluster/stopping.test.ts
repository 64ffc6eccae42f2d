/** The executable as a node whose state is not that of two others: it ends, says why, and does not start on its folder again. */
import { expect } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/cluster/connection/connect.ts";
import type { NodeReport } from "../../src/cluster/roster/roster.ts";
import { useExecutable } from "../support/executable.ts";
import { withFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { testWith } from "../support/needs.ts";
import { runToEnd, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

testWith("nats", "a server whose state two others contradict ends with exit code 2", () => {
  const command = [useExecutable()];
  return withFolder(async (top) => {
    const folder = join(top, "a");
    mkdirSync(folder);
    const nats = await NatsServers.start();
    const connection = await connect([nats.urls]);
    const args = [...nats.flags, "--data", "data"];
    const server = await ServerProcess.start(command, folder, args);
    try {
      // This listener answers a digest with another one, as two nodes do that agree.
      connection.subscribe("footfall.nodes", {
        callback: (_, message) => {
          const report = message.json<NodeReport>();
          if (report.name.startsWith("other") || report.state === undefined) return;
          const digests = report.state.digests.map(([seq, digest]) => [seq, digest ^ 1] as const);
          for (const name of ["other-1", "other-2"]) {
            const said = { ...report, name, isSequencer: false, state: { ...report.state, digests } };
            connection.publish("footfall.nodes", JSON.stringify(said));
          }
        },
      });
      await until(async () => {
        await server.logIn();
        return true;
      }, "the account is there");
      expect((await server.post("/websites", { hostname: "example.com" })).status).toBe(201);
      // A deletion has a checkpoint made.
      const removed = await server.delete("/websites/example.com");
      expect(removed.status).toBe(204);
      expect(await server.ended).toBe(2);
      expect(existsSync(join(folder, "data", "differs"))).toBe(true);
      const again = await runToEnd(command, folder, ["--port", "0", ...args]);
      expect(again.exitCode).toBe(2);
      expect(again.errors).toContain("was not that of the other nodes");
      expect(again.errors).toContain("start with an empty folder");
    } finally {
      await server.end("SIGKILL");
      await connection.close();
      await nats.stop();
    }
  });
});
