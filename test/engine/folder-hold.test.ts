/** An engine whose folder may be another server's writes nothing more there, and acknowledges nothing. */
import { expect, test } from "bun:test";
import { FolderHold } from "../../src/engine/files/folder-hold.ts";
import { lockName } from "../../src/engine/opening/new-folder.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load } from "../support/records.ts";
import { addWebsites } from "../support/websites.ts";

const lock = `/data/${lockName}`;
const changing = /^(create|write|rename|remove|truncate|make the directory) /;

async function opened() {
  const disk = new MemoryDisk();
  const heard: string[] = [];
  const engine = await openInMemory(disk, { onLost: ({ message }) => heard.push(message) });
  await addWebsites(engine, "a.example");
  await engine.commit(load("first"));
  return { disk, engine, heard };
}

const filesOf = (disk: MemoryDisk) => [...disk.files].map(([path, bytes]) => `${path} ${bytes.toHex()}`);
const rowsIn = (engine: RunningEngine) => engine.site(1)!.chunks.get(1)?.rows ?? 0;

test("is told once, and changes no file any more: no batch, no checkpoint, no removal, and not at its stop", async () => {
  const { disk, engine, heard } = await opened();
  disk.take(lock);
  const before = filesOf(disk);
  disk.history.length = 0;
  for (const beacon of ["second", "third"])
    await expect(engine.commit(load(beacon))).rejects.toMatchObject({
      code: 500,
      message: "the server could not store this: try again",
    });
  await expect(engine.purge()).rejects.toThrow(
    "/data was replaced by another folder, or its file LOCK was removed",
  );
  await engine.stop();
  expect(heard).toEqual([expect.stringContaining("this one writes nothing more and ends")]);
  expect(disk.history.filter((call) => changing.test(call))).toEqual([]);
  expect(filesOf(disk)).toEqual(before);
  const next = await openInMemory(disk);
  expect(rowsIn(next)).toBe(1);
  await next.stop();
});

test("acknowledges no batch during which the folder was lost", async () => {
  const { disk, engine, heard } = await opened();
  disk.onCall = () => disk.take(lock);
  const committed = engine.commit(load("second"));
  await expect(committed).rejects.toMatchObject({ code: 500 });
  expect([heard.length, rowsIn(engine)]).toEqual([1, 1]);
  disk.onCall = () => {};
  await engine.stop();
});

test("removes no file where the folder was lost while a checkpoint was written", async () => {
  const disk = new MemoryDisk();
  const io = memoryIo(disk);
  let last: string[] = [];
  const engine = await openInMemory(disk, {
    io: {
      ...io,
      writeCheckpoint: async (folder, checkpoint) => {
        const manifest = await io.writeCheckpoint(folder, checkpoint);
        if (checkpoint.seq > 2) disk.take(lock);
        last = filesOf(disk);
        return manifest;
      },
    },
  });
  await engine.commit(userAdded(1, "ada"));
  await engine.purge();
  await engine.commit(websiteAdded(1, "a.example"));
  await expect(engine.purge()).rejects.toThrow();
  await engine.stop();
  expect(filesOf(disk)).toEqual(last);
});

test("a disk that does not tell whose the folder is fails as ever, and is asked again", () => {
  const asked: (() => boolean)[] = [
    () => true,
    () => {
      throw new DiskError("inspect", lock, "EIO");
    },
    () => true,
    () => false,
    () => true,
  ];
  const heard: string[] = [];
  const isInPlace = () => asked.shift()!();
  const hold = new FolderHold({ isInPlace, release() {} }, "/data", ({ name }) => heard.push(name));
  expect([1, 2, 3].map(() => hold.whyNot()?.name)).toEqual([undefined, "DiskError", undefined]);
  expect(heard).toEqual([]);
  for (let time = 0; time < 2; time++) expect(() => hold.expect()).toThrow("another server may have it");
  expect([heard, asked.length]).toEqual([["FolderLost"], 1]);
  hold.release();
});
