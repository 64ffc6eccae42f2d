/** A server whose folder may be another one's, because `LOCK` was removed or another folder is in its place, leaves it and ends. */
import { expect, test } from "bun:test";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { serverListens } from "../../src/cli/socket.ts";
import { command } from "../support/command.ts";
import { hit, pages, ServersOfFolder } from "../support/servers-of-folder.ts";

const servers = new ServersOfFolder();
const files = () => readdirSync(servers.data, { recursive: true, encoding: "utf8" }).toSorted();

test("without LOCK a second server starts, and the first one takes nothing more and ends with 2", async () => {
  const first = await servers.startNew();
  expect(await hit(first, "a")).toBe(200);
  rmSync(join(servers.data, "LOCK"));
  const second = await servers.start();
  expect(await hit(second, "b")).toBe(200);
  expect(await hit(first, "c").catch(() => 0)).not.toBe(200);
  expect(await first.ended).toBe(2);
  expect(await serverListens(servers.data)).toBe(true);
  expect(await hit(second, "d")).toBe(200);
  await second.end("SIGKILL");
  expect(await pages(await servers.start())).toEqual(["/a", "/b", "/d"]);
});

test("in a restored folder the server of the one that was moved away leaves everything, also where it is stopped", async () => {
  const old = await servers.startNew();
  expect(await hit(old, "a")).toBe(200);
  expect(await command(servers.data, "backup", join(servers.top, "backup.tar"))).toMatchObject({
    exitCode: 0,
  });
  expect(await hit(old, "b")).toBe(200);
  renameSync(servers.data, join(servers.top, "old"));
  expect(await command(servers.data, "restore", join(servers.top, "backup.tar"))).toMatchObject({
    exitCode: 0,
  });
  const restored = await servers.start();
  for (const page of ["c", "d", "e"]) expect(await hit(restored, page)).toBe(200);
  const before = files();
  await old.end("SIGTERM");
  expect(files()).toEqual(before);
  expect(await serverListens(servers.data)).toBe(true);
  await restored.end("SIGKILL");
  expect(await pages(await servers.start())).toEqual(["/a", "/c", "/d", "/e"]);
  // It has all that it acknowledged.
  renameSync(servers.data, join(servers.top, "restored"));
  renameSync(join(servers.top, "old"), servers.data);
  expect(await pages(await servers.start())).toEqual(["/a", "/b"]);
});

test("a server that gets no hits ends too", async () => {
  const server = await servers.startNew();
  rmSync(join(servers.data, "LOCK"));
  expect(await server.ended).toBe(2);
});

test("while the folder is gone hits are refused, and its place stays empty; once it is back they count", async () => {
  const server = await servers.startNew();
  expect(await hit(server, "a")).toBe(200);
  renameSync(servers.data, join(servers.top, "moved"));
  expect(await hit(server, "b")).toBe(500);
  // It looks every five seconds.
  await Bun.sleep(6_000);
  expect(await hit(server, "c")).toBe(500);
  expect(readdirSync(servers.top)).toEqual(["moved"]);
  renameSync(join(servers.top, "moved"), servers.data);
  expect(await hit(server, "d")).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
  expect(await pages(await servers.start())).toEqual(["/a", "/d"]);
});
