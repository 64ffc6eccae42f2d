/**
 * The steps of docs/cluster.md as they are printed there, with the files of deploy/cluster: three machines are three
 * addresses of this one, and only addresses, folders and the bucket are others.
 */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useExecutable } from "../support/executable.ts";
import { natsPath } from "../support/nats.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { runToEnd, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

const root = join(import.meta.dir, "..", "..");
const deploy = join(root, "deploy", "cluster");
const page = readFileSync(join(root, "docs", "cluster.md"), "utf8");
const numbers = [1, 2, 3];

const lines = [...page.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
);

/** Returns the arguments of the printed command line that begins so. */
function printed(beginning: string): string[] {
  const found = lines.filter((line) => line.startsWith(`footfall ${beginning}`));
  if (found.length !== 1) throw new Error(`${found.length} lines of docs/cluster.md begin with ${beginning}`);
  return (found[0] as string).split(" ").slice(1);
}

test("the page about several machines has no command but the steps below", () => {
  const steps = ["--data", "cluster move --data", "cluster move --back"].map(printed);
  expect(lines.toSorted()).toEqual(steps.map((words) => `footfall ${words.join(" ")}`).toSorted());
});

describe.skipIf(!isThere("nats") || !isThere("linux"))(
  nameWith("nats", "the page about several machines"),
  () => {
    const command = [useExecutable()];

    test("has steps that bring a single machine into a cluster of three, and back", async () => {
      const top = mkdtempSync(join(tmpdir(), "footfall-setting-up-"));
      // The whole of 127/8 is this machine: nobody else has the ports of these addresses.
      const network = `127.${1 + (process.pid % 254)}.${Date.now() % 256}`;
      const here = (text: string, data: string) =>
        text
          .replaceAll("10.0.0.", `${network}.`)
          .replaceAll("/var/lib/footfall", join(top, data))
          .replaceAll("s3://bucket/footfall", join(top, "objects"));
      const run = async (args: readonly string[]) => {
        const { exitCode, output, errors } = await runToEnd(command, top, args);
        expect([exitCode, output, errors]).toEqual([0, output, errors]);
        return output;
      };
      const expectRefusedAlone = async (data: string) => {
        const { exitCode, errors } = await runToEnd(command, top, [
          ...["--data", join(top, data)],
          ...["--port", "0"],
        ]);
        expect([exitCode, errors]).toEqual([2, expect.stringContaining("is a node's copy")]);
      };
      const nats = numbers.map((number) => startNats(top, number, (text) => here(text, "")));
      const nodes: ServerProcess[] = [];
      mkdirSync(join(top, "objects"));
      try {
        const single = await ServerProcess.start(command, top, ["--data", join(top, "single")]);
        await single.logIn();
        expect((await single.post("/websites", { hostname: "example.com" })).status).toBe(201);
        expect((await single.hit("https://example.com/", "before")).status).toBe(200);
        await single.end("SIGTERM");
        const moved = await run(printed("cluster move --data").map((word) => here(word, "single")));
        expect(moved).toContain("the cluster has everything");
        await expectRefusedAlone("single");
        nodes.push(
          ...(await Promise.all(
            numbers.map((number) => {
              const args = printed("--data").map((word) => here(word, `node-${number}`));
              return ServerProcess.start(command, top, args);
            }),
          )),
        );
        for (const [at, node] of nodes.entries()) {
          await until(async () => (await node.hit("https://example.com/", `hit ${at}`)).ok, "hits are taken");
          node.cookie = single.cookie;
          expect(await node.rows("example.com", "pages")).toMatchObject([{ pageviews: at + 2 }]);
        }
        const status = ["cluster", "status", "--data", join(top, "node-1")];
        await until(async () => (await run(status)).includes("sequences"), "the nodes are listed");
        for (const node of nodes.splice(0)) expect(await node.end("SIGTERM")).toBe(0);
        await run(printed("cluster move --back").map((word) => here(word, "back")));
        // It goes into another cluster before anything was added to it, and out of that.
        for (const words of ["cluster move --data", "cluster move --back"]) {
          await run([...printed(words).map((word) => here(word, "back")), "--nats-prefix", "another"]);
          if (words.endsWith("--data")) await expectRefusedAlone("back");
        }
        const back = await ServerProcess.start(command, top, ["--data", join(top, "back")]);
        nodes.push(back);
        back.cookie = single.cookie;
        expect(await back.rows("example.com", "pages")).toMatchObject([{ pageviews: 4 }]);
      } finally {
        await Promise.all([...nodes.map((node) => node.end("SIGKILL")), ...nats.map(endNats)]);
        rmSync(top, { recursive: true });
      }
    });
  },
);

/** Starts a server with the printed configuration: each machine has its own name and address. */
function startNats(top: string, number: number, here: (text: string) => string): Bun.Subprocess {
  const text = readFileSync(join(deploy, "nats.conf"), "utf8");
  const own = text
    .replace("server_name: nats-1", `server_name: nats-${number}`)
    .replaceAll(/^( *(?:listen|http): "10\.0\.0\.)1:/gm, `$1${number}:`)
    .replaceAll("/var/lib/nats", join(top, `nats-${number}`));
  const path = join(top, `nats-${number}.conf`);
  writeFileSync(path, here(own));
  return Bun.spawn([natsPath as string, "--config", path], { stdio: ["ignore", "ignore", "ignore"] });
}

async function endNats(server: Bun.Subprocess): Promise<void> {
  server.kill("SIGKILL");
  await server.exited;
}
