/** A store of backups that somebody else changes while a backup is made. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FolderStore } from "../../src/cli/backup/folder.ts";
import { findBackup, StoreTarget, storedName } from "../../src/cli/backup/store.ts";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { isListName, type BackupEntry, type BackupList } from "../../src/snapshot/backup-list.ts";
import { command } from "../support/command.ts";
import { useFolder } from "../support/folder.ts";
import { refusalOf } from "../support/refusals.ts";

const top = useFolder();

const folderId = "0".repeat(32);
const incarnation = `${folderId}-${"1".repeat(16)}`;
const entry: BackupEntry = { name: "wal/0000000000000001.wal", bytes: 3, checksum: 7 };
const other: BackupEntry = { name: "wal/0000000000000002.wal", bytes: 5, checksum: 8 };
const listOf = (files: readonly BackupEntry[], madeMs: number): BackupList => ({
  folderId,
  seq: 1,
  madeMs,
  files,
});
const open = (folder: string, keep: number) => {
  mkdirSync(join(top, folder), { recursive: true });
  return StoreTarget.open(new FolderStore(join(top, folder)), incarnation, keep);
};

/** Two machines that were made of the same snapshot of a disk have one incarnation. */
test("a backup whose files another machine of the same incarnation gave up fails, and the next is whole", async () => {
  const [first, second] = [await open("two", 1), await open("two", 1)];
  await second.put(entry, new Uint8Array(entry.bytes));
  await first.put(other, new Uint8Array(other.bytes));
  await first.finish(listOf([other], 1_000));
  const refused = await refusalOf(() => second.finish(listOf([entry], 2_000)));
  expect(refused.message).toContain(`${storedName(entry)} is missing`);
  expect((await findBackup(new FolderStore(join(top, "two")))).list.files).toEqual([other]);
  const again = await open("two", 1);
  expect(again.has(entry)).toBe(false);
  await again.put(entry, new Uint8Array(entry.bytes));
  expect(await again.finish(listOf([entry], 3_000))).toEqual({ removed: 1 });
});

/** Its files are written, read and synced, and stay. */
class KeepingStore extends FolderStore {
  override remove(name: string): Promise<void> {
    throw new DiskError("remove", name, "EACCES");
  }
}

test("a backup counts whose store removes nothing, or has a list of before that cannot be read", async () => {
  const folder = join(top, "stays");
  mkdirSync(folder);
  const made = async (store: FolderStore, madeMs: number) => {
    const target = await StoreTarget.open(store, incarnation, 2);
    if (!target.has(entry)) await target.put(entry, new Uint8Array(entry.bytes));
    return target.finish(listOf([entry], madeMs));
  };
  const lists = () => readdirSync(join(folder, incarnation)).filter(isListName).sort();
  for (const madeMs of [1_000, 2_000])
    expect(await made(new KeepingStore(folder), madeMs)).toEqual({ removed: 0 });
  const trouble = expect.stringContaining("permission is denied");
  expect(await made(new KeepingStore(folder), 3_000)).toEqual({ removed: 0, trouble });
  writeFileSync(join(folder, incarnation, lists().at(-1) as string), "damaged");
  const isDamaged = expect.stringContaining(`${lists().at(-1)} is damaged`);
  expect(await made(new FolderStore(folder), 4_000)).toEqual({ removed: 0, trouble: isDamaged });
  expect((await findBackup(new FolderStore(folder))).list.madeMs).toBe(4_000);
  // Once the damaged one is no longer among those that stay, all older ones go.
  expect(await made(new FolderStore(folder), 5_000)).toEqual({ removed: 3 });
  expect(lists().length).toBe(2);
});

test("a backup fails where its store keeps a file that is cut off", async () => {
  const target = await open("cut", Infinity);
  await target.put(entry, new Uint8Array(entry.bytes - 1));
  expect((await refusalOf(() => target.finish(listOf([entry], 1_000)))).message).toContain("has 2 bytes");
});

test("a list of backups has the times at which they were made, also after one by a clock that was ahead", async () => {
  const times = ["2026-03-01T10:00:00.000Z", "2036-02-05T10:00:00.000Z", "2026-03-02T10:00:00.000Z"];
  for (const time of [...times, "2026-03-03T10:00:00.000Z"]) {
    const target = await open("ahead", 30);
    if (!target.has(entry)) await target.put(entry, new Uint8Array(entry.bytes));
    await target.finish(listOf([entry], Date.parse(time)));
  }
  // One that cannot be read has the time of its name.
  const last = readdirSync(join(top, "ahead", incarnation))
    .filter(isListName)
    .sort()
    .at(-1) as string;
  writeFileSync(join(top, "ahead", incarnation, last), "damaged");
  const { printed } = await command(join(top, "data"), "restore", join(top, "ahead"), "--list");
  const lines = printed.trim().split("\n");
  expect(lines.map((line) => line.split("  ")[0])).toEqual([...times, "2036-02-05T10:00:00.002Z"]);
  expect(lines.at(-1)).toEndWith(last);
});
