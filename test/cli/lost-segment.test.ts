/**
 * The log of a running server is removed or damaged: nothing is acknowledged that no start would find, and no backup is called
 * complete that cannot be restored.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

test.each([
  ["has a flipped bit", (path: string) => writeFileSync(path, flipped(readFileSync(path)))],
  ["is gone", (path: string) => rmSync(path)],
])("a backup fails while the log %s; after a clean stop and a start it has every hit", async (_, damage) => {
  const server = await start();
  expect((await server.post("/websites", { hostname })).status).toBe(201);
  for (const page of ["a", "b", "c", "d"]) expect(await hit(server, page)).toBe(200);
  const [segment] = readdirSync(join(data, "wal")).toSorted().slice(-1);
  damage(join(data, "wal", segment!));
  for (const place of ["backup.tar", "backups/"])
    expect(await command(data, "backup", join(top, place))).toEqual({
      exitCode: 2,
      printed: expect.stringMatching(
        /wal.* at byte \d+: .*; the server has in memory what was there: stop it/,
      ),
    });
  expect(await server.end("SIGTERM")).toBe(0);
  await start();
  expect(await command(data, "backup", join(top, "backup.tar"))).toMatchObject({ exitCode: 0 });
  await command((data = join(top, "restored")), "restore", join(top, "backup.tar"));
  expect(await pages(await start())).toEqual(["/a", "/b", "/c", "/d"]);
});

const flipped = (bytes: Buffer) => bytes.fill((bytes[150] as number) ^ 4, 150, 151);
