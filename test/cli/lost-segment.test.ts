/** A server whose newest segment somebody removes, to make room on a disk say, acknowledges nothing that no start would find. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../support/command.ts";
import { fromSource, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

const hostname = "a.example";
let top: string;
let data: string;
const started: ServerProcess[] = [];

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "footfall-segment-"));
  data = join(top, "data");
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.end("SIGKILL");
  rmSync(top, { recursive: true });
});

async function start(): Promise<ServerProcess> {
  const server = await ServerProcess.start(fromSource, top, ["--data", data]);
  started.push(server);
  await server.logIn();
  return server;
}

/** Sends a hit of a page. Returns the status of its answer. */
const hit = async (server: ServerProcess, page: string) =>
  (await server.hit(`https://${hostname}/${page}`, `beacon-${page}`)).status;
const pages = async (server: ServerProcess) =>
  (await server.rows(hostname, "pages")).map(({ path }) => path).toSorted();
const manifests = () => readdirSync(data).filter((name) => name.endsWith(".manifest"));

test("where the newest segment was removed a hit is refused, and what was acknowledged is in a checkpoint", async () => {
  const server = await start();
  expect((await server.post("/websites", { hostname })).status).toBe(201);
  expect(await hit(server, "a")).toBe(200);
  const before = manifests();
  for (const name of readdirSync(join(data, "wal"))) rmSync(join(data, "wal", name));
  expect(await hit(server, "b")).toBe(500);
  expect(await hit(server, "c")).toBe(200);
  await until(() => manifests().length === 1 && manifests()[0] !== before[0], "a checkpoint is made");
  await server.end("SIGKILL");
  expect(await command(data, "check")).toMatchObject({ exitCode: 0 });
  expect(await pages(await start())).toEqual(["/a", "/c"]);
});
