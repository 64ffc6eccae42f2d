/**
 * A node joins over a slow bucket: it is ready and answers about the present while the files of finished months are still
 * coming. It is killed in their midst and started again, and in the end it has what the others have.
 */
import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { useExecutable } from "../support/executable.ts";
import { withFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { testWith } from "../support/needs.ts";
import { openFolder } from "../support/open-folder.ts";
import { imported, load, valuesOf } from "../support/records.ts";
import { startS3, type S3Server } from "../support/s3-server.ts";
import { account, runToEnd, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

const hostname = "a.example";
const hourMs = 3_600_000;

/** Three finished months, and page views of today. Returns the months, as the names of their files begin. */
async function fill(folder: string): Promise<string[]> {
  const engine = await openFolder(folder, { clock: systemClock });
  const { userId } = await addUser(engine, account);
  const { websiteId } = await addWebsite(engine, { userId, sessionId: "" }, { hostname });
  const timeMs = engine.nowMs();
  const now = new Date(timeMs);
  const months: string[] = [];
  for (const ago of [5, 4, 3]) {
    const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 10);
    months.push(new Date(startMs).toISOString().slice(0, 7));
    const times = Array.from({ length: 500 }, (_, at) => startMs + at * 60_000);
    await engine.commit({ ...imported(times, { websiteId, timeMs }), file: `${ago}.log` });
  }
  for (let at = 0; at < 20; at++)
    await engine.commit(load(`now-${at}`, { websiteId, timeMs, values: valuesOf(`/now/${at % 9}`) }));
  // The next record of a checkpoint seals what is over, and the checkpoint after it has it in files.
  for (let times = 0; times < 2; times++) await engine.purge();
  await engine.stop();
  return months;
}

/** Holds back the files of finished months. */
class Gate {
  private readonly waiting: (() => void)[] = [];
  isOpen = false;
  months: readonly string[] = [];

  constructor(s3: S3Server) {
    s3.readyToGive = (key) => {
      const [, month = ""] = /\/(\d{4}-\d\d)-\d+\.\d+\.chunk\./.exec(key) ?? [];
      if (this.isOpen || !this.months.includes(month)) return Promise.resolve();
      return new Promise((resolve) => this.waiting.push(resolve));
    };
  }

  get held(): number {
    return this.waiting.length;
  }

  release(): void {
    this.waiting.shift()?.();
  }

  open(): void {
    this.isOpen = true;
    while (this.held > 0) this.release();
  }
}

testWith("nats", "a node answers about the present while files of finished months are still coming", () =>
  withFolder(async (top) => {
    const s3 = startS3("cluster");
    const gate = new Gate(s3);
    gate.open();
    const nats = await NatsServers.start();
    const command = ["env", ...s3.environment, useExecutable()];
    const args = (data: string) => [
      "--data",
      join(top, data),
      ...nats.flags,
      "--objects",
      "s3://cluster/nodes",
    ];
    const nodes: ServerProcess[] = [];
    const start = async (data: string) => {
      const node = await ServerProcess.start(command, top, args(data));
      nodes.push(node);
      node.cookie = nodes[0]!.cookie;
      return node;
    };
    const since = new Date(Date.now() - hourMs).toISOString();
    const present = (node: ServerProcess) => node.rows(hostname, `pages?start=${since}`);
    const all = (node: ServerProcess) => node.rows(hostname, "pages");
    const monthsIn = (data: string) =>
      [...new Bun.Glob("chunks/1/*.chunk").scanSync(join(top, data))].filter((name) =>
        gate.months.some((month) => name.includes(month)),
      );
    try {
      gate.months = await fill(join(top, "single"));
      const moved = await runToEnd(command, top, ["cluster", "move", ...args("single")]);
      expect(moved).toMatchObject({ exitCode: 0 });
      const first = await start("first");
      await first.logIn();
      await until(async () => (await first.hit(`https://${hostname}/`, "one")).ok, "it sequences");

      gate.isOpen = false;
      let second = await start("second");
      await until(async () => (await second.get("/readyz")).status === 200, "it is ready");
      expect(await present(second)).toEqual(await present(first));
      const waiting = all(second).catch((error: unknown) => error);
      await until(() => gate.held === 3, "three months are asked for");
      expect(monthsIn("second")).toEqual([]);
      const unix = join(top, "second", "control.sock");
      const metrics = await fetch("http://localhost/metrics", { unix });
      expect(await metrics.text()).toContain("\nfootfall_awaited_files 3\n");
      gate.release();
      await until(() => monthsIn("second").length === 1, "one file is there");
      expect(await second.end("SIGKILL")).toBe(137);
      expect(await waiting).toBeInstanceOf(Error);
      const checked = await runToEnd(command, top, ["check", "--data", join(top, "second")]);
      expect(checked.errors).toContain("is a node's copy that lacks files");

      // It goes on with the other two, one after the other, and the one that is there is not asked for again.
      s3.asked.length = 0;
      const [there = ""] = monthsIn("second");
      second = await start("second");
      await until(() => s3.asked.length === 1, "it goes on");
      await until(async () => (await first.hit(`https://${hostname}/`, "two")).ok, "a hit is taken");
      await until(async () => Bun.deepEquals(await present(second), await present(first)), "it follows");
      const answer = all(second);
      gate.open();
      expect(await answer).toEqual(await all(first));
      await until(() => !existsSync(join(top, "second", "awaited")), "all files are there");
      expect(new Set(s3.asked).size).toBe(2);
      expect(s3.asked.some((key) => key.includes(there))).toBe(false);
      const whole = await runToEnd(command, top, ["check", "--data", join(top, "second")]);
      expect(whole).toMatchObject({ exitCode: 0 });
      expect(await second.end("SIGTERM")).toBe(0);
      s3.asked.length = 0;
      second = await start("second");
      expect(await all(second)).toEqual(await all(first));
      expect(s3.asked).toEqual([]);
    } finally {
      await Promise.all(nodes.map((node) => node.end("SIGKILL")));
      await nats.stop();
      await s3.stop();
    }
  }),
);
