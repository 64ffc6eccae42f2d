/** Backups in a folder on a disk that forgets what was not synced. */
import { expect, test } from "bun:test";
import { FolderStore } from "../../src/cli/backup/folder.ts";
import { findBackup, StoreTarget } from "../../src/cli/backup/store.ts";
import { manifestName } from "../../src/snapshot/manifest.ts";
import { noonMs } from "../support/records.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { randomFrom } from "../support/random.ts";

const folderId = "0123456789abcdef0123456789abcdef";
const place = "/backups";
const names = [manifestName(7), "0000000000000007.state", "chunks/1/202603-1.0000000000000007.chunk"];
const files = names.map((name, at) => ({ name, bytes: 3, checksum: at }));
const list = { folderId, seq: 7, madeMs: noonMs, files };

const open = (disk: MemoryDisk) =>
  StoreTarget.open(new FolderStore(place, disk), `${folderId}-0123456789abcdef`, Infinity);

test("a backup has the files of one that was interrupted also after a power cut", async () => {
  for (let interrupted = 0; interrupted <= files.length; interrupted++) {
    const disk = new MemoryDisk();
    disk.makeDirectory(place);
    const first = await open(disk);
    for (const entry of files.slice(0, interrupted)) await first.put(entry, new Uint8Array(3));
    const second = await open(disk);
    for (const entry of files) if (!second.has(entry)) await second.put(entry, new Uint8Array(3));
    await second.finish(list);
    for (let time = 1; time <= 20; time++) {
      const after = new FolderStore(place, disk.crash(randomFrom(time)));
      expect(await findBackup(after)).toMatchObject({ list });
    }
  }
});

test("a file that could not be written takes no room on a full disk", async () => {
  for (const operation of ["write", "sync", "rename"]) {
    const disk = new MemoryDisk();
    disk.makeDirectory(place);
    const store = new FolderStore(place, disk);
    await store.write("whole", new Uint8Array(3));
    const call = disk.history.findIndex((each) => each.startsWith(operation));
    disk.failAt({ call, code: "ENOSPC", writtenBytes: 2 });
    await expect(store.write("other", new Uint8Array(3))).rejects.toThrow(`cannot ${operation}`);
    expect([...disk.files.keys()]).toEqual([`${place}/whole`]);
  }
});
