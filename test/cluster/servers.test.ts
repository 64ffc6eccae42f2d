/** Servers of a cluster as processes of their own, over a real nats-server: whichever is asked, all are one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { describeWith } from "../support/needs.ts";
import { NatsServers } from "../support/nats.ts";
import { useExecutable } from "../support/executable.ts";
import { runToEnd, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

const names = ["a", "b"];
const secret = "a secret of the tests".replaceAll(" ", "-");
const bearer = { authorization: `Bearer ${secret}` };

const folder = useFolder();

describeWith("nats", "servers of a cluster", () => {
  const command = [useExecutable()];
  let nats: NatsServers;
  const nodes: ServerProcess[] = [];

  beforeAll(async () => {
    nats = await NatsServers.start();
    for (const name of names) nodes.push(await start(name));
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    await nats?.stop();
  });

  function start(name: string): Promise<ServerProcess> {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    const args = [...nats.flags, "--metrics-token", secret];
    return ServerProcess.start(command, home, args);
  }

  async function run(name: string, args: readonly string[]): Promise<string> {
    const { exitCode, output, errors } = await runToEnd(command, join(folder, name), args);
    expect([exitCode, errors]).toEqual([0, expect.any(String)]);
    return output;
  }

  const [first, second] = [() => nodes[0] as ServerProcess, () => nodes[1] as ServerProcess];
  const stateOf = async (node: ServerProcess) => {
    const text = await (await fetch(node.url("/metrics"), { headers: bearer })).text();
    const gauge = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
    return { sequences: gauge("footfall_sequencer") === 1, behind: gauge("footfall_behind_seconds") };
  };
  /** Returns the place of the node that sequences. */
  async function sequencer(): Promise<number> {
    let at = -1;
    await until(async () => {
      const states = await Promise.all(nodes.map((node) => stateOf(node).catch(() => undefined)));
      at = states.findIndex((state) => state?.sequences);
      return at !== -1;
    }, "a server sequences");
    return at;
  }
  const views = async (node: ServerProcess) =>
    (await node.rows("example.com", "pages")).reduce((sum, { pageviews }) => sum + Number(pageviews), 0);

  test("the first account is there, a login at one is known to the other, and so is a new website", async () => {
    await until(async () => {
      await second().logIn();
      return true;
    }, "the account is there");
    first().cookie = second().cookie;
    expect((await first().get("/user")).status).toBe(200);
    expect((await first().post("/websites", { hostname: "example.com" })).status).toBe(201);
    expect((await second().get("/websites/example.com")).status).toBe(200);
    expect((await second().post("/websites", { hostname: "example.org" })).status).toBe(201);
    expect((await first().get("/websites/example.org")).status).toBe(200);
  });

  test("hits at either are counted once, and seen at either at once", async () => {
    for (const [at, node] of nodes.entries()) {
      expect(await (await node.hit("https://example.com/", `beacon ${at}`)).json()).toEqual({
        accepted: true,
      });
      expect(await views(node)).toBe(at + 1);
    }
    for (const node of nodes)
      expect(await (await node.hit("https://example.com/", "beacon 0")).json()).toMatchObject({
        accepted: false,
      });
    expect(await first().rows("example.com", "pages")).toEqual(await second().rows("example.com", "pages"));
  });

  test("commands are carried out by whichever server is asked", async () => {
    for (const name of ["a", "b"]) {
      const host = `${name}.example`;
      expect(await run(name, ["website", "add", host])).toContain(host);
    }
    const token = await run(names[1 - (await sequencer())] as string, [
      "token",
      "add",
      "t",
      "--scope",
      "read",
    ]);
    const follower = nodes[1 - (await sequencer())] as ServerProcess;
    const asked = await fetch(follower.url("/websites"), {
      headers: { authorization: `Bearer ${token.trim()}` },
    });
    expect(((await asked.json()) as { hostname: string }[]).map(({ hostname }) => hostname)).toEqual([
      "a.example",
      "b.example",
      "example.com",
      "example.org",
    ]);
    // The use of a token is a record, although the request was a question.
    expect(await run("a", ["token", "list"])).not.toContain("never");
    // Each node says once a second what it is.
    await until(async () => {
      const { exitCode, output } = await runToEnd(command, join(folder, "b"), ["cluster", "status"]);
      const [heads, ...roles] = output
        .trim()
        .split("\n")
        .map((line) => line.split("\t")[1] ?? "");
      return exitCode === 0 && heads === "STATE" && roles.sort().join(" ") === "follows sequences";
    }, "one node sequences and one follows");
  });

  longTest(
    "after kill -9 of the one that sequences the other goes on, and the killed one catches up",
    async () => {
      const at = await sequencer();
      const [killed, other] = [nodes[at] as ServerProcess, nodes[1 - at] as ServerProcess];
      let acknowledged = await views(other);
      const begunMs = performance.now();
      await killed.end("SIGKILL");
      let refused = 0;
      for (let count = 0; acknowledged < 8; count += 1) {
        const answer = await other.hit("https://example.com/", `after ${count}`);
        if (answer.status === 200) acknowledged += 1;
        else {
          expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([500, true]);
          refused += 1;
        }
      }
      const tookMs = performance.now() - begunMs;
      expect(tookMs).toBeLessThan(15_000);
      nodes[at] = await start(names[at] as string);
      nodes[at].cookie = other.cookie;
      // One that was refused may have been stored: nobody knew.
      const all = await views(other);
      expect(all).toBeWithin(acknowledged, acknowledged + refused + 1);
      await until(async () => (await views(nodes[at] as ServerProcess)) === all, "the killed one has all");
    },
  );

  longTest("without NATS hits are refused, questions are answered, and all goes on by itself", async () => {
    await nats.killAll();
    const before = await views(first());
    const isRefused = async (node: ServerProcess) => {
      const refused = await node.hit("https://example.com/", "nowhere");
      expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([500, true]);
      expect(await views(node)).toBe(before);
      await until(async () => (await node.get("/readyz")).status === 500, "it is not ready");
    };
    await Promise.all(nodes.map(isRefused));
    await nats.startAll();
    await until(
      async () => (await second().hit("https://example.com/", "again")).status === 200,
      "hits are taken",
    );
    for (const node of nodes)
      await until(async () => (await node.get("/readyz")).status === 200, "it is ready");
  });

  test("a server that is ended in order hands over at once", async () => {
    const at = await sequencer();
    const [ended, other] = [nodes[at] as ServerProcess, nodes[1 - at] as ServerProcess];
    expect(await ended.end("SIGTERM")).toBe(0);
    expect((await other.hit("https://example.com/", "handed over")).status).toBe(200);
    expect(await sequencer()).toBe(1 - at);
  });
});
