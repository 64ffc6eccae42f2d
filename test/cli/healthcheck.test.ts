/** The health check of the executable, and what a start says of how the server is reached and where its data is. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { workTreeAround } from "../../src/cli/serving/work-tree.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { testWith } from "../support/needs.ts";
import { selfSigned } from "../support/self-signed.ts";
import { onQuietPort, quietPort } from "../support/quiet-port.ts";
import { runToEnd, ServerProcess } from "../support/server.ts";
const folder = useFolder();
const executable = [useExecutable()];

async function check(...args: string[]): Promise<[exitCode: number, output: string]> {
  const { exitCode, output } = await runToEnd(executable, folder, ["healthcheck", ...args]);
  return [exitCode, output.trim()];
}

test("without a server the exit code is 1", async () => {
  const free = onQuietPort((port) => Bun.serve({ port, fetch: () => new Response("something else") }));
  const { port } = free;
  const url = `http://127.0.0.1:${port}/healthz`;
  const other = `not healthy: ${url} answers with something else: is it Footfall?`;
  expect(await check("--port", String(port))).toEqual([1, other]);
  await free.stop(true);
  expect(await check("--port", String(port))).toEqual([
    1,
    `not healthy: ${url} cannot be reached (ECONNREFUSED)`,
  ]);
});

test("a server that takes no hits is healthy, and the line says why it takes none", async () => {
  const message = "hits are not taken: the log cannot be written";
  const answers = (request: Request) =>
    new URL(request.url).pathname === "/healthz"
      ? Response.json({ status: "ok" })
      : Response.json({ error: { code: 500, message } }, { status: 500 });
  await using server = Bun.serve({ port: 0, fetch: answers });
  const url = `http://127.0.0.1:${server.port}/healthz`;
  expect(await check("--port", String(server.port))).toEqual([0, `healthy: ${url} answers, but: ${message}`]);
});

test("an address of IPv6 may have the brackets that it has in a URL", async () => {
  const port = quietPort();
  for (const address of ["::1", "[::1]"]) {
    const [exitCode, line] = await check("--host", address, "--port", String(port));
    const said = `not healthy: http://[::1]:${port}/healthz cannot be reached (E`;
    expect([exitCode, line.slice(0, said.length)]).toEqual([1, said]);
  }
});

test("port 0 is refused", async () => {
  const { exitCode, errors } = await runToEnd(executable, folder, ["healthcheck", "--port", "0"]);
  expect([exitCode, errors]).toEqual([
    2,
    "footfall: --port: expected the port that the server listens on, got 0\n",
  ]);
});

testWith("openssl", "finds a server with HTTPS below a base", async () => {
  const tree = join(folder, "tree");
  mkdirSync(join(tree, ".git"), { recursive: true });
  const { cert, key } = selfSigned(join(folder, "tls"));
  const flags = ["--tls-cert", cert, "--tls-key", key, "--base", "/stats"];
  const server = await ServerProcess.start(executable, tree, flags, {});
  expect(server.greeting).toContain(`listens on https://127.0.0.1:${server.port}/stats, data in snapshots`);
  expect(server.greeting).toContain(`  https://localhost:${server.port}/stats/#setup=`);
  expect(server.greeting).toContain(`The data is in the git work tree ${tree}: git clean may delete it.`);
  const port = ["--port", String(server.port)];
  expect(await check(...port, ...flags)).toEqual([
    0,
    `healthy: https://127.0.0.1:${server.port}/stats/healthz answers`,
  ]);
  expect((await check(...port, "--tls-cert", cert, "--tls-key", key))[0]).toBe(1);
  expect((await check(...port, "--tls-cert", cert, "--base", "/stats"))[0]).toBe(0);
  expect(await check(...port)).toEqual([
    1,
    `not healthy: http://127.0.0.1:${server.port}/healthz cannot be reached (ECONNRESET): name --tls-cert if it speaks HTTPS`,
  ]);
  expect(await server.end("SIGTERM")).toBe(0);
});

test("a folder outside of a work tree is in none", () => {
  const data = join(folder, "plain", "data");
  mkdirSync(data, { recursive: true });
  expect(workTreeAround(data)).toBeUndefined();
  expect(workTreeAround(join(data, "gone"))).toBeUndefined();
  mkdirSync(join(folder, "plain", ".git"));
  expect(workTreeAround(data)).toBe(join(folder, "plain"));
});
