/** A server whose folder may be another one's, because `LOCK` was removed or another folder is in its place, leaves it and ends. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverListens } from "../../src/cli/socket.ts";
import { command } from "../support/command.ts";
import { fromSource, ServerProcess } from "../support/server.ts";

const hostname = "a.example";
let top: string;
let data: string;
const started: ServerProcess[] = [];

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "footfall-lost-"));
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

async function startNew(): Promise<ServerProcess> {
  const server = await start();
  expect((await server.post("/websites", { hostname })).status).toBe(201);
  return server;
}

/** Sends a hit of a page. Returns the status of its answer. */
const hit = async (server: ServerProcess, page: string) =>
  (await server.hit(`https://${hostname}/${page}`, `beacon-${page}`)).status;
const pages = async (server: ServerProcess) =>
  (await server.rows(hostname, "pages")).map(({ path }) => path).toSorted();
const files = () => readdirSync(data, { recursive: true, encoding: "utf8" }).toSorted();

test("without LOCK a second server starts, and the first one takes nothing more and ends with 2", async () => {
  const first = await startNew();
  expect(await hit(first, "a")).toBe(200);
  rmSync(join(data, "LOCK"));
  const second = await start();
  expect(await hit(second, "b")).toBe(200);
  expect(await hit(first, "c").catch(() => 0)).not.toBe(200);
  expect(await first.ended).toBe(2);
  expect(await serverListens(data)).toBe(true);
  expect(await hit(second, "d")).toBe(200);
  await second.end("SIGKILL");
  expect(await pages(await start())).toEqual(["/a", "/b", "/d"]);
});

test("in a restored folder the server of the one that was moved away leaves everything, also where it is stopped", async () => {
  const old = await startNew();
  expect(await hit(old, "a")).toBe(200);
  expect(await command(data, "backup", join(top, "backup.tar"))).toMatchObject({ exitCode: 0 });
  expect(await hit(old, "b")).toBe(200);
  renameSync(data, join(top, "old"));
  expect(await command(data, "restore", join(top, "backup.tar"))).toMatchObject({ exitCode: 0 });
  const restored = await start();
  for (const page of ["c", "d", "e"]) expect(await hit(restored, page)).toBe(200);
  const before = files();
  await old.end("SIGTERM");
  expect(files()).toEqual(before);
  expect(await serverListens(data)).toBe(true);
  await restored.end("SIGKILL");
  expect(await pages(await start())).toEqual(["/a", "/c", "/d", "/e"]);
  // It has all that it acknowledged.
  renameSync(data, join(top, "restored"));
  renameSync(join(top, "old"), data);
  expect(await pages(await start())).toEqual(["/a", "/b"]);
});

test("a server that gets no hits ends too", async () => {
  const server = await startNew();
  rmSync(join(data, "LOCK"));
  expect(await server.ended).toBe(2);
});

test("while the folder is gone hits are refused, and its place stays empty; once it is back they count", async () => {
  const server = await startNew();
  expect(await hit(server, "a")).toBe(200);
  renameSync(data, join(top, "moved"));
  expect(await hit(server, "b")).toBe(500);
  // It looks every five seconds.
  await Bun.sleep(6_000);
  expect(await hit(server, "c")).toBe(500);
  expect(readdirSync(top)).toEqual(["moved"]);
  renameSync(join(top, "moved"), data);
  expect(await hit(server, "d")).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
  expect(await pages(await start())).toEqual(["/a", "/d"]);
});
