/** A start makes durable what it found in the newest segment: what a process wrote may be seen, and lost later. */
import { describe, expect, test } from "bun:test";
import { numbered, numberedFrom, openLog, replayAll, segmentPath, writeLog } from "../support/log-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

/** A disk on which the last of three batches is written, but not synced. */
async function killedBeforeSync(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const { log } = openLog(disk, { position: replayAll(disk).position });
  await log.append(numbered(1));
  await log.append(numbered(2));
  let killed: MemoryDisk | undefined;
  const isWritten = () => disk.history.at(-1) === `write ${segmentPath(1)}`;
  disk.onCall = () => (killed ??= isWritten() ? disk.afterKill() : undefined);
  await log.append(numbered(3));
  await log.close();
  return killed!;
}

/** A disk on which the sync of the third of three batches failed, and dropped it. */
async function syncFailed(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const { log } = openLog(disk, { position: replayAll(disk).position });
  await log.append(numbered(1));
  await log.append(numbered(2));
  disk.failAt({ call: 2, code: "EIO" });
  expect(log.append(numbered(3))).rejects.toThrow("sync");
  await log.close();
  return disk.afterKill();
}

describe.each([
  ["of a process that was killed", killedBeforeSync],
  ["whose sync failed", syncFailed],
])("a batch %s", (_, made) => {
  test("is part of the log once a start has read it, whatever the disk forgets then", async () => {
    const disk = await made();
    expect(replayAll(disk.afterKill().crash(() => 0)).read).toEqual(numberedFrom(1, 2));
    const { read, position } = replayAll(disk);
    expect(read).toEqual(numberedFrom(1, 3));
    const { log } = openLog(disk, { position });
    await log.append(numbered(4));
    await log.close();
    for (const chance of [0, 0.5, 1])
      expect(replayAll(disk.crash(() => chance)).read).toEqual(numberedFrom(1, 4));
  });

  test("stays what it is where a start is killed at any of its calls", async () => {
    const disk = await made();
    const starts: MemoryDisk[] = [];
    disk.onCall = () => starts.push(disk.afterKill());
    replayAll(disk);
    expect(starts.length).toBeGreaterThan(5);
    for (const start of starts) expect(replayAll(start).read).toEqual(numberedFrom(1, 3));
    for (const start of starts) {
      const { read } = replayAll(start.crash(() => 0));
      expect([2, 3]).toContain(read.length);
    }
  });

  test("is read on a full disk, and made durable by the start that finds room", async () => {
    const disk = await made();
    disk.fillAt(1, Infinity);
    expect(replayAll(disk).read).toEqual(numberedFrom(1, 3));
    disk.fillAt(Infinity, 0);
    expect(replayAll(disk).read).toEqual(numberedFrom(1, 3));
    expect(replayAll(disk.crash(() => 0)).read).toEqual(numberedFrom(1, 3));
    expect(disk.openFiles).toEqual([]);
  });
});

test("a segment of whole batches is the same after a start", async () => {
  const disk = new MemoryDisk();
  await writeLog(disk, [[numbered(1)], [numbered(2), numbered(3)]]);
  const before = disk.read(segmentPath(1));
  replayAll(disk);
  expect(disk.read(segmentPath(1))).toEqual(before);
});

test("a torn tail of which there is no copy stays in its segment, whichever call finds the disk full", async () => {
  const whole = new MemoryDisk();
  await writeLog(whole, [[numbered(1)], [numbered(2), numbered(3)]]);
  const bytes = new Uint8Array([...whole.read(segmentPath(1)), ...new Uint8Array(99)]);
  const copies = new Set<boolean>();
  for (let call = 1; call < 30; call++) {
    const disk = whole.clone();
    disk.put(segmentPath(1), bytes);
    disk.fillAt(call, 1);
    let copy: string | undefined;
    try {
      ({ copy } = replayAll(disk).repairs[0]!);
    } catch {
      // Another start does it again.
      continue;
    }
    copies.add(copy !== undefined);
    if (copy === undefined) expect(disk.read(segmentPath(1))).toEqual(bytes);
    else expect(disk.read(copy)).toEqual(new Uint8Array(99));
  }
  expect(copies).toEqual(new Set([true, false]));
});
