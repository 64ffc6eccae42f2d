/**
 * The log of a running server is removed or damaged: nothing is acknowledged that no start would find, and no backup is called
 * complete that cannot be restored.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "../support/command.ts";
import { hit, pages, ServersOfFolder } from "../support/servers-of-folder.ts";
import { until } from "../support/until.ts";

const servers = new ServersOfFolder();
const manifests = () => readdirSync(servers.data).filter((name) => name.endsWith(".manifest"));

test("where the newest segment was removed a hit is refused, and what was acknowledged is in a checkpoint", async () => {
  const server = await servers.startNew();
  expect(await hit(server, "a")).toBe(200);
  const before = manifests();
  for (const name of readdirSync(join(servers.data, "wal"))) rmSync(join(servers.data, "wal", name));
  expect(await hit(server, "b")).toBe(500);
  expect(await hit(server, "c")).toBe(200);
  await until(() => {
    const now = manifests();
    return now.length === 1 && now[0] !== before[0];
  }, "a checkpoint takes the place of the first");
  await server.end("SIGKILL");
  expect(await command(servers.data, "check")).toMatchObject({ exitCode: 0 });
  expect(await pages(await servers.start())).toEqual(["/a", "/c"]);
});

test.each([
  ["has a flipped bit", (path: string) => writeFileSync(path, flipped(readFileSync(path)))],
  ["is gone", (path: string) => rmSync(path)],
])("a backup fails while the log %s; after a clean stop and a start it has every hit", async (_, damage) => {
  const server = await servers.startNew();
  for (const page of ["a", "b", "c", "d"]) expect(await hit(server, page)).toBe(200);
  const [segment] = readdirSync(join(servers.data, "wal")).toSorted().slice(-1);
  damage(join(servers.data, "wal", segment!));
  for (const place of ["backup.tar", "backups/"])
    expect(await command(servers.data, "backup", join(servers.top, place))).toEqual({
      exitCode: 2,
      printed: expect.stringMatching(
        /wal.* at byte \d+: .*; the server has in memory what was there: stop it/,
      ),
    });
  expect(await server.end("SIGTERM")).toBe(0);
  await servers.start();
  expect(await command(servers.data, "backup", join(servers.top, "backup.tar"))).toMatchObject({
    exitCode: 0,
  });
  const restored = join(servers.top, "restored");
  await command(restored, "restore", join(servers.top, "backup.tar"));
  expect(await pages(await servers.start(restored))).toEqual(["/a", "/b", "/c", "/d"]);
});

const flipped = (bytes: Buffer) => bytes.fill((bytes[150] as number) ^ 4, 150, 151);
